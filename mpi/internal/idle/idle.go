// Package idle decides how a rank spends the time until others have arrived.
package idle

import (
	"runtime"
	"time"
)

// Waiter decides how an MPI rank spends the time until other ranks have arrived: it polls while the
// core has no other work, then yields the core between polls, then sleeps between them. The choice
// follows from the number of ranks per core and from the outcome of earlier waits. A rank never
// waits inside the MPI library, which spins or yields by rules of its own.
//
// Yielding is by the system call, not by runtime.Gosched, which costs 10 to 20 us on a thread that
// a goroutine is locked to. Other goroutines of the process get a turn by Gosched every
// millisecond, times the ranks of a core. If ranks share cores, a yield gives the core to a rank
// that has work, unless the kernel schedules each rank in a group of its own or other programs take
// the core for long: then the Waiter sleeps at once in the next waits. Their number is firstPenalty
// if yielding has saved more since its last failure than it cost this time, as at the start of a
// run or after an occasional disturbance; otherwise it is twice the number after the last failure.
//
// A rank that waits for other nodes is in calls of C nearly all the time. The monitor of the Go
// runtime takes the scheduler slot (P) from a goroutine in such a call if no other slot is free and
// the call takes more than 20 us, or if the goroutine has not entered the scheduler for 10 ms. Each
// time it then wakes every 20 us, fifty times, for 4 to 10 us: of a rank's only core, if the rank
// is bound to one. Three measures let it sleep: turns of other goroutines, also by ranks that never
// wait for long (share), short calls (PollsAtOnce), and a slot that stays free (SparePlace). Two
// ranks over TCP take 7.9 us for an empty superstep and 118 us for an HPPut of 1 MiB, medians;
// without the three 9.3 and 145 us.
type Waiter struct {
	Mode  Mode
	Loads int // looks at memory before the first yield
	Polls int // looks at the network before the first yield

	Crowded bool          // more ranks than cores
	Patient bool          // a long wait does not make the next ones sleep at once
	quantum time.Duration // a longer yield gave the core to programs other than waiting ranks
	budget  time.Duration // of yields in one wait
	turn    time.Duration // after which other goroutines get one

	part     time.Duration // a nap takes the time already waited divided by this,
	shortest time.Duration // but this long at least

	skip    int           // waits to come that sleep at once
	penalty int           // waits that skip was set to when yielding failed last
	served  int           // waits since then that did not sleep at once
	saving  time.Duration // of such a wait, compared with a wait that sleeps

	start, last time.Time // begin and last step of this wait
	gosched     time.Time // the last turn of other goroutines
}

// Mode is the method of waiting that MIGBSP_WAIT selects.
type Mode int

const (
	Auto     Mode = iota // by ranks per core, quota and experience
	Spin                 // never leave the core
	Yielding             // never sleep
	Napping              // sleep at once
)

const (
	firstPenalty = 4   // waits
	lastPenalty  = 256 // waits
	// longQuantum bounds quantum: a yield that takes longer gave the core to a program
	// that computes.
	longQuantum = 1500 * time.Microsecond
	// LongestNap limits the time that a nap adds to a wait, and the time that the garbage collector
	// may have to wait for a rank that sleeps in a system call.
	LongestNap  = time.Millisecond
	shortestNap = 20 * time.Microsecond
	// quotaNap is the shortest nap under a quota, where each poll takes time from work.
	quotaNap = 100 * time.Microsecond
	// Turns of other goroutines are less than 10 ms apart: see Waiter.
	goschedEvery = time.Millisecond
	longestTurn  = 5 * time.Millisecond
	// A superstep in which all ranks sleep takes longer than with yielding by wakeCost, plus
	// wakeShare for each rank of a core: 64 ranks on two cores take 0.39 ms instead of 0.2.
	wakeCost  = 20 * time.Microsecond
	wakeShare = 5 * time.Microsecond
)

// New returns the Waiter of one of nodeRanks ranks that share cpus processors,
// or a quota of them if it is not 0.
func New(mode Mode, nodeRanks, cpus int, quota float64) Waiter {
	perCore := time.Duration((nodeRanks + cpus - 1) / cpus)
	p := Waiter{
		Mode:    mode,
		quantum: min(200*time.Microsecond+20*time.Microsecond*perCore, longQuantum),
		budget:  2 * time.Millisecond,
		turn:    min(goschedEvery*perCore, longestTurn),
		saving:  wakeCost + wakeShare*perCore,
		part:    8, shortest: shortestNap,
	}
	if mode == Auto && quota > 0 && quota < float64(nodeRanks) {
		p.Mode, p.part, p.shortest = Napping, 2, quotaNap
	}
	if nodeRanks <= cpus {
		p.Loads, p.Polls = 4000, 200
	} else {
		p.Loads, p.Polls, p.Crowded = 0, 1, true
		p.budget = 200*time.Microsecond + 20*time.Microsecond*perCore
	}
	switch p.Mode {
	case Spin:
		p.Loads, p.Polls = 100_000, 2000
	case Napping:
		p.Loads, p.Polls = 0, 1
	}
	return p
}

