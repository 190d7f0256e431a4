package bsplib

import (
	"errors"
	"fmt"
	"io"
	"path"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/mpi"
)

// ErrCheckpointed ends a run that was asked for a checkpoint, once that is on
// disk.
var ErrCheckpointed = errors.New("the run has been checkpointed")

// Checkpoint says where and when the processes of a run are written to disk,
// and from where the run goes on. All ranks are given the same.
//
// A checkpoint is taken at the end of a stage, of all processes at the same. It
// is complete or absent: what stops the writing leaves the one before as it
// was, and a checkpoint that cannot be written does not end the run.
//
// A run that goes on from a checkpoint gives the same result, bit for bit, on
// any number of ranks and on any engine. It needs the same program with the
// same number of processes and the same Parameters.
//
// BSP cost: of a checkpoint three barriers and the bytes of the states to disk;
// of none nothing.
type Checkpoint struct {
	// Dir is the directory that holds the run's checkpoints; "" writes none.
	Dir string
	// Every is the time, and EveryStages the number of stages, after which a
	// checkpoint is written at the end of a stage; 0 leaves it to Trigger.
	Every       time.Duration
	EveryStages int
	// Restart is the checkpoint to go on from, or a directory of them, of which
	// the newest is taken; "" begins anew. Config.Procs may then be 0.
	Restart string
	// Trigger asks for a checkpoint from outside.
	Trigger *CheckpointTrigger
	// Log receives a line about each thing that does not go as asked, on rank 0.
	Log io.Writer
	// Parameters are what the computation depends on besides the program.
	Parameters []Parameter

	caller *checkpoint.Caller // of Run, or whom Main speaks for
	from   *checkpoint.Source // what Restart has led to
	goBack bool               // where that is damaged, to the one before

	completed func(dir string) // called on all ranks when there is a new one
}

// Parameter is a setting of a program by name and value.
type Parameter = checkpoint.Parameter

// CheckpointTrigger asks a run for a checkpoint, after which the run ends with
// ErrCheckpointed. If it cannot be written the run goes on. Any goroutine may
// use a CheckpointTrigger, on any rank; one rank's is enough.
type CheckpointTrigger struct{ count atomic.Int64 }

// Fire asks for it. A second Fire before the checkpoint is written changes nothing.
func (t *CheckpointTrigger) Fire() { t.count.Add(1) }

// openCheckpoint prepares the checkpoints of a run that is not started by Main.
func (cfg *Config) openCheckpoint(program *program) error {
	if cfg.Checkpoint == nil {
		return nil
	}
	c := *cfg.Checkpoint
	cfg.Checkpoint = &c
	c.caller, c.from = caller(), nil
	if c.Restart != "" {
		if err := cfg.resume(func() (*checkpoint.Source, error) { return checkpoint.Find(c.Restart) }); err != nil {
			return err
		}
		cfg.Procs = c.from.Procs
	}
	return cfg.checkCheckpoint(program)
}

// caller is who calls Run, as far as the Go program knows by itself: it is named
// by its main package.
func caller() *checkpoint.Caller {
	c := &checkpoint.Caller{
		Program: "program", Job: app.Job(), Procs: "Config.Procs", Parameter: "parameter ",
		NoDirectory: "a checkpoint has been requested, but Checkpoint.Dir names no directory for it",
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		c.Program = path.Base(info.Path)
	}
	return c
}

// resume finds the checkpoint to go on from on rank 0, and tells all ranks of it.
// Without an error, but with no checkpoint, the run begins anew.
func (cfg *Config) resume(find func() (*checkpoint.Source, error)) (err error) {
	c := cfg.Checkpoint
	c.from, err = checkpoint.Resume(cfg.Comm, func() (*checkpoint.Source, error) {
		from, err := find()
		if from != nil && err == nil {
			err = from.Fits(c.caller, c.Parameters, cfg.Procs)
		}
		return from, err
	})
	return err
}

// checkCheckpoint finds out whether the program's processes can be written and
// are those of the checkpoint to go on from. All ranks find the same.
func (cfg *Config) checkCheckpoint(program *program) error {
	c := cfg.Checkpoint
	if c == nil || c.Dir == "" && c.from == nil {
		return nil
	}
	if _, err := program.plan(); err != nil {
		return err
	}
	if c.from == nil {
		return nil
	}
	return c.from.FitsState(program.identity())
}

