package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
)

// comparison is all that was measured with one number of processes.
type comparison struct {
	procs, rounds int
	transport     *transport
	idle          idleness
	ours, others  []*contender
	missing       []string // peers that do not take part, and why
}

// slower is the ratio above which ours counts as slower, and its inverse is the ratio below which
// it counts as faster; ratios in between may be noise.
const slower = 1.15

// shifted ends the names of measures whose target begins at element 1. The table has them in
// a column, on the line of the same measure at element 0.
const shifted = "_at1"

// measures returns the measures of our contenders, in their order, without the shifted ones.
func (c *comparison) measures() (names []string) {
	for _, o := range c.ours {
		for _, row := range o.merged.Rows() {
			if row.P == c.procs && !strings.HasSuffix(row.Measure, shifted) && !slices.Contains(names, row.Measure) {
				names = append(names, row.Measure)
			}
		}
	}
	return names
}

// standIns name the measures that libraries without a certain operation have instead.
var standIns = []struct {
	measure *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`^(?:hp)?(?:put|get)_(\d+MiB)$`), "oneway_$1"},
	{regexp.MustCompile(`^(?:hp)?(?:put|get)2_(\d+MiB)$`), "bothways_$1"},
	{regexp.MustCompile(`^(?:put|get|send)8_(\d+)(?:_.*)?$`), "words_$1"},
	{regexp.MustCompile(`^halo_(\d+KiB)_.*$`), "halo_$1"},
	{regexp.MustCompile(`^(alltoall_\d+KiB)_put$`), "$1"},
	{regexp.MustCompile(`^(alltoall_\d+KiB)$`), "${1}_put"},
	{regexp.MustCompile(`^move_(\d+MiB)$`), "send_$1"},
}

// candidates returns the names under which others may have a measure, the most similar first: its
// own, its name without the kind of memory, and the name of its replacement written by hand or made
// of puts. A shifted measure may be replaced by the measure at element 0.
func candidates(measure string) []string {
	if at0, ok := strings.CutSuffix(measure, shifted); ok {
		names := []string{measure}
		if plain := strings.TrimSuffix(at0, "_heap"); plain != at0 {
			names = append(names, plain+shifted)
		}
		return append(names, candidates(at0)...)
	}
	plain := strings.TrimSuffix(strings.TrimSuffix(measure, "_heap"), "_alloc")
	names := []string{measure}
	if plain != measure {
		names = append(names, plain)
	}
	for _, s := range standIns {
		if s.measure.MatchString(plain) {
			names = append(names, s.measure.ReplaceAllString(plain, s.by))
		}
	}
	return names
}

// find returns a contender's row of a measure, or of its replacement.
func (o *contender) find(measure string, procs int) (results.Row, bool) {
	for _, name := range candidates(measure) {
		if row, ok := o.merged.Find(name, procs); ok {
			return row, true
		}
	}
	return results.Row{}, false
}

// best returns the contender other than ours with the least median; it is nil if no other has measured
// this, or only a fitted parameter that is lost in the noise.
func (c *comparison) best(measure string) (best *contender, median float64) {
	for _, other := range c.others {
		row, ok := other.find(measure, c.procs)
		if ok && row.MinUS > 0 && row.MedianUS > 0 && (best == nil || row.MedianUS < median) {
			best, median = other, row.MedianUS
		}
	}
	return best, median
}

// ratio returns the median time of ours over the median time of the best of the others.
func (c *comparison) ratio(measure string, ours *contender) (ratio float64, ok bool) {
	our, ok := ours.merged.Find(measure, c.procs)
	best, median := c.best(measure)
	if !ok || best == nil || our.MinUS <= 0 || our.MedianUS <= 0 {
		return 0, false
	}
	return our.MedianUS / median, true
}

// table puts all side by side.
func (c *comparison) table() frame.Table {
	t := frame.Table{Part: "compare-" + c.transport.name, Title: c.title(), Header: []string{"measure"}, Text: []int{0}}
	for i := range c.ours {
		t.Header = append(t.Header, c.ourName(i))
	}
	for _, o := range c.others {
		if o.left == "" {
			t.Header = append(t.Header, o.name)
		}
	}
	t.Text = append(t.Text, len(t.Header))
	t.Header = append(t.Header, "best of them")
	for i := range c.ours {
		t.Header = append(t.Header, c.letter(i)+"ratio")
	}
	if c.shifts() {
		for i := range c.ours {
			t.Header = append(t.Header, c.letter(i)+"at +8")
		}
	}
	for _, measure := range c.measures() {
		t.Add(c.cells(measure)...)
	}
	t.Notes = append([]string{""}, c.summary()...)
	return t
}

