package ledger

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Locate is the file of the record that a user means by a directory or a file.
func Locate(path string) (string, error) {
	is, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: there is no such file or directory; expected a run's directory or its record: %w", path, fs.ErrNotExist)
	} else if err != nil {
		return "", err
	}
	if !is.IsDir() {
		return path, nil
	}
	for _, name := range []string{RecordName, RecordName + ".gz"} {
		file := filepath.Join(path, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: there is no %s in this directory; programs write one with -run-dir DIR", path, RecordName)
}

// Open opens a record, which may be packed with gzip.
func Open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := unpack(name, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return opened{r, f}, nil
}

type opened struct {
	io.Reader
	io.Closer
}

// unpack reads what r has, packed with gzip or not. name stands for it in errors.
func unpack(name string, r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return z, nil
}
