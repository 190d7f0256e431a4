// Package results holds the results of benchmark programs: rows as JSON lines, rows of
// several launches merged into one, and tables of them.
package results

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// Header is the first line of a program's output.
type Header struct {
	frame.Header
	Library string `json:"library"`
	P       int    `json:"p"`
}

// Ours returns the Library of our own programs on an engine, as it describes itself.
func Ours(engine string) string {
	name, _, _ := strings.Cut(engine, ",")
	return "migbsp " + name
}

// Row is one measure on P processes. Times are microseconds per superstep, minimum and median over
// batches; Bytes and Ops count the bytes and calls of the busiest process in one superstep.
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

// Read parses the output of one or more runs. Lines that do not begin with a brace are a launcher's
// and are ignored, as are Skips and lines without a number of processes. A row that names its
// library itself belongs to a run of that library.
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

// Merged puts the rows of several launches together. The zero Merged is empty.
type Merged struct {
	order []key
	rows  map[key][]Row
}

type key struct {
	measure string
	p       int
}

// Add adds the rows of one launch.
func (m *Merged) Add(rows ...Row) {
	if m.rows == nil {
		m.rows = make(map[key][]Row)
	}
	for _, r := range rows {
		k := key{r.Measure, r.P}
		if m.rows[k] == nil {
			m.order = append(m.order, k)
		}
		m.rows[k] = append(m.rows[k], r)
	}
}

// Rows has one row for each measure and number of processes, in the order of
// their first appearance.
func (m *Merged) Rows() []Row {
	return frame.Each(m.order, func(k key) Row { return merge(m.rows[k]) })
}

// Find returns the merged row of a measure.
func (m *Merged) Find(measure string, p int) (Row, bool) {
	rows := m.rows[key{measure, p}]
	if len(rows) == 0 {
		return Row{}, false
	}
	return merge(rows), true
}

// Minima returns the minima of a measure in each launch, in microseconds.
func (m *Merged) Minima(measure string, p int) []float64 {
	return frame.Each(m.rows[key{measure, p}], func(r Row) float64 { return r.MinUS })
}

// merge gives the row with the smallest minimum the median of all medians.
func merge(rows []Row) Row {
	best := slices.MinFunc(rows, func(a, b Row) int { return cmp.Compare(a.MinUS, b.MinUS) })
	best.MedianUS = frame.Median(frame.Each(rows, func(r Row) float64 { return r.MedianUS }))
	return best
}

// Micros prints a time in microseconds with three digits and a unit.
func Micros(us float64) string {
	x, unit := us*1000, "ns"
	for _, u := range []string{"us", "ms", "s"} {
		if x < 999.5 && x > -999.5 {
			break
		}
		x, unit = x/1000, u
	}
	return Digits(x) + " " + unit
}

// Digits prints a number with at least three digits.
func Digits(x float64) string {
	decimals := 0
	switch a := max(x, -x); {
	case a < 9.995:
		decimals = 2
	case a < 99.95:
		decimals = 1
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Large is the minimum size in bytes of transfers that are judged by bandwidth.
const Large = 1 << 20

// Rate returns the rate of a row's fastest batch: bandwidth or operations.
func (r Row) Rate() string {
	switch {
	case r.Bytes >= Large:
		return Digits(float64(r.Bytes)/r.MinUS/1e3) + " GB/s"
	case r.Ops > 0:
		return Digits(float64(r.Ops)/r.MinUS) + " M/s"
	default:
		return ""
	}
}
