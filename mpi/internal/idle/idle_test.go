package idle

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// No call of C polls many times, and a Waiter makes its full number of polls before it yields.
func TestLooks(t *testing.T) {
	for polls, calls := range map[int][]int{1: {1}, PollsAtOnce: {PollsAtOnce}, 3 * PollsAtOnce: slices.Repeat([]int{PollsAtOnce}, 3)} {
		w := Waiter{Polls: polls}
		var all []int
		w.looks(func(n int) bool { all = append(all, n); return false })
		if !slices.Equal(all, calls) {
			t.Errorf("%d looks are calls of %d, want %d", polls, all, calls)
		}
		found := 0
		if w.looks(func(int) bool { found++; return true }); found != 1 {
			t.Errorf("there were %d looks for what was there at the first", found)
		}
	}
}

// Other goroutines get a turn even if all waits are short, but no turn at each wait.
func TestTurnsOfOthers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	w := New(Auto, 1, 1, 0)
	var ran atomic.Bool
	go ran.Store(true)
	for range 3 { // the scheduler may take this goroutine again once
		w.gosched = time.Now().Add(-2 * w.turn)
		w.Begin()
	}
	if !ran.Load() {
		t.Error("another goroutine has waited longer than for its turn, and got none")
	}
	before := w.gosched
	w.turn = time.Hour
	if w.Begin(); w.gosched != before {
		t.Error("there was a turn after another one at once")
	}
}

// At least one scheduler slot (P) stays free regardless of GOMAXPROCS.
func TestSparePlace(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for told, has := range map[int]int{1: 2, 2: 2, 5: 5} {
		runtime.GOMAXPROCS(told)
		if SparePlace(); runtime.GOMAXPROCS(0) != has {
			t.Errorf("of %d places there are %d, want %d", told, runtime.GOMAXPROCS(0), has)
		}
	}
}

// waits makes a Waiter, for one of 64 ranks on two cores, wait n times. The core goes to others for
// gap at each wait for which fails returns true, unless the Waiter sleeps at once. It returns the
// number of waits that did.
func waits(w *Waiter, n int, gap time.Duration, fails func(i int) bool) (asleep int) {
	for i := range n {
		if w.Begin(); w.skip > 0 {
			asleep++
		} else if fails(i) {
			w.judge(gap, gap)
		}
	}
	return asleep
}

// Failures at the start of a run and occasional disturbances make hardly any wait sleep at once; if
// yielding fails again and again, nearly all do.
func TestYieldingThatFails(t *testing.T) {
	never, always := func(int) bool { return false }, func(int) bool { return true }
	w := New(Auto, 64, 2, 0)
	gap := 2 * w.quantum
	waits(&w, 40, gap, always)
	waits(&w, 500, gap, never)
	if n := waits(&w, 1000, gap, func(i int) bool { return i%100 == 0 }); n > 50 {
		t.Errorf("%d of 1000 waits slept at once where one of a hundred was long", n)
	}
	if n := waits(&w, 10_000, gap, always); n < 9900 {
		t.Errorf("%d of 10000 waits slept at once where yielding always failed", n)
	}
}
