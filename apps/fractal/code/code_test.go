package code

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

var headers = []Header{
	{Width: 64, Height: 64, Planes: 1, Chroma: 1, Block: 8, Domains: 64},
	{Width: 17, Height: 9, Planes: 3, Chroma: 2, Block: 4, Domains: 11},
	{Width: 50, Height: 33, Planes: 3, Chroma: 1, Block: 16, Domains: 1},
	{Width: 1, Height: 1, Planes: 3, Chroma: 2, Block: 32, Domains: 1},
}

// matches returns random codes.
func matches(h Header) [][]Match {
	random := rand.New(rand.NewPCG(1, uint64(h.Width)))
	planes := make([][]Match, h.Planes)
	for i := range planes {
		p := h.Plane(i)
		for range p.Ranges() {
			m := Match{Mean: uint8(random.IntN(128))}
			if m.Contrast = int8(random.IntN(31) - 15); m.Contrast != 0 {
				m.Domain, m.Isometry = int32(random.IntN(p.Domains)), uint8(random.IntN(8))
			}
			planes[i] = append(planes[i], m)
		}
	}
	return planes
}

func TestFilesComeBack(t *testing.T) {
	for _, h := range headers {
		want := matches(h)
		file := Write(h, want)
		got, planes, err := Read(file)
		if err != nil || got != h || !reflect.DeepEqual(planes, want) {
			t.Errorf("%+v: %+v, %v", h, got, err)
		}
	}
}

// Any byte that is changed, and any end that is missing, is found.
func TestDamageIsFound(t *testing.T) {
	for _, h := range headers {
		file := Write(h, matches(h))
		for i := range file {
			damaged := bytes.Clone(file)
			damaged[i] ^= 0x10
			if _, _, err := Read(damaged); err == nil {
				t.Errorf("%+v: byte %d is changed, and nobody says so", h, i)
			}
			if _, _, err := Read(file[:i]); err == nil {
				t.Errorf("%+v: the first %d bytes are enough", h, i)
			}
		}
		if _, _, err := Read(append(bytes.Clone(file), 0)); err == nil {
			t.Errorf("%+v: a byte more is nothing", h)
		}
	}
}

// sealed makes length and CRC right.
func sealed(b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) < headBytes {
		return b
	}
	binary.BigEndian.PutUint32(b[headBytes-4:], uint32(len(b)-headBytes))
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	h := headers[1]
	file := Write(h, matches(h))
	body := file[:len(file)-crcBytes]
	with := func(at int, x ...byte) []byte {
		b := bytes.Clone(body)
		copy(b[at:], x)
		return sealed(b)
	}
	for want, b := range map[string][]byte{
		"does not begin with MFIC":                             []byte("\x89PNG\r\n"),
		"only 10 bytes":                                        file[:10],
		"version 7; this program reads version 1":              with(4, 7),
		"cut off or has grown":                                 file[:len(file)-1],
		"it is damaged":                                        append(bytes.Clone(body), 1, 2, 3, 4),
		"2 planes; expected 1 or 3":                            with(5, 2),
		"chrominance of 1 in 3":                                with(6, 3),
		"blocks of 12 x 12":                                    with(7, 12),
		"0 x 9 pixels":                                         with(8, 0, 0, 0, 0),
		"pixels; expected 1 to 67108864":                       with(8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"0 domains for 15 blocks":                              with(16, 0, 0, 0, 0),
		"16 domains for 15 blocks":                             with(16, 0, 0, 0, 16),
		"are too few for":                                      with(8, 0, 0, 0x10, 0),
		"plane 0, block 0: its contrast is -16":                with(headBytes, 0, 0),
		"plane 0, block 0: its domain is 15, but there are 11": with(headBytes, 0xff, 0xff, 0xff, 0xff),
		"there are bytes after the last code":                  sealed(append(bytes.Clone(body), 0)),
	} {
		if _, _, err := Read(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	one := headers[3] // 3 codes without domains: 36 bits
	body = Write(one, [][]Match{{{}}, {{}}, {{}}})
	body = body[:len(body)-crcBytes]
	body[len(body)-1] |= 1
	if _, _, err := Read(sealed(body)); err == nil || !strings.Contains(err.Error(), "bits after the last code are not 0") {
		t.Error(err)
	}
}

// Files that Read accepts are rewritten byte for byte, and can be rendered.
func FuzzRead(f *testing.F) {
	for _, h := range headers {
		file := Write(h, matches(h))
		f.Add(file[:len(file)-crcBytes])
	}
	f.Add([]byte("MFIC"))
	f.Fuzz(func(t *testing.T, b []byte) {
		Read(b)
		b = sealed(b)
		h, planes, err := Read(b)
		if err != nil {
			return
		}
		if got := Write(h, planes); !bytes.Equal(got, b) {
			t.Fatalf("%x is written as %x", b, got)
		}
		for i, m := range planes {
			p := h.Plane(i)
			if p.Ranges()*p.Pixels() < 1<<16 {
				p.Render(m, make([]uint8, p.Ranges()*p.Pixels()), 2)
			}
		}
	})
}
