package frame

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// Header is the first line of a record: the program, the machine and the time.
type Header struct {
	Program string    `json:"program"`
	Command []string  `json:"command,omitempty"` // its arguments
	Version string    `json:"version,omitempty"` // of this module, and its commit where that is known
	Machine string    `json:"machine,omitempty"`
	Date    time.Time `json:"date,omitzero"`
}

// NewHeader returns the header of a program that starts on this machine.
func NewHeader(program string, command []string) Header {
	build := ledger.ThisBuild()
	return Header{
		Program: program, Command: command, Version: strings.TrimSpace(build.Version + " " + build.String()),
		Machine: machine(),
		Date:    time.Now().UTC().Truncate(time.Second),
	}
}

// processor returns the model that Linux names, "" elsewhere.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Measure is a line of a record: a quantity that was measured several times.
type Measure struct {
	Of      string    `json:"of"`      // the subject
	Measure string    `json:"measure"` // the quantity
	Unit    string    `json:"unit,omitempty"`
	Samples []float64 `json:"samples"` // in the order of the rounds

	// Center and Interval are from the samples' Summary.
	Center   float64     `json:"median"`
	Interval *[2]float64 `json:"interval_95,omitempty"`
}

// WriteLine writes a line of a record, as JSON.
func WriteLine(w io.Writer, line any) error { return json.NewEncoder(w).Encode(line) }

// record writes lines: JSON to stdout and a file, samples as CSV to another file.
type record struct {
	lines []io.Writer
	sheet *csv.Writer // nil without -csv
	files []*os.File
}

// openRecord opens the files of -json, -o and -csv, and writes the header.
func (s *Session) openRecord() error {
	if s.json {
		s.record.lines = append(s.record.lines, s.out)
	}
	for _, name := range []string{s.recordFile, s.csvFile} {
		if name == "" {
			continue
		}
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		s.record.files = append(s.record.files, f)
		if name == s.recordFile {
			s.record.lines = append(s.record.lines, f)
		} else {
			s.record.sheet = csv.NewWriter(f)
			s.record.sheet.Write([]string{"of", "measure", "unit", "round", "value"})
		}
	}
	if len(s.record.lines) > 0 {
		s.Line(NewHeader(s.name, s.args))
	}
	return nil
}

// Record enters the samples of a quantity into the record, in the order of the rounds,
// and returns their median.
func (s *Session) Record(of, measure, unit string, samples ...float64) Summary {
	m := Summarise(samples)
	s.Line(Measure{of, measure, unit, samples, m.Center, m.Interval})
	if sheet := s.record.sheet; sheet != nil {
		for round, x := range samples {
			sheet.Write([]string{of, measure, unit, strconv.Itoa(round + 1), strconv.FormatFloat(x, 'g', -1, 64)})
		}
		sheet.Flush()
		s.keep(sheet.Error())
	}
	return m
}

// Line enters a line of another form into the JSON record.
func (s *Session) Line(line any) {
	for _, w := range s.record.lines {
		s.keep(WriteLine(w, line))
	}
}
