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
	window   *ledger.LoadWindow
	arrived  [][]uint64 // encoded windows not yet entered, by rank
	ends     []int64    // of windows not yet entered
	old      int        // ends of earlier shipments
	siteName func(site int64) string
}

// NewWindows makes those of a run; siteName names a site that a Recorder was told.
func NewWindows(procs int, siteName func(site int64) string) *Windows {
	return &Windows{window: ledger.NewLoadWindow(procs), siteName: siteName}
}

// Arrive takes what a rank has shipped, from rank 0 on. The first that has windows says where
// they end.
func (all *Windows) Arrive(rank int, encoded []uint64, ends []int64) {
	if rank == 0 {
		all.arrived, all.old = all.arrived[:0], len(all.ends)
	}
	all.arrived = append(all.arrived, encoded)
	if len(all.ends) == all.old {
		all.ends = append(all.ends, ends...)
	}
}

// Steps adds supersteps that have been entered.
func (all *Windows) Steps(s *ledger.Step) { all.window.Steps(s) }

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
	all.window.Close(enter)
}

// Fill takes what there is of the next window.
func (all *Windows) Fill() { all.fill(math.MaxInt) }

// fill decodes windows up to the given end, and the states in them, into the open one.
func (all *Windows) fill(end int) {
	for rank, w := range all.arrived {
		for len(w) > 0 && int(w[1]) <= end {
			kind, site, n := w[0], all.siteName(int64(w[2])), w[3]
			w = w[4:]
			for range n {
				pid := int(w[0])
				if kind == someStates {
					all.window.State(pid, int64(w[1]))
					w = w[2:]
					continue
				}
				all.window.Work(site, pid, math.Float64frombits(w[1]))
				senders := w[2]
				for w = w[3:]; senders > 0; senders, w = senders-1, w[2:] {
					all.window.Send(site, ledger.Message{From: int(w[0]), To: pid, Bytes: math.Float64frombits(w[1])})
				}
			}
		}
		all.arrived[rank] = w
	}
}
