package bsplib

import (
	"math"
	"time"

	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// balance is a rank's part in deciding where processes run: it observes its own
// processes, and at calls it confers with the other ranks. When that is, the trigger
// decides.
type balance struct {
	controller *rebalancer.Controller
	trigger    *rebalancer.Trigger
	platform   rebalancer.Platform
	drained    []bool

	observed []rebalancer.Measure
	heard    bool          // what goes into the next observation was listened to
	busy     time.Duration // work of this rank's processes in the supersteps observed since the last call
	slow     window        // of it, what came before stages became slow

	share  float64       // of its core that this rank had, when last known
	free   int64         // bytes that this node had left
	freeAt time.Duration // when
	talk   talk          // of the current call
}

// window is a time in which work was timed by two clocks.
type window struct{ wall, cpu time.Duration }

func newBalance(spec rebalancer.Spec, platform rebalancer.Platform, where []int32) *balance {
	controller := rebalancer.New(platform, where, spec)
	return &balance{
		controller: controller, trigger: rebalancer.NewTrigger(controller, 1),
		platform: platform, drained: make([]bool, len(platform.Ranks)), share: 1,
	}
}

// rankState is what this rank tells of itself at a call.
func (b *balance) rankState(r *rank, asked bool) rebalancer.RankState {
	left := math.MaxInt32
	if len(r.procs) > 0 {
		left = r.procs[0].stages.left
	}
	s := b.trigger.State(r.now().Seconds(), left, asked)
	s.Rank, s.Drained = r.comm.Rank(), b.drained[r.comm.Rank()]
	s.Available, s.Free = b.available(r, b.window(r, asked)), b.freeMemory(r)
	return s
}

// window is the time whose measurements count at a call.
func (b *balance) window(r *rank, asked bool) (w window) {
	w.wall, w.cpu = r.meter.timedWork()
	if _, slow := b.trigger.Since(asked); slow {
		w.wall, w.cpu = w.wall-b.slow.wall, w.cpu-b.slow.cpu
	}
	return w
}

// freeMemory is what this node has left, looked up not too often; -1 if that is
// not known.
func (b *balance) freeMemory(r *rank) int64 {
	if r.virtual != nil {
		return -1
	}
	if now := r.wall(); b.free == 0 || now-b.freeAt > time.Second {
		b.free, b.freeAt = probe.AvailableMemory(), now
		if b.free == 0 {
			b.free = -1
		}
	}
	return b.free
}

// detail is what the rank tells of a process beside its measurements.
func (r *rank) detail(pid int) rebalancer.Detail {
	p := r.local[pid]
	_, err := r.program.plan()
	return rebalancer.Detail{State: p.stateBytes(), Pinned: err != nil, Request: r.wanted(p)}
}

// called ends a call.
func (b *balance) called(r *rank, took, moved time.Duration, moves int) {
	b.trigger.Called(r.now().Seconds(), took.Seconds(), moved.Seconds(), moves)
	b.busy, b.slow = 0, window{}
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
