//go:build mpi && cgo

package mpi

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// waiter decides how an MPI rank spends the time until other ranks have arrived: it
// looks at what it waits for again and again while the core has nothing else to do,
// then yields the core between looks, then sleeps between them. Which of these it
// tries follows from the number of ranks per core and from how earlier waits went. A
// rank never waits inside the MPI library, which spins or yields by rules of its own.
//
// Yielding is by the system call, not by runtime.Gosched, which costs 10 to 20 us on a thread
// that a goroutine is locked to. Other goroutines of the process get a turn by Gosched every
// millisecond, times the ranks of a core. Where ranks share cores, a yield gives the core to a
// rank that has work, unless the kernel schedules each rank in a group of its own or other
// programs take the core for long: then the waiter sleeps at once in the next waits. They are
// few if yielding has saved more since it failed last than it has cost this time, as where a run
// begins or something comes between now and then; else twice as many as last.
//
// A rank that waits for other nodes is in calls of C nearly all the time. The monitor of the Go
// runtime takes the place in the scheduler away from a goroutine that it finds in such a call
// if there is no other place that is free and the call takes more than 20 us, or if the goroutine
// has not entered the scheduler for 10 ms. Each time it then wakes every 20 us, fifty times, for
// 4 to 10 us: of a rank's only core, if that is bound to one. Three things let it sleep: turns of
// other goroutines, also by ranks that never wait for long (share), short calls (pollsAtOnce),
// and a place that stays free (sparePlace). Two ranks over TCP take 7.9 us for an empty superstep
// and 118 us for an HPPut of 1 MiB, medians; without the three 9.3 and 145 us.
type waiter struct {
	mode  waitMode
	loads int // looks at memory before the first yield
	polls int // looks at the network before the first yield

	crowded bool          // there are more ranks than cores
	patient bool          // a wait that took long says nothing about the next one
	quantum time.Duration // a yield that takes longer went to something else than waiting ranks
	budget  time.Duration // of yields in one wait
	turn    time.Duration // after which other goroutines get one

	part     time.Duration // a nap takes the time already waited divided by this,
	shortest time.Duration // but this long at least

	skip    int           // waits to come that sleep at once
	penalty int           // waits that skip was set to when yielding failed last
	served  int           // waits since then that did not sleep at once
	saving  time.Duration // of such a wait, beside one that sleeps

	start, last time.Time // begin and last step of this wait
	gosched     time.Time // the last turn of other goroutines
}

// waitMode is the way of waiting that MIGBSP_WAIT asks for.
type waitMode int

const (
	waitAuto  waitMode = iota // by ranks per core, quota and experience
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
	firstPenalty = 4   // waits
	lastPenalty  = 256 // waits
	// longQuantum bounds quantum: a yield that takes longer gave the core to a program
	// that computes.
	longQuantum = 1500 * time.Microsecond
	// longestNap bounds what a nap adds to a wait, and how long the garbage collector
	// may have to wait for a rank that sleeps in a system call.
	longestNap  = time.Millisecond
	shortestNap = 20 * time.Microsecond
	// quotaNap is the shortest nap under a quota, where each look costs time that
	// work could have had.
	quotaNap = 100 * time.Microsecond
	// Turns of other goroutines are less than 10 ms apart: see waiter.
	goschedEvery = time.Millisecond
	longestTurn  = 5 * time.Millisecond
	// A superstep in which all ranks sleep takes longer than one in which they yield by
	// wakeCost and by wakeShare for each rank of a core: 64 ranks on two 0.39 ms, and 0.2.
	wakeCost  = 20 * time.Microsecond
	wakeShare = 5 * time.Microsecond
)

