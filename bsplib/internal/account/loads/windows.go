// Package loads gathers, where a record is written, what processes do: work and traffic, added
// up over windows of supersteps by the site at which these end, and now and then the bytes of
// their states. Each rank's Recorder writes it down; rank 0's Windows make entries of what all
// ranks have written.
//
// All ranks have the same windows: rank 0 says with each shipment how wide the next ones are. A
// window goes to rank 0, encoded, with the shipment after its end.
package loads

import (
	"math"

	"github.com/migbsp/migbsp/ledger"
)

// Windows are those of all ranks, on rank 0.
type Windows struct {
	*ledger.LoadWindow
	arrived  []Shipment // what is not yet entered, by rank
	ends     []int64    // of windows not yet entered
	old      int        // ends of earlier shipments
	siteName func(site int64) string
}

// NewWindows makes those of a run; siteName names a site that a Recorder was told.
func NewWindows(procs int, siteName func(site int64) string) *Windows {
	return &Windows{LoadWindow: ledger.NewLoadWindow(procs), siteName: siteName}
}

// Arrive takes what a rank has shipped, from rank 0 on. The first that has windows says where
// they end.
func (all *Windows) Arrive(rank int, s Shipment) {
	if rank == 0 {
		all.arrived, all.old = all.arrived[:0], len(all.ends)
	}
	all.arrived = append(all.arrived, s)
	if len(all.ends) == all.old {
		all.ends = append(all.ends, s.Ends...)
	}
}

// EndsWith reports whether the superstep is the last of the window that is entered next.
func (all *Windows) EndsWith(step int) bool {
	return all != nil && len(all.ends) > 0 && step+1 >= int(all.ends[0])
}

// Close enters the window whose supersteps have been entered. whole says that rank 0 has no
// window open.
func (all *Windows) Close(whole bool, enter func(*ledger.Load)) {
	end := int(all.ends[0])
	if all.ends = all.ends[1:]; len(all.ends) == 0 && whole {
		end = math.MaxInt // of a window that was to be longer
	}
	all.fill(end)
	all.LoadWindow.Close(enter)
}

// Fill takes what there is of the next window.
func (all *Windows) Fill() { all.fill(math.MaxInt) }

// fill adds parts of windows up to the given end, and the states in them, to the open one.
func (all *Windows) fill(end int) {
	for rank := range all.arrived {
		s := &all.arrived[rank]
		for len(s.Parts) > 0 && int(s.Parts[0].end) <= end {
			p, site := s.Parts[0], all.siteName(s.Parts[0].site)
			for _, w := range s.Work[:p.procs] {
				all.Work(site, int(w.pid), w.seconds)
			}
			for _, m := range s.Messages[:p.messages] {
				all.Send(site, m)
			}
			for _, x := range s.States[:p.states] {
				all.State(int(x.pid), x.bytes)
			}
			s.Parts, s.Work, s.Messages, s.States = s.Parts[1:], s.Work[p.procs:], s.Messages[p.messages:], s.States[p.states:]
		}
	}
}
