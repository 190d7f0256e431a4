package untrusted

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// Data may unpack to freeBytes, or to mostRatio times the packed bytes. Records pack by 4 to
// 12, those of simulations by up to 20 or so, except for workloads, of which a record has at
// most 120 MiB. Higher values let a small file take more memory and time.
const (
	freeBytes = 128 << 20
	mostRatio = 20
)

// Unpack returns the content of r, which may be packed with gzip.
//
// Errors: the head of the gzip data is damaged. Reading ends with an error if the data
// unpack to far more bytes than the records of runs do, and with io.ErrUnexpectedEOF if
// they have no end.
func Unpack(r io.Reader) (io.Reader, error) {
	in := &counter{r: r}
	b := bufio.NewReader(in)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return &unpacked{packed: in, content: counter{r: z}}, nil
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacked is the content of gzip data.
type unpacked struct {
	packed  *counter
	content counter
}

func (u *unpacked) Read(p []byte) (int, error) {
	if u.content.n > max(freeBytes, mostRatio*u.packed.n) {
		return 0, fmt.Errorf("the first %d bytes of gzip data unpack to more than %d; if that is as it should be, unpack the file with gunzip first",
			u.packed.n, max(freeBytes, mostRatio*u.packed.n))
	}
	return u.content.Read(p)
}
