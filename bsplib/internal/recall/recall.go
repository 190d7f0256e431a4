// Package recall dismisses ranks without processes, and recalls them (package membership). It updates
// their tables of areas.
package recall

import (
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/move"
	"github.com/migbsp/migbsp/bsplib/internal/process"
)

// Roll is a rank's side of dismissal and recall.
type Roll struct {
	Members *membership.Members
	Rank    *process.Rank
	Control *control.Channel
	Changed bool // areas have changed since ranks left
}

// Dismiss sets the ranks that take part. All ranks call it, while all are present.
func (r *Roll) Dismiss(present []bool) error {
	err := r.Members.Dismiss(present)
	r.Rank.Stream.Out.Here, r.Changed = r.Members.Here(), false
	return err
}

// Recall calls back the ranks that are away. now is the time on the run's clock. All present ranks
// call it with the same Call, and each with its own processes.
func (r *Roll) Recall(c *membership.Call, now time.Duration, processes []*process.Process) error {
	c.Registered = r.Changed
	if err := r.Members.Recall(c, now); err != nil {
		return err
	}
	return r.Gathered(c, processes)
}

// Gathered updates the tables of areas on all ranks, when all ranks are present. Ranks that were
// recalled call it after Members.Await.
func (r *Roll) Gathered(c *membership.Call, processes []*process.Process) error {
	stream := r.Rank.Stream
	stream.Out.Here = r.Members.Here()
	stream.Open()
	if !c.Registered {
		return nil
	}
	stayed := r.Members.Stayed(r.Rank.Comm.Rank())
	if stayed {
		if err := r.tell(processes); err != nil {
			return err
		}
	}
	if _, err := r.Control.Exchange(0); err != nil {
		return err
	}
	if !stayed {
		clear(stream.Registry.Views)
	}
	return control.Each(r.Control, func(from int, all *whereabouts) error {
		for _, slot := range all.Slots {
			stream.Registry.Slot(slot)
		}
		for _, x := range all.Processes {
			x.Place(stream.Registry, from)
		}
		return nil
	})
}

// whereabouts holds the locations of the areas of a rank's processes.
type whereabouts struct {
	Slots     []int // in use
	Processes []move.Located
}

// tell sends the locations of the areas of this rank's processes to the ranks that were away.
func (r *Roll) tell(processes []*process.Process) error {
	var mine whereabouts
	for i, p := range processes {
		mine.Processes = append(mine.Processes, move.Locate(&p.Data))
		if i == 0 {
			mine.Slots = p.Data.Slots()
		}
	}
	for _, to := range r.Rank.Stream.Out.Here {
		if r.Members.Stayed(to) {
			continue
		}
		if err := control.Send(r.Control, to, &mine); err != nil {
			return err
		}
	}
	return nil
}
