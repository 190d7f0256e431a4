package untrusted

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Only regular files are opened, and nothing else can block or end the reader.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, os.WriteFile(at("file"), []byte("text"), 0o600))
	must.Do(t, os.Symlink("file", at("link")))
	must.Do(t, syscall.Mkfifo(at("fifo"), 0o600))
	must.Do(t, os.Symlink("fifo", at("link to a fifo")))
	must.Do(t, os.Symlink("/dev/zero", at("zeros")))
	socket := must.Get(net.Listen("unix", at("socket")))(t)
	defer socket.Close()
	for name, want := range map[string]string{
		"file": "", "link": "",
		"":               " is a directory; expected a regular file",
		"fifo":           "fifo is a pipe; expected a regular file",
		"link to a fifo": "link to a fifo is a pipe; expected a regular file",
		"zeros":          "zeros is a device; expected a regular file",
		"socket":         "socket is a socket; expected a regular file",
		"none":           "no such file or directory",
	} {
		text, err := ReadFile(at(name), 4)
		if want == "" && (err != nil || string(text) != "text") || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), at(name))) {
			t.Errorf("%s: %q, %v; want %q", name, text, err, want)
		}
	}
	if _, err := Open(at("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
	if _, err := ReadFile(at("file"), 3); err == nil || err.Error() != at("file")+" has more than 3 bytes; expected at most that many" {
		t.Errorf("a file that is too long: %v", err)
	}
}

// Data that unpack to far more than they should end in an error; others are read to their end.
func TestUnpack(t *testing.T) {
	pack := func(piece string, n int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for range n {
			io.WriteString(z, piece)
		}
		z.Close()
		return b.Bytes()
	}
	zeros := strings.Repeat("0", 1<<20)
	small := pack("line\n", 3)
	for name, c := range map[string]struct {
		data  []byte
		bytes int64
		err   string
	}{
		"not packed":     {[]byte("plain"), 5, ""},
		"empty":          {nil, 0, ""},
		"packed":         {small, 15, ""},
		"without an end": {small[:len(small)-3], 15, "unexpected EOF"},
		"damaged":        {append(bytes.Clone(small[:len(small)-8]), make([]byte, 8)...), 15, "gzip: invalid checksum"},
		"allowed":        {pack(zeros, freeBytes>>20), freeBytes, ""},
		"a bomb":         {pack(zeros, freeBytes>>20+8), freeBytes + 64<<10, "gunzip first"},
	} {
		r, err := Unpack(bytes.NewReader(c.data))
		n := int64(0)
		if err == nil {
			n, err = io.Copy(io.Discard, r)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if n > c.bytes || c.err == "" && n != c.bytes || (c.err == "") != (got == "") || !strings.Contains(got, c.err) {
			t.Errorf("%s: %d bytes, error %q; want %d, %q", name, n, got, c.bytes, c.err)
		}
	}
}

// Only texts are refused that take far more memory than bytes.
func TestCheckJSON(t *testing.T) {
	for name, c := range map[string]struct {
		piece string
		n     int
		ok    bool
	}{
		"a few objects": {"{},", fewValues, true},
		"many objects":  {"{},", fewValues + 1, false},
		"many arrays":   {"[],", fewValues + 1, false},
		"messages":      {"[0,1,8],", 1 << 18, true},
		"links":         {`{"latency":0,"per_byte":0},`, 1 << 18, true},
	} {
		if err := CheckJSON([]byte(strings.Repeat(c.piece, c.n))); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
