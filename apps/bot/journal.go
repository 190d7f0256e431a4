package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/migbsp/migbsp/internal/untrusted"
)

// journal is a file to which each batch of results is appended as a line, so that a bag can be
// continued after any interruption, also with other workers and another policy. A line is the
// checksum of its remainder, and JSON. The first line identifies the bag. Only completed tasks are in
// it: failed tasks are tried again.
type journal struct {
	file *os.File
	mu   sync.Mutex // of the writing, which a signal waits for
	err  error
}

type journalHead struct {
	Bag   string `json:"bag"` // job.fingerprint
	Tasks int    `json:"tasks"`
	What  string `json:"what"`
}

type journalLine struct {
	Done []journalTask `json:"done"`
}

type journalTask struct {
	Task int    `json:"task"`
	Out  []byte `json:"out,omitempty"`
	Err  []byte `json:"err,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openJournal opens the journal of a bag: a new one or, with resume, an existing one, whose results
// it passes to done.
//
// Errors: the file exists without resume, or does not exist with it; it belongs to another bag; or a
// line is damaged. An incomplete last line, cut off when the run ended, is ignored.
func openJournal(name string, head journalHead, resume bool, done func(*outcome)) (*journal, error) {
	if !resume {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s is there already: -resume goes on with it", name)
		}
		if err != nil {
			return nil, err
		}
		j := &journal{file: f}
		if err := j.append(head); err != nil {
			return nil, err
		}
		return j, nil
	}
	f, err := untrusted.OpenFile(name, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	whole, err := readJournal(f, name, head, done)
	if err == nil {
		err = f.Truncate(whole)
	}
	if err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &journal{file: f}, nil
}

// readJournal reads all lines that are whole, and returns where they end.
func readJournal(f io.Reader, name string, head journalHead, done func(*outcome)) (whole int64, err error) {
	r := bufio.NewReader(f)
	for number := 1; ; number++ {
		line, length, err := readLine(r)
		if errors.Is(err, io.EOF) {
			if number == 1 {
				return 0, fmt.Errorf("%s:1: it is empty; expected a journal of this program", name)
			}
			return whole, nil
		}
		if err != nil {
			return 0, err
		}
		text, err := checked(line)
		if err == nil && number == 1 {
			err = sameBag(text, head)
		} else if err == nil {
			err = takeLine(text, head.Tasks, done)
		}
		if err != nil {
			if _, more := r.Peek(1); more != nil && number > 1 {
				return whole, nil // cut off, or written in part
			}
			return 0, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		whole += length
	}
}

// readLine returns the next line and its length in the file. It keeps a line up to a zero
// byte only, which JSON does not have: a file with a hole may have any number of them.
func readLine(r *bufio.Reader) (line string, length int64, err error) {
	var kept []byte
	hole := false
	for {
		piece, err := r.ReadSlice('\n')
		length += int64(len(piece))
		if !hole {
			hole = bytes.IndexByte(piece, 0) >= 0
			kept = append(kept, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(kept), length, err
		}
	}
}

// checked returns the JSON of a line whose checksum is right.
func checked(line string) (string, error) {
	sum, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	if want := fmt.Sprintf("%08x", crc32.Checksum([]byte(text), castagnoli)); sum != want {
		return "", fmt.Errorf("the line is damaged: its checksum is %.20q, expected %s", sum, want)
	}
	return text, nil
}

func sameBag(text string, want journalHead) error {
	var got journalHead
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		return err
	}
	if got.Bag != want.Bag {
		return fmt.Errorf("it is the journal of another bag: %s; this one is %s", got.What, want.What)
	}
	return nil
}

func takeLine(text string, tasks int, done func(*outcome)) error {
	var l journalLine
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return err
	}
	for _, t := range l.Done {
		if t.Task < 0 || t.Task >= tasks {
			return fmt.Errorf("task %d; there are %d", t.Task, tasks)
		}
		done(&outcome{Task: t.Task, Out: t.Out, Err: t.Err})
	}
	return nil
}

// add appends results. It keeps the first error, and writes no lines after it.
func (j *journal) add(done []*outcome) {
	if j == nil || len(done) == 0 {
		return
	}
	var l journalLine
	for _, o := range done {
		l.Done = append(l.Done, journalTask{o.Task, o.Out, o.Err})
	}
	j.append(l)
}

func (j *journal) append(v any) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	text, err := json.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintf(j.file, "%08x %s\n", crc32.Checksum(text, castagnoli), text)
	}
	j.err = err
	return err
}

// close makes sure that all of it is on the disk, and that no more is written.
func (j *journal) close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.err
	if errors.Is(err, errClosed) {
		return nil
	}
	if e := j.file.Sync(); err == nil {
		err = e
	}
	if e := j.file.Close(); err == nil {
		err = e
	}
	j.err = errClosed
	return err
}

var errClosed = errors.New("the journal is closed")