// newWaiter returns the waiter of one of nodeRanks ranks that share cpus processors,
// or a quota of them if it is not 0.
func newWaiter(mode waitMode, nodeRanks, cpus int, quota float64) waiter {
	perCore := time.Duration((nodeRanks + cpus - 1) / cpus)
	p := waiter{
		mode:    mode,
		quantum: min(200*time.Microsecond+20*time.Microsecond*perCore, longQuantum),
		budget:  2 * time.Millisecond,
		turn:    min(goschedEvery*perCore, longestTurn),
		saving:  wakeCost + wakeShare*perCore,
		part:    8, shortest: shortestNap,
	}
	if mode == waitAuto && quota > 0 && quota < float64(nodeRanks) {
		p.mode, p.part, p.shortest = waitNap, 2, quotaNap
	}
	if nodeRanks <= cpus {
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

// pollsAtOnce is how many looks at the network a call of C takes, which is then shorter than
// 20 us: see waiter. With 200 looks two ranks over TCP took 10 us for an empty exchange instead
// of 8; 16 of them on two cores took 1.0 to 1.2 ms for halos of 8 KB instead of 0.8.
const pollsAtOnce = 8

// looks calls look until it is done, or that was in vain as often as the waiter looks
// before it yields.
func (w *waiter) looks(look func(polls int) (done bool)) {
	for polls := 0; polls < w.polls; polls += pollsAtOnce {
		if look(min(w.polls, pollsAtOnce)) {
			return
		}
	}
}

// forMessages returns a waiter for a mesh, where a message does not wake a sleeper
// and a look takes longer. Where ranks share cores, each message of a chain of rounds
// has to wait for the turn of the rank that sends it, and a nap anywhere in the chain
// holds up all ranks: 16 ranks over TCP on two cores take 0.7 ms for an exchange in which
// all yield, and 1.5 to 5 ms as soon as they nap. So yielding is not given up there
// within the budget, which has room for many turns.
func (w waiter) forMessages() waiter {
	w.budget *= 4
	w.quantum = max(w.quantum, longQuantum)
	if w.crowded && w.yields() {
		w.budget *= 4
		w.patient = true
	}
	return w
}

// yields reports whether the waiter leaves the core to other ranks between looks.
func (w waiter) yields() bool { return w.mode == waitAuto || w.mode == waitYield }

// begin starts a wait, after the first looks were in vain.
func (w *waiter) begin() {
	w.start = time.Now()
	w.last = w.start
	w.share(w.start)
	if w.skip > 0 {
		w.skip--
	} else {
		w.served++
	}
}

// step spends some time, unless it returns the time to sleep for, which the
// caller then does in the way that suits what it waits for.
func (w *waiter) step() (nap time.Duration) {
	if w.yields() && w.skip == 0 {
		yieldCPU()
	}
	now := time.Now()
	waited := now.Sub(w.start)
	w.share(now)
	if w.mode == waitAuto && w.skip == 0 && !w.patient {
		w.judge(now.Sub(w.last), waited)
	}
	w.last = now
	if w.mode == waitNap || w.mode == waitAuto && (w.skip > 0 || waited > w.budget) {
		return min(max(waited/w.part, w.shortest), longestNap)
	}
	return 0
}

// share gives other goroutines of the process a turn, if the last one was long ago.
func (w *waiter) share(now time.Time) {
	if now.Sub(w.gosched) > w.turn {
		runtime.Gosched()
		w.gosched = now
	}
}

// sparePlace has the Go scheduler have a place that is free, also where the rank has one core, or
// was told to use one.
func sparePlace() {
	if runtime.GOMAXPROCS(0) == 1 {
		runtime.GOMAXPROCS(2)
	}
}

// waited is how long this wait has taken until the last step.
func (w *waiter) waited() time.Duration { return w.last.Sub(w.start) }

// judge looks whether yielding is of no use: the core went to others for longer than
// quantum, or ranks share cores and the awaited ones did not get there within the budget.
func (w *waiter) judge(gap, waited time.Duration) {
	switch {
	case gap > w.quantum:
		w.fails(gap)
	case w.crowded && waited > w.budget:
		w.fails(w.budget)
	}
}

// fails makes the next waits sleep at once, as yielding has cost so much in this one.
func (w *waiter) fails(cost time.Duration) {
	if time.Duration(w.served)*w.saving < cost {
		w.penalty = min(2*w.penalty, lastPenalty)
	} else {
		w.penalty = 0
	}
	w.penalty = max(w.penalty, firstPenalty)
	w.skip, w.served = w.penalty, 0
}
