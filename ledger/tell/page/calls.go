package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

const (
	// maxCalls bounds the table of calls, maxReasons the verdicts of all calls shown in
	// detail together, maxVerdicts the verdicts of a table.
	maxCalls    = 300
	maxReasons  = 6000
	maxDetailed = 64
	maxVerdicts = 32
)

// callsSection is the part of a page on rescheduling.
type callsSection struct {
	Sum     *ledger.Calls
	Rows    []callRow
	Note    string // on calls that are left out
	Scatter template.HTML
	Detail  []callDetail
}

// callRow is a call in the table.
type callRow struct {
	*ledger.Call
	Test, Why string
	Detailed  bool
}

// callDetail is a call with its potentials and reasons.
type callDetail struct {
	*ledger.Call
	Head     string
	Open     bool
	Cloud    []template.HTML
	Region   string // describes the border in the planes, or the reason for its absence
	Drawn    bool   // the border
	Verdicts []ledger.Verdict
	Note     string // on verdicts that are left out
	Moves    []ledger.Move
}

func newCalls(v *tell.View) callsSection {
	s := callsSection{Sum: v.Account.Calls(), Scatter: scatter("scatter", v)}
	detailed := worthDetail(v.Record.Calls)
	shown := pick(len(v.Record.Calls), maxCalls, func(i int) bool { return v.Record.Calls[i].Moved > 0 })
	if len(shown) < len(v.Record.Calls) {
		s.Note = fmt.Sprintf("%d of %d calls: those that moved processes first, then the earliest.", len(shown), len(v.Record.Calls))
	}
	for _, i := range shown {
		c := &v.Record.Calls[i]
		s.Rows = append(s.Rows, callRow{c, deviationTest(c), callWords(c), detailed[i]})
	}
	open := false
	for i := range v.Record.Calls {
		if detailed[i] {
			d := newCallDetail(v, &v.Record.Calls[i])
			d.Open = !open && d.Moved > 0
			open = open || d.Open
			s.Detail = append(s.Detail, d)
		}
	}
	if !open && len(s.Detail) > 0 {
		s.Detail[0].Open = true
	}
	return s
}

// pick chooses at most most of n things, wanted ones first, and returns them in their
// order.
func pick(n, most int, wanted func(int) bool) []int {
	var first, second []int
	for i := range n {
		if wanted(i) {
			first = append(first, i)
		} else {
			second = append(second, i)
		}
	}
	all := append(first, second...)
	all = all[:min(most, len(all))]
	slices.Sort(all)
	return all
}

// worthDetail chooses the calls whose potentials and reasons are shown, within maxReasons:
// calls with moves first.
func worthDetail(calls []ledger.Call) map[int]bool {
	all, room := make(map[int]bool), maxReasons
	for _, moving := range []bool{true, false} {
		for i := range calls {
			n := len(calls[i].Verdicts)
			if (calls[i].Moved > 0) == moving && n > 0 && n <= room && len(all) < maxDetailed {
				all[i] = true
				room -= n
			}
		}
	}
	return all
}

func newCallDetail(v *tell.View, c *ledger.Call) callDetail {
	d := callDetail{Call: c, Moves: c.Moves[:min(maxVerdicts, len(c.Moves))]}
	d.Head = fmt.Sprintf("Call %d after superstep %d: ", c.Number, c.Step)
	if c.Moved > 0 {
		d.Head += ledger.Count(c.Moved, "process") + " moved"
	} else {
		d.Head += "nothing moved"
	}
	r, words := regionWords(v.Account.Run().Strategy, c)
	d.Region, d.Drawn = words, r != nil
	d.Cloud = cloud(c, r)
	d.Verdicts = slices.Clone(c.Verdicts)
	slices.SortStableFunc(d.Verdicts, func(a, b ledger.Verdict) int {
		if a.Moves != b.Moves {
			if a.Moves {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.PM(), a.PM())
	})
	d.Verdicts = d.Verdicts[:min(maxVerdicts, len(d.Verdicts))]
	if n := len(d.Verdicts); n < c.Considered {
		d.Note = fmt.Sprintf("%d of %d processes: those that moved, and the largest potentials.", n, c.Considered)
	}
	return d
}

// deviationTest reports whether the call found all ranks' times within D of the
// mean.
func deviationTest(c *ledger.Call) string {
	if c.Balanced {
		return fmt.Sprintf("yes, D %.3g", c.D)
	}
	return fmt.Sprintf("no, D %.3g", c.D)
}

// callWords returns the reason why no process moved, or the outcome of the moves.
func callWords(c *ledger.Call) string {
	o := c.Outcome
	switch {
	case c.Moved == 0:
		return cmp.Or(strings.TrimSpace(c.Kept), "no reason is recorded")
	case o == nil:
		return "not judged: too few supersteps came after"
	case !o.Sure:
		return fmt.Sprintf("seen for %s, too few to be sure", ledger.Count(o.Steps, "superstep"))
	case o.Realised > o.Cost:
		return "paid: saved more than it cost"
	default:
		return "did not pay: cost more than it saved"
	}
}
