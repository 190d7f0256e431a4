// Package untrusted reads files that another user may have written: records of runs,
// checkpoints, and the files next to them. Such a file must not block its reader, and the
// memory to read it must stay in proportion to its size on disk.
package untrusted

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a regular file for reading. See OpenFile.
func Open(name string) (*os.File, error) { return OpenFile(name, os.O_RDONLY) }

// OpenFile opens an existing regular file, or a link to one. It never waits for the other
// end of a pipe, and does not open devices, because opening can already have an effect.
//
// Errors: the error of the system, or the name and the kind of a file that is not regular.
func OpenFile(name string, flag int) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, irregular(name, info)
	}
	f, err := os.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat() // of the opened file, in case another one took the name meanwhile
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func irregular(name string, info fs.FileInfo) error {
	kind := "a special file"
	switch mode := info.Mode(); {
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Errorf("%s is %s; expected a regular file", name, kind)
}

// ReadFile returns the content of a regular file of at most limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes; expected at most that many", name, limit)
	}
	return text, nil
}

// The least bytes of JSON for an array and for an object, on average, in a text with more
// than fewValues of them. The shortest array that migbsp writes many of, [0,1,8], has 8
// bytes with its comma, the shortest object, {"latency":0,"per_byte":0}, has 27. Lower
// values let a forged text take more memory for each of its bytes: [] takes 24 bytes, and {}
// up to 200, the size of the largest structure that is decoded from a list.
const (
	fewValues   = 1 << 16
	arrayBytes  = 8
	objectBytes = 16
)

// CheckJSON returns an error for a JSON text with so many short arrays or objects that
// decoding it would take far more memory than the text. It does not check the syntax.
func CheckJSON(text []byte) error {
	for _, c := range []struct {
		open  string
		least int
		name  string
	}{{"[", arrayBytes, "arrays"}, {"{", objectBytes, "objects"}} {
		if n := bytes.Count(text, []byte(c.open)); n > fewValues && n > len(text)/c.least {
			return fmt.Errorf("%d %s in %d bytes of JSON; expected at least %d bytes for each", n, c.name, len(text), c.least)
		}
	}
	return nil
}
