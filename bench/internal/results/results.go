// Package results holds the results of benchmark programs: rows as JSON lines, rows of
// several launches merged into one, and tables of them.
package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// Header is the first line of a program's output.
type Header struct {
	frame.Header
	Library string `json:"library"`
	P       int    `json:"p"`
}

// Ours is the Library of our own programs on an engine, as it describes itself.
func Ours(engine string) string {
	name, _, _ := strings.Cut(engine, ",")
	return "migbsp " + name
}

// Row is one measure on P processes. Times are microseconds per superstep,
// minimum and median over batches; Bytes and Ops count what one superstep of
// the busiest process moves and calls.
type Row struct {
	Measure  string  `json:"measure"`
	P        int     `json:"p"`
	MinUS    float64 `json:"min_us"`
	MedianUS float64 `json:"median_us"`
	Bytes    int64   `json:"bytes"`
	Ops      int64   `json:"ops"`
	GBPerS   float64 `json:"gb_per_s,omitempty"` // of large transfers
}

// Skip is a measure that was left out, and why.
type Skip struct {
	Measure string `json:"skipped"`
	P       int    `json:"p"`
	Why     string `json:"why"`
}

// Run is the output of one run.
type Run struct {
	Program, Library string
	P                int
	Rows             []Row
}

// Read takes in the output of one or more runs. Lines that do not begin with
// a brace are a launcher's and are passed over, as are Skips and lines that name no
// number of processes. A row that names
// its library itself belongs to a run of that library.
func Read(r io.Reader) ([]Run, error) {
	var runs []Run
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 || line[0] != '{' {
			continue
		}
		var err error
		if runs, err = readLine(runs, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return runs, lines.Err()
}

func readLine(runs []Run, line []byte) ([]Run, error) {
	var x struct {
		Row
		Program string `json:"program"`
		Library string `json:"library"`
	}
	if err := json.Unmarshal(line, &x); err != nil {
		return nil, err
	}
	run := Run{Program: x.Program, Library: x.Library, P: x.P}
	switch {
	case x.P == 0: // of another program's record
		return runs, nil
	case x.Measure == "" && x.Program != "":
		return append(runs, run), nil
	case x.Measure == "":
		return runs, nil
	case x.Library != "" && (len(runs) == 0 || !runs[len(runs)-1].goesOn(run)), len(runs) == 0:
		runs = append(runs, run)
	}
	last := &runs[len(runs)-1]
	last.Rows = append(last.Rows, x.Row)
	return runs, nil
}

// goesOn reports whether a row that names its library belongs to this run.
func (r *Run) goesOn(row Run) bool {
	return r.Program == row.Program && r.Library == row.Library && r.P == row.P
}
