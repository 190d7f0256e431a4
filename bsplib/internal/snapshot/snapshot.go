// Package snapshot writes a rank's processes to checkpoints, and reads them back.
package snapshot

import (
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/process"
)

// Of returns a rank's data for a checkpoint, between two stages, before the given superstep.
func Of(superstep int, processes []*process.Process, report *checkpoint.Report) *checkpoint.Snapshot {
	s := &checkpoint.Snapshot{Superstep: superstep, Report: report}
	if len(processes) == 0 {
		return s
	}
	at := processes[0].Stages.At
	s.Loop, s.Stage = at.Loop, at.Stage
	s.Images = func(yield func(checkpoint.Image, error) bool) {
		for _, p := range processes {
			skeleton, spans, err := p.Flatten()
			if !yield(checkpoint.Image{Pid: p.Data.Pid, Skeleton: skeleton, Spans: spans}, err) {
				return
			}
		}
	}
	return s
}

// Reader reads the processes of a rank.
type Reader struct {
	Keeper  *checkpoint.Keeper
	Control *control.Channel
	Rank    *process.Rank
	GoBack  bool // resume from the checkpoint before if one is damaged
}

// Read reads this rank's processes, by pid: with GoBack from the newest checkpoint that all ranks can
// read, else from the Keeper's Source. It sets the Keeper's Source to that checkpoint. All ranks call
// it.
//
// Errors: failure.Unreadable; the engine's.
//
// BSP cost: the bytes of the states from disk, and a superstep's.
func (r *Reader) Read() ([]*process.Process, error) {
	for {
		processes, err := r.read(r.Keeper.Source())
		unreadable, err := r.agree(processes, err)
		if err != nil {
			return nil, err
		}
		if unreadable == nil {
			return processes, nil
		}
		for _, p := range processes {
			p.Release()
		}
		if !r.GoBack {
			return nil, unreadable
		}
		if older, err := r.Keeper.GoBack(unreadable.Text); err != nil {
			return nil, err
		} else if older == nil {
			return nil, unreadable
		}
	}
}

// read reads this rank's processes.
func (r *Reader) read(from *checkpoint.Source) (processes []*process.Process, err error) {
	mine := func(pid int) bool { return r.Rank.Stream.Local[pid] != nil }
	err = from.Read(mine, func(pid int, skeleton []byte, fill func([][]byte) error) error {
		p, err := r.Rank.Rebuild(pid, skeleton, fill)
		if err == nil {
			processes = append(processes, p)
		}
		return err
	})
	slices.SortFunc(processes, func(a, b *process.Process) int { return a.Data.Pid - b.Data.Pid })
	return processes, err
}

// slotsInUse is a rank's report on the processes that it has read.
type slotsInUse struct {
	Slots   []int // of areas
	Failure *string
}

// agree informs all ranks whether all have their processes, and of the slots of areas in use.
func (r *Reader) agree(processes []*process.Process, reason error) (*failure.Unreadable, error) {
	var mine slotsInUse
	if reason != nil {
		text := r.Keeper.OnHost(reason)
		mine.Failure = &text
	} else if len(processes) > 0 {
		mine.Slots = processes[0].Data.Slots()
	}
	all, err := control.Allgather(r.Control, &mine)
	if err != nil {
		return nil, err
	}
	for rank, in := range all {
		if in.Failure != nil {
			return &failure.Unreadable{Rank: rank, Text: *in.Failure}, nil
		}
	}
	for _, in := range all {
		for _, slot := range in.Slots {
			r.Rank.Stream.Registry.Slot(slot)
		}
	}
	return nil, nil
}
