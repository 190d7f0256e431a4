package bsplib

import (
	"math"
	"time"

	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// balance is a rank's part in deciding where processes run: it observes its own
// processes, and at calls it confers with the other ranks.
type balance struct {
	controller *rebalancer.Controller
	platform   rebalancer.Platform
	drained    []bool
	deciding   bool // a strategy does, beside what processes ask for

	observed     rebalancer.Observation
	observations int // that the controller was given, or would have been
	gathered     int // supersteps that go into the next one
	class        int // observations of this stage so far
	perStage     int // observations of the last stage
	stage        int // stages so far
	stride       int // one stage in so many is observed

	share probe.CoreShare
	free  probe.FreeMemory // of this rank's node

	mark      time.Duration // when the last call ended
	busy      time.Duration // work of this rank's processes in the supersteps observed since
	began     time.Duration // the same by this machine's clock
	fruitless int           // calls in a row that have moved nothing
	steps     int           // observations since
	called    float64       // seconds that the last call took
	moved     float64       // and its moves
	sounded   float64       // and measuring links before it
	listening time.Duration // spent on listening since
	deaf      bool          // listening has taken too long so far
	heard     bool          // what goes into the next observation was listened to
	talk      talk          // of the current call
	alarm     alarm
}

func newBalance(spec rebalancer.Spec, platform rebalancer.Platform, where []int32) *balance {
	return &balance{
		controller: rebalancer.New(platform, where, spec), deciding: !spec.Off(),
		platform: platform, drained: make([]bool, len(platform.Ranks)), stride: 1, share: 1,
	}
}

// rankState is what this rank tells of itself at a call.
func (b *balance) rankState(r *rank, asked bool) rebalancer.RankState {
	w := b.window(r, asked)
	s := rebalancer.RankState{
		Rank: r.comm.Rank(), Available: b.available(r, w), Free: b.freeMemory(r),
		Drained: b.drained[r.comm.Rank()], Steps: b.steps, Called: b.called, Moved: b.moved,
		Elapsed: (r.clock.Now() - b.mark).Seconds(), Recent: w.step, Remaining: math.MaxInt32,
	}
	if len(r.procs) > 0 {
		s.Remaining = min(r.procs[0].stages.left*max(b.perStage, 1), math.MaxInt32)
	}
	return s
}

// detail is what the rank tells of a process beside its measurements.
func (r *rank) detail(pid int) rebalancer.Detail {
	p := r.local[pid]
	_, err := r.program.plan()
	return rebalancer.Detail{State: p.stateBytes(), Pinned: err != nil, Request: r.wanted(p)}
}

// restart begins the time to the next call.
func (b *balance) restart(r *rank) {
	b.mark, b.steps, b.busy = r.clock.Now(), 0, 0
	b.began, b.listening = r.clock.Wall(), 0
	b.alarm.rebase(b.mark)
}

func (b *balance) depart(pid int) ([]byte, error) {
	h := b.controller.Depart(pid)
	return h.AppendBinary(nil)
}

func (b *balance) arrive(pid int, history []byte) error {
	var h rebalancer.History
	if err := h.UnmarshalBinary(history); err != nil {
		return err
	}
	b.controller.Arrive(pid, h)
	return nil
}
