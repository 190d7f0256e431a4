//go:build mpi

package mpi

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// patience decides how a rank spends the time until others have done their
// part: it looks again and again while the core has nothing else to do, then
// lets others run between its looks, then sleeps between them. Which of these
// it tries follows from the number of ranks per core and from how earlier
// waits went.
type patience struct {
	mode  waitMode
	loads int // looks at memory before giving way for the first time
	polls int // looks at the network before giving way for the first time

	crowded bool          // there are more ranks than cores
	quantum time.Duration // a yield that takes longer went to something else than waiting ranks
	budget  time.Duration // how long to go on yielding

	part     time.Duration // a nap is this part of the time already waited,
	shortest time.Duration // and not shorter than this

	skip, penalty int // waits that sleep at once; as many as the next bad experience costs

	start, last, talked time.Time // of this wait: its begin, the last step, the last turn given to other goroutines
}

// waitMode is how MIGBSP_WAIT says that ranks shall wait.
type waitMode int

const (
	waitAuto  waitMode = iota // as patience thinks best
	waitSpin                  // never leave the core
	waitYield                 // never sleep
	waitNap                   // sleep at once
)

func waitModeFromEnv() (waitMode, error) {
	switch s := os.Getenv("MIGBSP_WAIT"); s {
	case "", "auto":
		return waitAuto, nil
	case "spin":
		return waitSpin, nil
	case "yield":
		return waitYield, nil
	case "nap":
		return waitNap, nil
	default:
		return waitAuto, fmt.Errorf("mpi: MIGBSP_WAIT is %q, want auto, spin, yield or nap", s)
	}
}

const (
	firstPenalty = 16
	lastPenalty  = 256
	longQuantum  = 1500 * time.Microsecond
	longestNap   = time.Millisecond
	shortestNap  = 20 * time.Microsecond
	quotaNap     = 100 * time.Microsecond // where each look costs time that work could have had
	talkEvery    = 100 * time.Microsecond
)

// newPatience is for one of mates ranks that share cpus processors, or a quota of
// them if it is not 0.
func newPatience(mode waitMode, mates, cpus int, quota float64) patience {
	perCore := time.Duration((mates + cpus - 1) / cpus)
	p := patience{
		mode:    mode,
		quantum: min(200*time.Microsecond+20*time.Microsecond*perCore, longQuantum),
		budget:  2 * time.Millisecond,
		penalty: firstPenalty,
		part:    8, shortest: shortestNap,
	}
	if mode == waitAuto && quota > 0 && quota < float64(mates) {
		p.mode, p.part, p.shortest = waitNap, 2, quotaNap
	}
	if mates <= cpus {
		p.loads, p.polls = 4000, 200
	} else {
		p.loads, p.polls, p.crowded = 0, 1, true
		p.budget = 200*time.Microsecond + 20*time.Microsecond*perCore
	}
	switch p.mode {
	case waitSpin:
		p.loads, p.polls = 100_000, 2000
	case waitNap:
		p.loads, p.polls = 0, 1
	}
	return p
}

// forMessages returns a patience for a mesh, where nobody wakes a sleeper and a
// look takes longer.
func (p patience) forMessages() patience {
	p.budget *= 4
	p.quantum = max(p.quantum, longQuantum)
	return p
}

// begin starts a wait, after the first looks were in vain.
func (p *patience) begin() {
	p.start = time.Now()
	p.talked, p.last = p.start, p.start
	if p.skip > 0 {
		p.skip--
	} else if p.penalty > firstPenalty {
		p.penalty-- // the last wait was no bad experience
	}
}

// step spends some time, unless it returns the time to sleep for, which the
// caller then does in the way that suits what it waits for.
func (p *patience) step() (nap time.Duration) {
	if p.mode == waitAuto && p.skip == 0 || p.mode == waitYield {
		yieldCPU()
	}
	now := time.Now()
	waited := now.Sub(p.start)
	if now.Sub(p.talked) > talkEvery {
		runtime.Gosched()
		p.talked = now
	}
	if p.mode == waitAuto && p.skip == 0 {
		p.judge(now.Sub(p.last), waited)
	}
	p.last = now
	if p.mode == waitNap || p.mode == waitAuto && (p.skip > 0 || waited > p.budget) {
		return min(max(waited/p.part, p.shortest), longestNap)
	}
	return 0
}

// judge finds out whether yielding is of use. It is not if the core goes to
// others for long, or if ranks that need a core do not get one by it: the
// kernel may schedule each rank in a group of its own.
func (p *patience) judge(gap, waited time.Duration) {
	if gap > p.quantum || p.crowded && waited > p.budget {
		p.skip = p.penalty
		p.penalty = min(2*p.penalty, lastPenalty)
	}
}
