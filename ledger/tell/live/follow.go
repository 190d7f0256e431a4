package live

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/internal/untrusted"
	"github.com/migbsp/migbsp/ledger"
)

// A Follower reads a record as it grows. It may not be there yet, and be another
// one later.
type Follower struct {
	path    string // a file, or a run's directory
	name    string // of the file
	file    *os.File
	is      os.FileInfo
	decoder *ledger.Decoder
	head    []byte // how the file began
	packed  bool
	done    bool      // the record is complete
	changed time.Time // when the file last did
}

// Follow reads the record in a run's directory, or in the given file.
func Follow(path string) *Follower { return &Follower{path: path, name: path} }

// News is the result of one Look.
type News struct {
	Anew    bool   // this is another record than before: earlier entries are void
	More    bool   // more can be read at once
	Wait    string // why the record has not begun, "" once it has
	Entries int    // read
}

// Look reads the entries written since the last Look, at most most of them. It hands
// entries to take, and errors of lines that cannot be read to trouble.
//
// Errors: the file cannot be read, or is not a record of this version.
func (f *Follower) Look(most int, take func(ledger.Entry), trouble func(error)) (News, error) {
	var news News
	if f.file == nil {
		wait, err := f.open()
		if wait != "" || err != nil {
			return News{Wait: wait}, err
		}
		news.Anew = true
	}
	for !f.done {
		if news.Entries >= most {
			news.More = true
			return news, nil
		}
		e, err := f.decoder.Next()
		switch {
		case err == nil:
			take(e)
			news.Entries++
		case f.decoder.Err() != nil:
			return f.fail(news, trouble)
		case errors.Is(err, io.EOF):
			return f.pause(news)
		case f.decoder.Run() == nil:
			return news, err
		default:
			trouble(err)
			news.Entries++
		}
	}
	return f.pause(news)
}

// open tries to open the file; wait is the reason why that is not possible yet.
func (f *Follower) open() (wait string, err error) {
	name, err := ledger.Locate(f.path)
	if err != nil {
		if is, _ := os.Stat(f.path); is != nil && is.IsDir() {
			return "there is no " + ledger.RecordName + " in this directory yet", nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return "there is no such file or directory yet", nil
		}
		return "", err
	}
	file, err := untrusted.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file or directory yet", nil
	} else if err != nil {
		return "", err
	}
	is, err := file.Stat()
	if err != nil {
		file.Close()
		return "", err
	}
	f.name, f.file, f.is, f.done, f.head, f.changed = name, file, is, false, nil, is.ModTime()
	return "", f.begin()
}

// begin prepares to read from the beginning of the file.
func (f *Follower) begin() error {
	magic := make([]byte, 2)
	n, _ := f.file.ReadAt(magic, 0)
	f.packed = bytes.Equal(magic[:n], []byte{0x1f, 0x8b})
	var r io.Reader = f.file
	if f.packed {
		var err error
		if r, err = ledger.Unpack(f.name, f.file); err != nil {
			f.close()
			return err
		}
	}
	f.decoder = ledger.NewDecoder(f.name, r)
	return nil
}

func (f *Follower) close() {
	f.file.Close()
	f.file = nil
}

// Close ends following.
func (f *Follower) Close() {
	if f.file != nil {
		f.close()
	}
}

// fail deals with a file that cannot be read on.
func (f *Follower) fail(news News, trouble func(error)) (News, error) {
	if errors.Is(f.decoder.Err(), syscall.ESTALE) { // it was replaced on a file server
		f.close()
		news.More = true
		return news, nil
	}
	if f.decoder.Run() == nil {
		return news, f.decoder.Err()
	}
	trouble(f.decoder.Err())
	f.done = true
	return news, nil
}

// pause checks that the file is still the same, after all of it has been read.
func (f *Follower) pause(news News) (News, error) {
	if f.decoder.Run() == nil {
		news.Wait = "it is empty so far"
		if f.decoder.Partial() > 0 {
			news.Wait = "its first line is not whole yet"
			if err := f.decoder.Foreign(); err != nil {
				return news, err
			}
		}
	}
	is, err := os.Stat(f.name)
	if err != nil { // it was removed; the entries read so far stay
		return news, nil
	}
	if is.Size() != f.is.Size() || !is.ModTime().Equal(f.is.ModTime()) {
		f.changed = time.Now()
	}
	if !os.SameFile(is, f.is) || !f.packed && is.Size() < f.decoder.Read() || !f.same() {
		f.close()
		news.More = true
		return news, nil
	}
	f.is = is
	return news, nil
}

// same reports whether the file begins as it did.
func (f *Follower) same() bool {
	const most = 4096
	b := make([]byte, most)
	n, _ := f.file.ReadAt(b, 0)
	known := len(f.head)
	if n < known || !bytes.Equal(b[:known], f.head) {
		return false
	}
	f.head = b[:n]
	return true
}

// Name returns the name of the file, "" if it is not known.
func (f *Follower) Name() string { return f.name }

// Changed returns the time when the file last changed.
func (f *Follower) Changed() time.Time { return f.changed }

// Partial reports whether the file ends within a line, which its writer may be about to
// complete.
func (f *Follower) Partial() bool {
	return f.file != nil && f.decoder.Partial() > 0
}

// Cut describes a record that ends within an entry, "" if it does not.
func (f *Follower) Cut() string {
	if f.file == nil {
		return ""
	}
	return f.decoder.Cut()
}
