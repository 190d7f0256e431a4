package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
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

// measures are those that one of ours has taken, in that order.
func (c *comparison) measures() (names []string) {
	for _, o := range c.ours {
		for _, row := range o.merged.Rows() {
			if row.P == c.procs && !slices.Contains(names, row.Measure) {
				names = append(names, row.Measure)
			}
		}
	}
	return names
}

// ratio is the time of ours over that of another on a measure, of the minima.
func (c *comparison) ratio(measure string, ours, other *contender) (ratio float64, ok bool) {
	our, ok := ours.find(measure, c.procs)
	its, found := other.find(measure, c.procs)
	if !ok || !found || our.MinUS <= 0 || its.MinUS <= 0 || its.MedianUS <= 0 {
		return 0, false // not measured, or a fitted parameter that is lost in the noise
	}
	return our.MinUS / its.MinUS, true
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

// table puts all side by side.
func (c *comparison) table() frame.Table {
	t := frame.Table{Part: "primitives", Title: c.title(), Header: c.header(), Text: []int{0}}
	for _, measure := range c.measures() {
		t.Add(c.cells(measure)...)
	}
	t.Notes = append([]string{""}, c.summary()...)
	return t
}

func (c *comparison) title() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d processes, best of %d launches. ratio = time of ours / time of theirs: below 1 ours is faster;\n", c.procs, c.rounds)
	fmt.Fprintf(&b, "\"!\" marks ratios above %.2f. r, g and l are times too: of two axpys, a word, an empty superstep.", slower)
	for i, o := range c.ours {
		fmt.Fprintf(&b, "\n %s: ours, %s", c.ourName(i), o.library)
	}
	for _, o := range c.others {
		if o.file != "" {
			fmt.Fprintf(&b, "\n %s: from %s, measured at another time", o.name, o.file)
		}
	}
	return b.String() + c.idle.title() + "\n"
}

// letter distinguishes several of ours where there is little room.
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

func (c *comparison) cells(measure string) []string {
	row := []string{measure}
	for _, o := range c.ours {
		row = append(row, c.cell(measure, o))
	}
	for _, other := range c.others {
		row = append(row, c.cell(measure, other))
		for _, our := range c.ours {
			ratio, ok := c.ratio(measure, our, other)
			switch {
			case !ok:
				row = append(row, "-", "")
			case ratio > slower:
				row = append(row, results.Digits(ratio), "!")
			default:
				row = append(row, results.Digits(ratio), "")
			}
		}
	}
	return row
}

func (c *comparison) cell(measure string, o *contender) string {
	row, ok := o.find(measure, c.procs)
	if !ok {
		return "-"
	}
	return results.Micros(row.MinUS)
}

// summary counts for each pair of contenders.
func (c *comparison) summary() (notes []string) {
	for _, other := range c.others {
		for _, our := range c.ours {
			faster, slow, all := 0, 0, 0
			for _, measure := range c.measures() {
				ratio, ok := c.ratio(measure, our, other)
				switch {
				case !ok:
					continue
				case ratio > slower:
					slow++
				case ratio < 1/slower:
					faster++
				}
				all++
			}
			notes = append(notes, fmt.Sprintf("%s against %s: of %d measures %d faster, %d within 15%%, %d slower.",
				our.name, other.name, all, faster, all-faster-slow, slow))
		}
	}
	return notes
}
