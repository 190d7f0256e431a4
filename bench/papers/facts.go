package main

import (
	"fmt"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
)

// fact is a statement of a paper on what moved: so many of some processes to a Set in
// the call after a superstep; with count 0, that nothing did in the whole run.
type fact struct {
	cell        *cell
	spec        string
	step        int
	first, last int // processes, from 1
	count       int
	to          string
	about       string
}

// facts prints which statements come out the same, and what came out instead of others.
func facts(session *frame.Session, part string, all []fact) {
	var rows [][]string
	same := 0
	for i := range all {
		f := &all[i]
		verdict, here := f.check()
		if verdict == "yes" {
			same++
		}
		said := f.about
		if f.count > 0 {
			said = fmt.Sprintf("%s to %s at superstep %d", f.about, f.to, f.step)
		}
		rows = append(rows, []string{f.cell.name, said, verdict, here})
	}
	session.Table(frame.Table{
		Part: part, Title: "What the paper says that moved, and what moves here", Header: []string{"experiment", "published", "reproduced", "here"}, Rows: rows, Text: []int{0, 1, 2, 3},
		Notes: []string{fmt.Sprintf("%d of %d statements are reproduced, the others as far as the last column says.", same, len(all))},
	})
}

// check compares the statement with the run.
func (f *fact) check() (reproduced, here string) {
	t := f.cell.moves[f.spec]
	if f.count == 0 {
		if t.Moves == 0 {
			return "yes", "nothing moves"
		}
		return "no", fmt.Sprintf("%d moves, which save %s", t.Moves, percent(f.cell.saved(f.spec)))
	}
	moved, when := 0, 0
	for i := range t.calls {
		n := f.moved(&t.calls[i])
		if n > 0 && (moved == 0 || t.calls[i].Step == f.step) {
			moved, when = n, t.calls[i].Step
		}
	}
	switch {
	case moved > 0 && when == f.step && moved == f.count:
		return "yes", ""
	case moved > 0 && when == f.step:
		return "in part", fmt.Sprintf("%d of them", moved)
	case moved == f.count:
		return "later or sooner", fmt.Sprintf("at superstep %d", when)
	case moved > 0:
		return "in part", fmt.Sprintf("%d of them at superstep %d", moved, when)
	}
	return "no", f.why(t)
}

// moved counts those of the statement that move in a call as it says.
func (f *fact) moved(d *rebalancer.Decision) int {
	n := 0
	for _, m := range d.Moves {
		if m.Pid+1 >= f.first && m.Pid+1 <= f.last && f.setOf(m.To) == f.to {
			n++
		}
	}
	return n
}

func (f *fact) setOf(host int) string {
	p := f.cell.config.Platform
	return p.Sets[p.Hosts[host].Set].Name
}

// why is what kept the processes at the call that comes closest to the statement's.
func (f *fact) why(t *trial) string {
	var closest *rebalancer.Decision
	for i := range t.calls {
		if d := &t.calls[i]; closest == nil || distance(d.Step, f.step) < distance(closest.Step, f.step) {
			closest = d
		}
	}
	if closest == nil {
		return "no call"
	}
	var top *rebalancer.Verdict
	for i := range closest.Verdicts {
		v := &closest.Verdicts[i]
		if v.Pid+1 >= f.first && v.Pid+1 <= f.last && (top == nil || v.Potential.PM() > top.Potential.PM()) {
			top = v
		}
	}
	if top == nil {
		return fmt.Sprintf("superstep %d: none of them is a candidate", closest.Step)
	}
	return fmt.Sprintf("superstep %d, process %d: %s", closest.Step, top.Pid+1, top.Rule)
}

func distance(a, b int) int { return max(a-b, b-a) }