// identity names the program's state and how it is encoded, if it can be.
func (g *program) identity() (string, checkpoint.Hex) {
	plan, err := g.plan()
	if err != nil {
		return "", 0
	}
	name, layout := plan.Identity()
	return name, checkpoint.Hex(layout)
}

// equipCheckpoint prepares the rank for checkpoints, and if it is to go on from
// one, reads its processes.
func (r *rank) equipCheckpoint(cfg *Config) *Error {
	c := cfg.Checkpoint
	if c == nil {
		return nil
	}
	s := checkpoint.Settings{
		Dir: c.Dir, Every: c.Every, EveryStages: c.EveryStages, From: c.from,
		Caller: c.caller, Parameters: c.Parameters, Procs: r.n,
		Comm: r.comm, Host: r.cluster.Hosts[r.comm.Rank()],
		Wall: r.timing.clock.Wall, Elapsed: func() time.Duration { return r.timing.clock.Now() + r.timing.earlier }, Emulated: r.timing.clock.Emulated(),
		Tell: c.Log, Log: r.outcome.log, LogEvery: account.LineEvery, Warn: func(line string) { r.timing.account.Warn(line) },
		Completed: c.completed,
	}
	s.State, s.Layout = r.program.identity()
	if c.Trigger != nil {
		s.Requests = &c.Trigger.count
	}
	r.checkpoint = checkpoint.New(s)
	if c.from == nil {
		return nil
	}
	return r.restore(c.goBack)
}

// checkpointBetween reports whether a checkpoint is to be taken between two supersteps: some
// rank has asked for it and a stage has ended for all processes.
func (r *rank) checkpointBetween(all mpi.Flags) membership.Needs {
	if all&flagCheckpoint != 0 && r.checkpoint.Dir == "" && r.members.Absent() > 0 {
		return membership.Refusal
	}
	if r.checkpoint.Wanted(all&flagCheckpoint != 0, all&flagStage != 0 && all&(flagSync|flagEnd) == 0) {
		return membership.Checkpoint
	}
	return 0
}

// takeCheckpoint takes one. If that was asked for by a trigger, it ends the run.
func (r *rank) takeCheckpoint() *Error {
	k := r.checkpoint
	begun := r.timing.clock.Wall()
	over, about, err := k.Take(r.snapshot())
	if err != nil {
		return r.engineError(err)
	}
	if r.balance != nil {
		r.balance.Pause(r.timing.clock.Wall() - begun)
	}
	if !over {
		return nil
	}
	if err := r.stopAccount(); err != nil {
		return err
	}
	e := &Error{Pid: -1, Rank: r.comm.Rank(), Superstep: r.now.step - 1, Text: ErrCheckpointed.Error(), Err: ErrCheckpointed, known: true}
	if about != "" {
		e.Text = "checkpointed: " + about
	}
	return e
}

// snapshot is what the rank has to write, between two stages.
func (r *rank) snapshot() *checkpoint.Snapshot {
	s := &checkpoint.Snapshot{Superstep: r.now.step, Report: (*checkpoint.Report)(r.outcome.reported)}
	if len(r.crew.procs) > 0 {
		at := r.crew.procs[0].stages.at
		s.Loop, s.Stage, s.Images = at.Loop, at.Stage, r.images
	}
	return s
}

// images are the rank's processes, one at a time.
func (r *rank) images(yield func(checkpoint.Image, error) bool) {
	for _, p := range r.crew.procs {
		if !yield(p.checkpointImage()) {
			return
		}
	}
}

// checkpointImage is the process's image with all that travels by itself when it
// moves. processOf is the way back.
func (p *Proc) checkpointImage() (checkpoint.Image, error) {
	x, image, err := p.pack()
	if err != nil {
		return checkpoint.Image{}, err
	}
	whole, err := imagePlan().Encode(unsafe.Pointer(x), nil)
	if err != nil {
		return checkpoint.Image{}, err
	}
	return checkpoint.Image{Pid: p.pid, Skeleton: whole.Skeleton, Spans: append(whole.Spans, image.Spans...)}, nil
}

