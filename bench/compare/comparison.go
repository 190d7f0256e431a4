package main

import (
	"fmt"
	"io"

	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/ledger"
)

// comparison is all that was measured.
type comparison struct {
	procs, rounds int
	idle          idleness
	ours, others  []*contender
}

// slower is the ratio above which ours counts as slower, and its inverse that
// below which it counts as faster; what is between may be noise.
const slower = 1.15

// pair is ours beside another on one measure.
type pair struct {
	Ours   string  `json:"ours"`
	Other  string  `json:"other"`
	Min    float64 `json:"min_ratio"`    // ours/other, of the minima
	Median float64 `json:"median_ratio"` // of the medians
	Slower bool    `json:"slower"`
}

// entry is one contender's result.
type entry struct {
	Name     string  `json:"name"`
	Library  string  `json:"library"`
	MinUS    float64 `json:"min_us"`
	MedianUS float64 `json:"median_us"`
}

// line is the comparison of one measure.
type line struct {
	Measure string  `json:"measure"`
	P       int     `json:"p"`
	Ours    []entry `json:"ours"`
	Others  []entry `json:"others"`
	Ratios  []pair  `json:"ratios"`
}

// lines has a line for each measure that one of ours has taken, in that order.
func (c *comparison) lines() []line {
	var lines []line
	seen := make(map[string]bool)
	for _, o := range c.ours {
		for _, row := range o.merged.Rows() {
			if row.P == c.procs && !seen[row.Measure] {
				seen[row.Measure] = true
				lines = append(lines, c.line(row.Measure))
			}
		}
	}
	return lines
}

func (c *comparison) line(measure string) line {
	l := line{Measure: measure, P: c.procs, Ours: []entry{}, Others: []entry{}, Ratios: []pair{}}
	for _, o := range c.ours {
		if row, ok := o.find(measure, c.procs); ok {
			l.Ours = append(l.Ours, entry{o.name, o.library, row.MinUS, row.MedianUS})
		}
	}
	for _, o := range c.others {
		if row, ok := o.find(measure, c.procs); ok {
			l.Others = append(l.Others, entry{o.name, o.library, row.MinUS, row.MedianUS})
		}
	}
	for _, other := range l.Others {
		for _, our := range l.Ours {
			if other.MinUS <= 0 || our.MinUS <= 0 || other.MedianUS <= 0 {
				continue // a fitted parameter that is lost in the noise
			}
			r := our.MinUS / other.MinUS
			l.Ratios = append(l.Ratios, pair{our.Name, other.Name, r, our.MedianUS / other.MedianUS, r > slower})
		}
	}
	return l
}

// find returns a contender's row of a measure. Where it does not tell memory
// from memory, its only row stands for both.
func (o *contender) find(measure string, procs int) (results.Row, bool) {
	row, ok := o.merged.Find(measure, procs)
	if !ok {
		row, ok = o.merged.Find(inC(measure), procs)
	}
	return row, ok
}

func (c *comparison) writeJSON(w io.Writer) error {
	for _, l := range c.lines() {
		if err := results.Write(w, l); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) writeTable(w io.Writer) error {
	c.writeTitle(w)
	var cells [][]string
	lines := c.lines()
	for _, l := range lines {
		cells = append(cells, c.cells(l))
	}
	if err := ledger.WriteRows(w, c.header(), cells, 0); err != nil {
		return err
	}
	c.writeSummary(w, lines)
	return nil
}

func (c *comparison) writeTitle(w io.Writer) {
	fmt.Fprintf(w, "\n%d processes, best of %d launches. ratio = time of ours / time of theirs: below 1 ours is faster;\n", c.procs, c.rounds)
	fmt.Fprintf(w, "\"!\" marks ratios above %.2f. r, g and l are times too: of two axpys, a word, an empty superstep.\n", slower)
	for i, o := range c.ours {
		fmt.Fprintf(w, "  %s: ours, %s\n", c.ourName(i), o.library)
	}
	for _, o := range c.others {
		if o.file != "" {
			fmt.Fprintf(w, "  %s: from %s, measured at another time\n", o.name, o.file)
		}
	}
	c.idle.write(w)
	fmt.Fprintln(w)
}

// letter tells several of ours apart where there is little room.
func (c *comparison) letter(i int) string {
	if len(c.ours) == 1 {
		return ""
	}
	return string(rune('a'+i)) + " "
}

func (c *comparison) ourName(i int) string { return c.letter(i) + c.ours[i].name }

func (c *comparison) header() []string {
	h := []string{"measure"}
	for i := range c.ours {
		h = append(h, c.ourName(i))
	}
	for _, other := range c.others {
		h = append(h, other.name)
		for i := range c.ours {
			h = append(h, c.letter(i)+"ratio", "")
		}
	}
	return h
}

func (c *comparison) cells(l line) []string {
	row := []string{l.Measure}
	for _, o := range c.ours {
		row = append(row, cell(l.Ours, o.name))
	}
	for _, other := range c.others {
		row = append(row, cell(l.Others, other.name))
		for _, our := range c.ours {
			ratio, flag := "-", ""
			if p, ok := l.pair(our.name, other.name); ok {
				ratio = results.Digits(p.Min)
				if p.Slower {
					flag = "!"
				}
			}
			row = append(row, ratio, flag)
		}
	}
	return row
}

func cell(entries []entry, name string) string {
	for _, e := range entries {
		if e.Name == name {
			return results.Micros(e.MinUS)
		}
	}
	return "-"
}

func (l *line) pair(ours, other string) (pair, bool) {
	for _, p := range l.Ratios {
		if p.Ours == ours && p.Other == other {
			return p, true
		}
	}
	return pair{}, false
}

// writeSummary counts for each pair of contenders.
func (c *comparison) writeSummary(w io.Writer, lines []line) {
	fmt.Fprintln(w)
	for _, other := range c.others {
		for _, our := range c.ours {
			faster, slow, all := 0, 0, 0
			for _, l := range lines {
				p, ok := l.pair(our.name, other.name)
				if !ok {
					continue
				}
				all++
				if p.Slower {
					slow++
				} else if p.Min < 1/slower {
					faster++
				}
			}
			fmt.Fprintf(w, " %s against %s: of %d measures %d faster, %d within 15%%, %d slower.\n",
				our.name, other.name, all, faster, all-faster-slow, slow)
		}
	}
}
