package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/migbsp/migbsp/ledger"
)

// Machine finds g and l, which stand in the last line of a record; nil if they
// are not known.
func Machine(name string) *ledger.Machine {
	f, err := ledger.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var last struct {
		Type string
		ledger.End
	}
	if json.Unmarshal(lastLine(f), &last) != nil || last.Type != "end" {
		return nil
	}
	return last.Machine
}

// lastLine returns the last whole line of r, as far as it can be read; nil if it is
// longer than the end of a record can be.
func lastLine(r io.Reader) []byte {
	const most = 1 << 20
	var last, line []byte
	b := bufio.NewReaderSize(r, 1<<16)
	for {
		part, err := b.ReadSlice('\n')
		if len(line) < most {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			last, line = line, last[:0]
		case !errors.Is(err, bufio.ErrBufferFull):
			return last
		}
	}
}

// source is a reader that remembers how it began and why it ended.
type source struct {
	r     io.Reader
	start []byte
	err   error // other than io.EOF
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	const most = 40
	n, err := s.r.Read(p)
	if room := most - len(s.start); room > 0 {
		s.start = append(s.start, p[:min(n, room)]...)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// foreign reports whether this cannot become a record, whatever follows.
func (s *source) foreign() bool {
	start := bytes.TrimSpace(s.start)
	return len(start) > 0 && start[0] != '{'
}
