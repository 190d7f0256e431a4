package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/untrusted"
)

// A Decoder reads the entries of a record one by one. It can follow a record that is still
// being written.
type Decoder struct {
	name      string
	r         *bufio.Reader
	line      int    // of the last entry
	partial   []byte // of a line whose end is not there yet
	skipping  bool   // the line is a Load that the caller does not use
	truncated bool   // the packed data have no end
	read      int64  // bytes
	err       error  // that ended reading, other than io.EOF
	run       *Run
	ended     bool // an End has been read
	loads     bool
	skipped   Skipped
}

// NewDecoder returns a Decoder that reads a record from r; errors use name as the file's name.
func NewDecoder(name string, r io.Reader) *Decoder {
	return &Decoder{name: name, r: bufio.NewReaderSize(r, 1<<16)}
}

// WithLoads makes Next return Loads too. Loads take as much space as all other entries together, and
// few readers use them.
func (d *Decoder) WithLoads() *Decoder {
	d.loads = true
	return d
}

// Run returns the head of the record, nil before it has been read.
func (d *Decoder) Run() *Run { return d.run }

// Line returns the number of the line of the last entry.
func (d *Decoder) Line() int { return d.line }

// Skipped returns the counts of lines of types that this version does not know.
func (d *Decoder) Skipped() *Skipped { return &d.skipped }

// Skipped counts lines of unknown types. It keeps the first few types only, so that a
// record cannot fill the memory with them.
type Skipped struct {
	kinds  []string // cut to a few characters
	lines  []int
	others int // lines of other types
}

// add counts a line.
func (s *Skipped) add(kind string) {
	const mostKinds, longest = 8, 40
	kind = kind[:min(len(kind), longest)]
	i := slices.Index(s.kinds, kind)
	switch {
	case i >= 0:
		s.lines[i]++
	case len(s.kinds) == mostKinds:
		s.others++
	default:
		s.kinds, s.lines = append(s.kinds, strings.Clone(kind)), append(s.lines, 1)
	}
}

// Messages returns a sentence for each type, and one for the rest.
func (s *Skipped) Messages() (all []string) {
	for i, kind := range s.kinds {
		all = append(all, fmt.Sprintf("%s of type %q skipped: this version does not know them", Count(s.lines[i], "line"), kind))
	}
	if s.others > 0 {
		all = append(all, fmt.Sprintf("%s of further types skipped: this version does not know them", Count(s.others, "line")))
	}
	return all
}

// Partial returns the number of bytes of a last line without an end. The writer may
// be about to complete it, or have been cut off.
func (d *Decoder) Partial() int { return len(d.partial) }

// Next returns the next entry. io.EOF means that the file has no further complete line yet: once the
// file has grown, Next goes on.
//
// Errors contain the position (file:line:column), the text that was read, and the expected text.
// After an error Next goes on with the next line, unless Err returns the error too.
func (d *Decoder) Next() (Entry, error) {
	for {
		if d.err != nil {
			return nil, d.err
		}
		line, err := d.r.ReadSlice('\n')
		d.read += int64(len(line))
		if !d.skipping {
			d.partial = append(d.partial, line...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if err := d.unfinished(); err != nil {
				return nil, err
			}
			continue
		case errors.Is(err, io.ErrUnexpectedEOF):
			d.truncated = true
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, err
		case err != nil:
			d.err = fmt.Errorf("%s:%d: %w", d.name, d.line+1, err)
			return nil, d.err
		}
		line = bytes.TrimSpace(d.partial)
		d.partial, d.skipping = d.partial[:0], false
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

// unfinished checks the beginning of a long line before more of it is kept in memory.
func (d *Decoder) unfinished() error {
	switch {
	case d.Foreign() != nil:
		return d.Foreign()
	case d.run != nil && !d.loads && isLoad(d.partial):
		d.skipping, d.partial = true, d.partial[:len(loadPrefix)]
	case len(d.partial) > LongestLine:
		d.partial = nil
		d.line++
		d.err = d.errorAt(1, "the line has more than %d bytes; expected an entry of a record of migbsp", LongestLine)
	}
	return d.err
}

// Read returns the number of bytes that have been read.
func (d *Decoder) Read() int64 { return d.read }

// Err returns the error that has ended reading, nil if that was io.EOF.
func (d *Decoder) Err() error { return d.err }

// Cut describes a record that ends within an entry, as after a run that was killed, or
// whose packed data have no end; "" for others. Next has returned io.EOF.
func (d *Decoder) Cut() string {
	switch n := len(d.partial); {
	case n == 0 && !d.truncated, d.err != nil, d.Damage() != nil:
		return ""
	case n == 0 && d.ended:
		return fmt.Sprintf("%s: the gzip data have no end; the record is complete", d.name)
	case n == 0:
		return fmt.Sprintf("%s: the gzip data end after line %d; the rest of the record is missing", d.name, d.line)
	default:
		return fmt.Sprintf("%s:%d:%d: the record ends within an entry: the run ended early, or goes on", d.name, d.line+1, n+1)
	}
}

// Damage returns an error if the last line of the file, which has no end, is not the
// beginning of an entry.
func (d *Decoder) Damage() error {
	text := bytes.TrimSpace(d.partial)
	switch {
	case len(text) == 0, d.skipping, d.err != nil:
		return nil
	case d.ended:
		return fmt.Errorf("%s:%d:1: text follows the end of the run", d.name, d.line+1)
	}
	err := json.NewDecoder(bytes.NewReader(text)).Decode(new(json.RawMessage))
	if syntax, is := errors.AsType[*json.SyntaxError](err); is {
		return fmt.Errorf("%s:%d:%d: %w; expected a JSON object", d.name, d.line+1, syntax.Offset, err)
	}
	return nil
}

// Foreign returns an error if no continuation can make the file a record.
func (d *Decoder) Foreign() error {
	const enough = 256
	begin := d.partial[:min(len(d.partial), enough)]
	start := bytes.TrimSpace(begin)
	if foreign := len(start) > 0 && start[0] != '{' || len(start) == 0 && len(begin) == enough; d.run == nil && foreign {
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
	err := untrusted.CheckJSON(line)
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
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
		d.skipped.add(head.Type)
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

// knows rejects a schema of another version.
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
	case *End:
		d.ended = true
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

// malformed returns a JSON error with its position in the line.
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
	// The text may contain parts of the record, as long as a line.
	const longest = 400
	text := fmt.Sprintf(format, args...)
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return fmt.Errorf("%s:%d:%d: %s", d.name, d.line, max(1, column), text)
}