// restartError says why a run cannot go on from its checkpoint; all ranks have
// the same.
type restartError struct{ text string }

func (e *restartError) Error() string { return e.text }

// restore puts the processes of a checkpoint in the place of those that were to
// begin. With goBack the checkpoint before is taken where one is damaged. All ranks
// call it before the first superstep.
//
// BSP cost: the bytes of the states from disk, and two barriers.
func (r *rank) restore(goBack bool) *Error {
	begun := time.Now()
	from, procs, e := r.readCheckpoint(goBack)
	if e != nil {
		return e
	}
	r.stream.Peers.Advance(r.now.step)
	r.timing.earlier = from.Earlier()
	if r.stream.Local[0] != nil {
		r.outcome.reported = (*reported)(from.Report)
	}
	defer r.mover.End()
	restored := make([]traveller, len(procs))
	r.crew.set(procs)
	for i, p := range procs {
		r.stream.Local[p.pid] = &p.data
		restored[i] = traveller{p}
	}
	if err := r.mover.Restored(restored, r.channels.control); err != nil {
		return r.moveError(err)
	}
	for _, p := range procs {
		r.stream.Registry.Use(&p.data)
	}
	r.mover.Learn(r.where)
	r.checkpoint.Resumed(time.Since(begun))
	return nil
}

// readCheckpoint reads this rank's processes, of the newest checkpoint that all ranks can
// read if it may go back, else of that which was found.
func (r *rank) readCheckpoint(goBack bool) (*checkpoint.Source, []*Proc, *Error) {
	for {
		from := r.checkpoint.From
		r.now.step = from.Superstep
		procs, err := r.readProcesses(from)
		e := r.agreeOnSlots(procs, err)
		if e == nil {
			return from, procs, nil
		}
		for _, p := range procs {
			p.releaseAreas()
		}
		if _, damaged := asRestartError(e); !goBack || !damaged {
			return nil, nil, e
		}
		if older, err := r.checkpoint.GoBack(e.Text); err != nil {
			return nil, nil, r.engineError(err)
		} else if older == nil {
			return nil, nil, e
		}
	}
}

// readProcesses reads this rank's processes, by pid.
func (r *rank) readProcesses(from *checkpoint.Source) (procs []*Proc, err error) {
	mine := func(pid int) bool { return r.stream.Local[pid] != nil }
	err = from.Read(mine, func(pid int, skeleton []byte, fill func([][]byte) error) error {
		p, err := r.processOf(pid, skeleton, fill)
		if err == nil {
			procs = append(procs, p)
		}
		return err
	})
	slices.SortFunc(procs, func(a, b *Proc) int { return a.pid - b.pid })
	return procs, err
}

// processOf makes the process of a checkpoint's image on this rank.
func (r *rank) processOf(pid int, skeleton []byte, fill func([][]byte) error) (*Proc, error) {
	x := new(processImage)
	spans, err := imagePlan().Decode(skeleton, unsafe.Pointer(x), nil)
	if err == nil {
		err = fill(spans)
	}
	if err != nil {
		return nil, err
	}
	if x.Pid != pid {
		return nil, fmt.Errorf("what was read is process %d", x.Pid)
	}
	p, spans, err := r.unpack(x)
	if err == nil {
		err = fill(spans)
	}
	return p, err
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
		text := r.checkpoint.OnHost(failure)
		mine.Failure = &text
	} else if len(procs) > 0 {
		for slot, a := range procs[0].data.Areas {
			if a != nil {
				mine.Slots = append(mine.Slots, slot)
			}
		}
	}
	all, err := control.Allgather(r.channels.control, &mine)
	if err != nil {
		return r.engineError(err)
	}
	for rank, in := range all {
		if in.Failure != nil {
			e := &restartError{*in.Failure}
			return &Error{Pid: -1, Rank: rank, Superstep: r.now.step, Text: e.text, Err: e, known: true}
		}
	}
	for _, in := range all {
		for _, slot := range in.Slots {
			r.stream.Registry.Slot(slot)
		}
	}
	return nil
}

// asRestartError finds what kept a run from going on from its checkpoint.
func asRestartError(err error) (*restartError, bool) { return errors.AsType[*restartError](err) }
