package record

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
)

// Replay is the workload of a run that was recorded. The work of processes is taken to be
// the same on any host, but for its speed; supersteps that the record has added up are
// all like their mean.
type Replay struct {
	Run ledger.Run // the head of the record

	name   string
	blocks []block
	order  []int32   // block of each superstep
	state  []float64 // bytes, at first
	steps  int       // in all
	said   int       // of the run by its end, 0 if that is missing
	size   string    // of the program's problem, "" if not recorded
}

// block is one superstep, and the number of supersteps like it.
type block struct {
	first, last, count int
	step               sim.Step
}

// Processes implements sim.Workload, as do Steps, State and Fill.
func (r *Replay) Processes() int        { return r.Run.Procs }
func (r *Replay) Steps() int            { return len(r.order) }
func (r *Replay) State(pid int) float64 { return r.state[pid] }

func (r *Replay) Fill(step int, s *sim.Step) error {
	from := &r.blocks[r.order[step]].step
	copy(s.Work, from.Work)
	s.Messages = append(s.Messages, from.Messages...)
	s.Over, s.State, s.Site = from.Over, from.State, from.Site
	return nil
}

// Of returns the program that the recorded run was of, and the size of its problem, "" if the
// record has none. A record of a simulation has the program that was simulated.
func (r *Replay) Of() (program, size string) { return cmp.Or(r.Run.Recorded, r.Run.Program), r.size }

// Hosts returns the host of each process at first.
func (r *Replay) Hosts() []string {
	var names []string
	for _, rank := range r.Run.Mapping.Where() {
		names = append(names, r.Run.Ranks[rank].Host)
	}
	return names
}

// Warnings returns the limits of the results, for their readers.
func (r *Replay) Warnings() []string {
	var all []string
	longest := 0
	for _, b := range r.blocks {
		longest = max(longest, b.count)
	}
	if longest > 1 {
		all = append(all, fmt.Sprintf("%s has up to %d supersteps added up: each is taken for their mean, in which work is more even than it was", r.name, longest))
	}
	switch {
	case r.said == 0:
		all = append(all, fmt.Sprintf("%s has no end: the run went on after superstep %d, or was killed", r.name, len(r.order)))
	case r.said > len(r.order):
		all = append(all, fmt.Sprintf("%s says what processes do in %d of %d supersteps", r.name, len(r.order), r.said))
	}
	if r.Run.Restarted != "" {
		all = append(all, fmt.Sprintf("%s begins at %s, where the run was restarted", r.name, r.Run.Restarted))
	}
	return all
}

// arrange sorts supersteps. The supersteps of a block are spread evenly from its first to its last.
func (r *Replay) arrange() {
	type place struct {
		at    float64
		block int32
	}
	var all []place
	for i, b := range r.blocks {
		apart := 0.0
		if b.count > 1 {
			apart = float64(b.last-b.first) / float64(b.count-1)
		}
		for k := range b.count {
			all = append(all, place{float64(b.first) + apart*float64(k), int32(i)})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	r.order = make([]int32, len(all))
	for i, p := range all {
		r.order[i] = p.block
	}
}
