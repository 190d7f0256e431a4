package bsplib

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
)

// restartError says why a run cannot go on from its checkpoint; all ranks have
// the same.
type restartError struct{ text string }

func (e *restartError) Error() string { return e.text }

// restore puts the processes of a checkpoint in the place of those that were to
// begin. All ranks call it before the first superstep.
//
// BSP cost: the bytes of the states from disk, and two barriers.
func (r *rank) restore(from *resumption) *Error {
	begun := time.Now()
	r.step = from.m.Superstep
	r.progress.advance(r.step)
	r.earlier = time.Duration(from.m.Elapsed * 1e9)
	procs, err := r.readProcesses(from)
	if err == nil && from.m.Report != nil && r.local[0] != nil {
		err = json.Unmarshal(from.m.Report, &r.reported)
	}
	if err := r.agreeOnSlots(procs, err); err != nil {
		for _, p := range procs {
			for _, a := range p.areas {
				if a != nil {
					p.release(a)
				}
			}
		}
		return err
	}
	defer func() { r.mover = mover{} }()
	r.setProcs(procs)
	for _, p := range procs {
		r.local[p.pid] = p
		r.mover.arrivals = append(r.mover.arrivals, arrival{proc: p, from: r.comm.Rank()})
	}
	if err := r.announceArrivals(r.control); err != nil {
		return err
	}
	if _, err := r.control.Exchange(0); err != nil {
		return r.engineError(err)
	}
	for _, p := range procs {
		for slot, a := range p.areas {
			if a != nil {
				a.view = r.dir.views[slot]
			}
		}
	}
	if err := r.hearArrivals(); err != nil {
		return err
	}
	if w := r.log; w != nil {
		fmt.Fprintf(w, "%s: goes on from %s, written %s by %d ranks%s: %s read in %s\n", r.checkpoint.caller.Program, from,
			from.m.Written.Format(time.RFC3339), from.m.Ranks, from.build(), ledger.Bytes(from.m.Bytes()), ledger.Seconds(time.Since(begun)))
	}
	return nil
}

// build names the build that wrote the checkpoint if it is not this one.
func (from *resumption) build() string {
	if is := ledger.ThisBuild(); is.Version == from.m.Version && is.Commit == from.m.Commit {
		return ""
	}
	return fmt.Sprintf(" of another build (%s)", strings.TrimSpace(from.m.Version+" "+from.m.Commit))
}

// readProcesses reads this rank's processes, by pid.
func (r *rank) readProcesses(from *resumption) ([]*Proc, error) {
	procs := make([]*Proc, 0, len(r.procs))
	for i := range from.m.Parts {
		part := &from.m.Parts[i]
		mine := slices.DeleteFunc(slices.Clone(part.Records), func(x checkpoint.Record) bool { return r.local[x.Pid] == nil })
		if len(mine) == 0 {
			continue
		}
		in, err := checkpoint.Open(from.path, from.m.ID, part)
		if err != nil {
			return procs, err
		}
		for _, record := range mine {
			p, err := r.readProcess(in, record)
			if err != nil {
				in.Close()
				return procs, err
			}
			procs = append(procs, p)
		}
		in.Close()
	}
	slices.SortFunc(procs, func(a, b *Proc) int { return a.pid - b.pid })
	return procs, nil
}

// readProcess makes the process of a record on this rank.
func (r *rank) readProcess(in *checkpoint.Reader, record checkpoint.Record) (*Proc, error) {
	skeleton, err := in.Skeleton(record)
	if err != nil {
		return nil, err
	}
	x := new(parcel)
	spans, err := parcelPlan().Decode(skeleton, unsafe.Pointer(x), nil)
	if err == nil {
		err = in.Fill(spans)
	}
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", record.Pid, err)
	}
	if x.Pid != record.Pid || len(x.Queues) == 0 {
		return nil, fmt.Errorf("process %d: what was read is process %d with %d queues", record.Pid, x.Pid, len(x.Queues))
	}
	p, spans, err := r.unpack(x)
	if err == nil {
		err = in.Fill(spans)
	}
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", record.Pid, err)
	}
	return p, in.End()
}

// slotsInUse is what a rank tells of the processes that it has read.
type slotsInUse struct {
	Slots   []int // of areas
	Failure *string
}

// agreeOnSlots tells all ranks whether all have their processes, and which
// slots of areas these use.
func (r *rank) agreeOnSlots(procs []*Proc, failure error) *Error {
	var mine slotsInUse
	if failure != nil {
		text := r.onHost(failure)
		mine.Failure = &text
	} else if len(procs) > 0 {
		for slot, a := range procs[0].areas {
			if a != nil {
				mine.Slots = append(mine.Slots, slot)
			}
		}
	}
	all, err := control.Allgather(r.control, &mine)
	if err != nil {
		return r.engineError(err)
	}
	for rank, said := range all {
		if said.Failure != nil {
			e := &restartError{*said.Failure}
			return &Error{Pid: -1, Rank: rank, Superstep: r.step, Text: e.text, Err: e, known: true}
		}
	}
	for _, said := range all {
		for _, slot := range said.Slots {
			r.view(slot)
		}
	}
	return nil
}

// asRestartError finds what kept a run from going on from its checkpoint.
func asRestartError(err error) (*restartError, bool) { return errors.AsType[*restartError](err) }
