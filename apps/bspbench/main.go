// Bspbench measures this machine as a BSP computer: r, g and l, as courses do it.
package main

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

const about = `
Bspbench measures the three numbers that predict a BSP program's time: r, the
operations per second of a process; g, the operations in the time that a word takes
in a superstep in which all processes send and receive many; and l, the operations in
the time of a superstep without words. A superstep that computes w operations and in
which no process sends or receives more than h words then takes (w + g h + l) / r.

l is measured in supersteps without words. g is the slope of the line through the times
of those with p words and more, up to -n; the line through those with up to p words
stands beside it. All is measured six times: the middle counts, and least and most, a
97 % confidence interval, are printed. Where times do not follow a line bspbench says
that they do not fit: on a busy machine, or with more processes than cores.

This is the textbook's way, to be read and changed. For numbers to rely on take
bench/bsp, which repeats as often as it needs to, and measures each primitive.`

var (
	longest = flag.Int("n", 256, "`number` of words of the largest superstep that is timed")
	_       = flags.Alias("words", "n")
	repeats = flag.Int("repeats", 100, "`times` that each is repeated to be timed; the better of 2 counts, and that six times")
	vector  = flag.Int("vector", 1024, "`length` of the vectors with which r is measured")
)

func main() {
	bsplib.Main(bspbench, bsplib.Options{Description: about, CheckFlags: check, MemoryNeeded: memory, WorkNeeded: work, DefaultTable: "none"})
}

func check(int) error {
	switch {
	case *longest < 1 || *longest > 1<<20:
		return fmt.Errorf("-n %d: expected a number from 1 to %d", *longest, 1<<20)
	case *repeats < 1:
		return fmt.Errorf("-repeats %d: at least one is needed", *repeats)
	case *vector < 1 || *vector > 1<<28:
		return fmt.Errorf("-vector %d: expected a number from 1 to %d", *vector, 1<<28)
	}
	return nil
}

// memory returns the bytes of all processes: two vectors, and words with the runtime's
// memory for each until it arrives.
func memory(procs int) int64 {
	each := 2*8*float64(*vector) + 112*float64(*longest)
	return int64(min(float64(procs)*each, math.MaxInt64/2))
}

// work is the words of all supersteps that are timed.
func work(procs int) bsplib.Work {
	words := 0.0
	for _, h := range sizes(procs) {
		words += float64(h) * float64(*repeats) * turns * tries
	}
	return bsplib.Work{Amount: words * float64(procs), Unit: "words", PerSecond: 3e7}
}

// state is the measurements, and the area for received words.
type state struct {
	Rate    float64   // r, operations per second
	Seconds []float64 // of a superstep, by turn and size
	Words   bsplib.Area[float64]
	Arrived arrival
}

// arrival describes words that have arrived.
type arrival struct {
	Wrong int    // different from the sent ones
	Sum   uint64 // of all, mixed with their positions
}

func (a arrival) plus(b arrival) arrival { return arrival{a.Wrong + b.Wrong, a.Sum + b.Sum} }

// All measurements take turns, so that a disturbance of the machine spoils one turn, and in
// each turn the best of some tries counts.
const (
	turns = 6
	tries = 2
)

// Up to p, at most few sizes are measured, and from p on at most many.
const (
	few  = 16
	many = 20
)

// sizes returns the words of the timed supersteps, from 0 to p to the largest.
func sizes(p int) (all []int) {
	p = min(p, *longest)
	for i := range min(p, few) + 1 {
		all = append(all, i*p/min(p, few))
	}
	for i := 1; i <= many; i++ {
		all = append(all, p+i*(*longest-p)/many)
	}
	return slices.Compact(all)
}

func bspbench(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.Words = bsplib.Alloc[float64](b, *longest)
		b.Sync()
		s.Rate = rate(b)
	}
	all := sizes(b.NProcs())
	for k := range b.Stages(turns * len(all)) {
		s.Seconds = append(s.Seconds, s.relation(b, all[k%len(all)]))
	}
	return s.report(b, all)
}

// best returns the shortest of several times of do, in seconds, divided by the number of
// its repetitions.
func best(b *bsplib.Proc, tries int, do func()) float64 {
	shortest := time.Duration(math.MaxInt64)
	for range tries {
		b.Sync()
		begin := b.Time()
		for range *repeats {
			do()
		}
		shortest = min(shortest, b.Time()-begin)
	}
	return max(shortest, 1).Seconds() / float64(*repeats)
}

// rate measures the speed at which this process adds multiples of vectors, in operations per second.
func rate(b *bsplib.Proc) float64 {
	x, y := make([]float64, *vector), make([]float64, *vector)
	for i := range x {
		x[i], y[i] = float64(i), 1
	}
	return 4 * float64(*vector) / best(b, turns*tries, func() {
		for _, a := range []float64{1. / 3, -1. / 3} { // so that y stays small
			for i := range x {
				y[i] += a * x[i]
			}
		}
	})
}

// arrived checks the words that a process has received.
func arrived(words []float64, p, pid int) (a arrival) {
	others := max(1, p-1)
	for i, word := range words {
		from := (pid + p - (1+i%others)%p) % p
		if word != float64(from*len(words)+i) {
			a.Wrong++
		}
		place := uint64(pid*len(words) + i)
		a.Sum += numbers.Mix(math.Float64bits(word) ^ numbers.Mix(place))
	}
	return a
}

// relation returns the seconds of a superstep in which each process sends h words, to the others in
// turn, and receives h.
func (s *state) relation(b *bsplib.Proc, h int) float64 {
	p, pid := b.NProcs(), b.Pid()
	others := max(1, p-1)
	took := best(b, tries, func() {
		for i := range h {
			s.Words.Put((pid+1+i%others)%p, i, float64(pid*h+i))
		}
		b.Sync()
	})
	s.Arrived = s.Arrived.plus(arrived(s.Words.Slice()[:h], p, pid))
	return took
}