// PollsAtOnce is the number of network polls in a call of C, which then takes less than 20 us: see
// Waiter. With 200 polls two ranks over TCP took 10 us for an empty exchange instead of 8; 16 of
// them on two cores took 1.0 to 1.2 ms for halos of 8 KB instead of 0.8.
const PollsAtOnce = 8

// Until calls look until done returns true. Each time look reports an arrival, the wait for the
// next begins: more arrivals are then likely, and a nap would delay them.
func (w *Waiter) Until(done func() bool, look func(polls int) (came bool)) {
	for came := true; !done(); {
		if came {
			w.Begin()
		} else {
			w.Pause()
		}
		came = false
		w.looks(func(polls int) bool {
			came = look(polls) || came
			return done()
		})
	}
}

// Pause is Step, and sleeps if it is time for that.
func (w *Waiter) Pause() {
	if nap := w.Step(); nap > 0 {
		Nap(nap)
	}
}

// looks calls look until it reports that it is done. It gives up after the number of polls that the
// Waiter makes before it yields.
func (w *Waiter) looks(look func(polls int) (done bool)) {
	for polls := 0; polls < w.Polls; polls += PollsAtOnce {
		if look(min(w.Polls, PollsAtOnce)) {
			return
		}
	}
}

// ForMessages returns a Waiter for a mesh, where a message does not wake a sleeper and a poll takes
// longer. If ranks share cores, each message of a chain of rounds has to wait for the turn of the
// rank that sends it, and a nap anywhere in the chain holds up all ranks: 16 ranks over TCP on two
// cores take 0.7 ms for an exchange in which all yield, and 1.5 to 5 ms if any of them nap. So this
// Waiter does not give up yielding within the budget, which has room for many turns.
func (w Waiter) ForMessages() Waiter {
	w.budget *= 4
	w.quantum = max(w.quantum, longQuantum)
	if w.Crowded && w.yields() {
		w.budget *= 4
		w.Patient = true
	}
	return w
}

// yields reports whether the Waiter leaves the core to other ranks between looks.
func (w Waiter) yields() bool { return w.Mode == Auto || w.Mode == Yielding }

// Begin starts a wait, after the first looks were in vain.
func (w *Waiter) Begin() {
	w.start = time.Now()
	w.last = w.start
	w.Share(w.start)
	if w.skip > 0 {
		w.skip--
	} else {
		w.served++
	}
}

// Step spends some time, or returns the time that the caller should sleep, by a method that suits
// the event it waits for.
func (w *Waiter) Step() (nap time.Duration) {
	if w.yields() && w.skip == 0 {
		Yield()
	}
	now := time.Now()
	waited := now.Sub(w.start)
	w.Share(now)
	if w.Mode == Auto && w.skip == 0 && !w.Patient {
		w.judge(now.Sub(w.last), waited)
	}
	w.last = now
	if w.Mode == Napping || w.Mode == Auto && (w.skip > 0 || waited > w.budget) {
		return min(max(waited/w.part, w.shortest), LongestNap)
	}
	return 0
}

// Share gives other goroutines of the process a turn, if the last one was long ago.
func (w *Waiter) Share(now time.Time) {
	if now.Sub(w.gosched) > w.turn {
		runtime.Gosched()
		w.gosched = now
	}
}

// SparePlace raises GOMAXPROCS from 1 to 2, so that the Go scheduler has a free slot (P) also if
// the rank has one core, or if the setting asks for one.
func SparePlace() {
	if runtime.GOMAXPROCS(0) == 1 {
		runtime.GOMAXPROCS(2)
	}
}

// Waited returns the duration of this wait until the last step.
func (w *Waiter) Waited() time.Duration { return w.last.Sub(w.start) }

// judge checks whether yielding is useless: the core went to others for longer than quantum, or
// ranks share cores and the awaited ones did not arrive within the budget.
func (w *Waiter) judge(gap, waited time.Duration) {
	switch {
	case gap > w.quantum:
		w.fails(gap)
	case w.Crowded && waited > w.budget:
		w.fails(w.budget)
	}
}

// fails makes the next waits sleep at once, because yielding has cost that time in this wait.
func (w *Waiter) fails(cost time.Duration) {
	if time.Duration(w.served)*w.saving < cost {
		w.penalty = min(2*w.penalty, lastPenalty)
	} else {
		w.penalty = 0
	}
	w.penalty = max(w.penalty, firstPenalty)
	w.skip, w.served = w.penalty, 0
}