func (c *comparison) title() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s, %s.\n", count(c.procs, "process"), count(machineCores, "core"), c.transport.describe())
	fmt.Fprintf(&b, "Microseconds of a superstep, best/median, of %s in turns. ratio = median of ours /\n", count(c.rounds, "launch"))
	fmt.Fprintf(&b, "median of the best of the others: below 1 ours is faster, \"!\" marks where it is above %.2f.", slower)
	if c.shifts() {
		fmt.Fprint(&b, "\nat +8 = the same ratio with a target 8 bytes further on, as behind a ghost cell.")
	}
	for i, o := range c.ours {
		fmt.Fprintf(&b, "\n %s: ours, %s, %s.", c.ourName(i), o.library, c.places(o))
	}
	for _, o := range c.others {
		switch {
		case o.file != "":
			fmt.Fprintf(&b, "\n %s: from %s, measured at another time.", o.name, o.file)
		case o.left != "":
			fmt.Fprintf(&b, "\n LEFT OUT: %s: %s.", o.name, o.left)
		}
	}
	for _, why := range c.missing {
		fmt.Fprintf(&b, "\n MISSING: %s.", why)
	}
	return b.String() + c.idle.title() + "\n"
}

// places returns the number of ranks and nodes of one of our contenders, as text.
func (c *comparison) places(o *contender) string {
	ranks := cmp.Or(o.ranks, c.procs)
	if o.launcher == "" {
		return count(ranks, "rank") + " of one program"
	}
	return count(ranks, "rank") + ", " + c.transport.nodes(ranks, o.nodeSize)
}

// letter distinguishes several of ours in narrow columns.
func (c *comparison) letter(i int) string {
	if len(c.ours) == 1 {
		return ""
	}
	return string(rune('a'+i)) + " "
}

func (c *comparison) ourName(i int) string { return c.letter(i) + c.ours[i].name }

func (c *comparison) cells(measure string) []string {
	row := []string{measure}
	for _, o := range slices.Concat(c.ours, c.others) {
		if o.left == "" {
			row = append(row, c.cell(measure, o))
		}
	}
	best, _ := c.best(measure)
	if best == nil {
		row = append(row, "-")
	} else {
		row = append(row, best.name)
	}
	for _, our := range c.ours {
		row = append(row, c.ratioCell(measure, our))
	}
	if c.shifts() {
		for _, our := range c.ours {
			row = append(row, c.ratioCell(measure+shifted, our))
		}
	}
	return row
}

// shifts reports whether one of ours has taken shifted measures.
func (c *comparison) shifts() bool {
	return slices.ContainsFunc(c.ours, func(o *contender) bool {
		return slices.ContainsFunc(o.merged.Rows(), func(r results.Row) bool {
			return r.P == c.procs && strings.HasSuffix(r.Measure, shifted)
		})
	})
}

func (c *comparison) ratioCell(measure string, our *contender) string {
	ratio, ok := c.ratio(measure, our)
	switch {
	case !ok:
		return "-"
	case ratio > slower:
		return results.Digits(ratio) + " !"
	default:
		return results.Digits(ratio)
	}
}

// cell returns the best and the median time, in microseconds.
func (c *comparison) cell(measure string, o *contender) string {
	row, ok := o.find(measure, c.procs)
	if !ok {
		return "-"
	}
	return results.Digits(row.MinUS) + "/" + results.Digits(row.MedianUS)
}

// summary counts for each of ours.
func (c *comparison) summary() (notes []string) {
	for _, our := range c.ours {
		faster, slow, all := 0, 0, 0
		for _, measure := range c.measures() {
			ratio, ok := c.ratio(measure, our)
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
		notes = append(notes, fmt.Sprintf("%s against the best of the others: of %d measures %d faster, %d within 15%%, %d slower.",
			our.name, all, faster, all-faster-slow, slow))
	}
	return notes
}
