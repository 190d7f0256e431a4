package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Decoder reads the entries of a record one by one. It can follow a record that is still
// being written.
type Decoder struct {
	name    string
	r       *bufio.Reader
	line    int    // of the last entry
	partial []byte // of a line whose end is not there yet
	read    int64  // bytes
	err     error  // that ended reading, other than io.EOF
	run     *Run
	loads   bool
	skipped map[string]int
}

// NewDecoder reads a record from r; name stands for it in errors.
func NewDecoder(name string, r io.Reader) *Decoder {
	return &Decoder{name: name, r: bufio.NewReaderSize(r, 1<<16), skipped: make(map[string]int)}
}

// WithLoads makes Next return Loads too. They are as long as all other entries together,
// and few readers use them.
func (d *Decoder) WithLoads() *Decoder {
	d.loads = true
	return d
}

// Run returns the head of the record, nil before it has been read.
func (d *Decoder) Run() *Run { return d.run }

// Line returns the number of the line of the last entry.
func (d *Decoder) Line() int { return d.line }

// Skipped counts the lines of types that this version does not know.
func (d *Decoder) Skipped() map[string]int { return d.skipped }

// Partial returns the number of bytes of a last line without an end. The writer may
// be about to complete it, or have been cut off.
func (d *Decoder) Partial() int { return len(d.partial) }

// Next returns the next entry. io.EOF means that the file has no other complete line yet:
// once the file has grown, Next goes on.
//
// Errors name the place (file:line:column), the text that was read, and what was expected.
// After an error Next goes on with the next line.
func (d *Decoder) Next() (Entry, error) {
	for {
		line, err := d.r.ReadSlice('\n')
		d.partial = append(d.partial, line...)
		d.read += int64(len(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if err := d.Foreign(); err != nil { // before it fills the memory
				return nil, err
			}
			continue
		case err != nil:
			if !errors.Is(err, io.EOF) {
				d.err = err
			}
			return nil, err
		}
		line = bytes.TrimSpace(d.partial)
		d.partial = d.partial[:0]
		d.line++
		if len(line) == 0 {
			continue
		}
		e, err := d.entry(line)
		if e != nil || err != nil {
			return e, err
		}
	}
}

// Read returns the number of bytes that have been read.
func (d *Decoder) Read() int64 { return d.read }

// Err returns the error that has ended reading, nil if that was io.EOF.
func (d *Decoder) Err() error { return d.err }

// Foreign returns an error if the file cannot become a record, whatever follows.
func (d *Decoder) Foreign() error {
	if start := bytes.TrimSpace(d.partial); d.run == nil && len(start) > 0 && start[0] != '{' {
		return d.foreign(d.partial)
	}
	return nil
}

// entry reads a line; nil is a line to skip.
func (d *Decoder) entry(line []byte) (Entry, error) {
	if d.run != nil && !d.loads && isLoad(line) {
		return nil, nil
	}
	var head struct {
		Type   string `json:"type"`
		Schema string `json:"schema"`
	}
	err := json.Unmarshal(line, &head)
	if d.run == nil {
		if err != nil || head.Type != "run" {
			return nil, d.foreign(line)
		}
		if err := d.knows(head.Schema); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, d.malformed(line, err)
	}
	e := blank(head.Type)
	if e == nil {
		d.skipped[head.Type]++
		return nil, nil
	}
	if err := json.Unmarshal(line, e); err != nil {
		return nil, d.malformed(line, err)
	}
	if err := d.check(e); err != nil {
		return nil, d.errorAt(1, "%v", err)
	}
	return e, nil
}

// knows refuses a schema of another version.
func (d *Decoder) knows(schema string) error {
	if schema == Schema {
		return nil
	}
	name, version, _ := strings.Cut(schema, "/")
	known, own, _ := strings.Cut(Schema, "/")
	got, err := strconv.Atoi(version)
	if want, _ := strconv.Atoi(own); name == known && err == nil && got > want {
		return d.errorAt(1, "this record has schema %s, written by a newer migbsp; this one reads %s", schema, Schema)
	}
	return d.errorAt(1, "schema is %q, expected %q", schema, Schema)
}

func (d *Decoder) check(e Entry) error {
	switch e := e.(type) {
	case *Run:
		if d.run != nil {
			return errors.New("a second head of a record; a record has one run")
		}
		if err := e.check(); err != nil {
			return fmt.Errorf("run: %w", err)
		}
		d.run = e
	case interface{ check(*Run) error }:
		return e.check(d.run)
	case interface{ check() error }:
		return e.check()
	}
	return nil
}

// foreign returns the error of a file that is not a record.
func (d *Decoder) foreign(line []byte) error {
	shown := line[:min(len(line), 40)]
	return fmt.Errorf("%s:%d:1: %q is not the head of a record of migbsp; expected {\"type\":\"run\",\"schema\":%q, ...}", d.name, max(1, d.line), shown, Schema)
}

// malformed returns a JSON error with its place in the line.
func (d *Decoder) malformed(line []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return d.errorAt(int(syntax.Offset), "%v; expected a whole JSON object in a line", err)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return d.errorAt(int(kind.Offset), "%s is a %s, expected a %s", kind.Field, kind.Value, kind.Type)
	}
	return d.errorAt(1, "%v", err)
}

func (d *Decoder) errorAt(column int, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", d.name, d.line, max(1, column), fmt.Sprintf(format, args...))
}
