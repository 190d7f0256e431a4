// Load is a program whose work and messages are given on its command line: to
// see what rescheduling makes of them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bsplib"
)

const about = `
Load computes and exchanges for a number of stages. Its processes form a ring;
in each stage each relaxes a vector of its own and gives its ends to its
neighbours, or with -stride to processes farther away. How much a process computes depends on the pattern:
  even     all the same
  uneven   process i has 1 + i mod 4 parts
  rotate   in stage k only processes with i mod 4 = k mod 4 compute
  wave     a front of 1/4 of the processes works 6 times as much, and travels
           round the ring once
  wander   a smooth bump of work wanders over the processes, and around; how
           high, wide and fast it is, -draw says
  grow     process 0's work grows to 8 times that of the others`

var (
	steps   = flag.Int("steps", 100, "`number` of stages, of one superstep each")
	grain   = flag.Int("grain", 200, "`passes` over the vector in one part of the work")
	pattern = flag.String("pattern", "uneven", "`kind` of load: "+strings.Join(patterns, ", "))
	size    = flag.Int("size", 2000, "`length` of each process's vector, which moves with it")
	stride  = flag.Int("stride", 1, "`distance` in the ring of those who are given something")
	draw    = flag.Uint64("draw", 1, "`number` that height, width and speed of -pattern wander are drawn from")
	halo    = flag.Int("halo", 1, "`values` given to each neighbour in each stage")
)

var patterns = []string{"even", "uneven", "rotate", "wave", "wander", "grow"}

func main() {
	bsplib.Main(load, bsplib.Options{Description: about, CheckFlags: check})
}

func check(procs int) error {
	switch {
	case !slices.Contains(patterns, *pattern):
		return fmt.Errorf("-pattern %s: there are %s", *pattern, strings.Join(patterns, ", "))
	case *steps < 1 || *grain < 1:
		return errors.New("-steps and -grain: at least 1")
	case *stride < 1:
		return fmt.Errorf("-stride %d: at least 1", *stride)
	case *size < 2 || *halo < 1 || *halo > *size/2:
		return fmt.Errorf("-halo %d: it is at least 1 and at most half of -size %d", *halo, *size)
	}
	return nil
}

// state is a process's part of the ring.
type state struct {
	Values []float64
	Left   bsplib.Area[float64] // values from the neighbours
	Right  bsplib.Area[float64]
}

func load(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.Values = make([]float64, *size)
		for i := range s.Values {
			s.Values[i] = math.Sin(float64(b.Pid()**size + i))
		}
		s.Left, s.Right = bsplib.Alloc[float64](b, *halo), bsplib.Alloc[float64](b, *halo)
		b.Sync()
	}
	for k := range b.Stages(*steps) {
		copy(s.Values, s.Left.Slice())
		copy(s.Values[*size-*halo:], s.Right.Slice())
		passes := *grain * parts(*pattern, b.Pid(), b.NProcs(), k, *steps)
		if *pattern == "wander" {
			passes = int(float64(*grain) * (1 + bump(b.Pid(), b.NProcs(), k, *steps)))
		}
		for range passes {
			relax(s.Values)
		}
		n, far := b.NProcs(), *stride%b.NProcs()
		s.Right.Put((b.Pid()+n-far)%n, 0, s.Values[:*halo]...)
		s.Left.Put((b.Pid()+far)%n, 0, s.Values[*size-*halo:]...)
	}
	return report(b, s)
}

// parts is how many parts of work process pid of n has in stage k of steps.
func parts(pattern string, pid, n, k, steps int) int {
	switch pattern {
	case "uneven":
		return 1 + pid%4
	case "rotate":
		if pid%4 == k%4 {
			return 4
		}
		return 0
	case "wave":
		front := k * n / steps
		if (pid-front+n)%n < (n+3)/4 {
			return 6
		}
		return 1
	case "grow":
		if pid == 0 {
			return 1 + 7*k/steps
		}
		return 1
	}
	return 1
}

// bump is the part of its work that process pid of n has more than others in stage k of steps.
func bump(pid, n, k, steps int) float64 {
	random := rand.New(rand.NewPCG(*draw, 0))
	between := func(low, high float64) float64 { return low + (high-low)*random.Float64() }
	high, width, turns := between(2, 8), between(0.03, 0.2), between(-6, 6)
	x := float64(pid)/float64(n) - turns*float64(k)/float64(steps)
	x -= math.Round(x)
	return high * math.Exp(-x*x/width/width)
}

// relax averages neighbouring values once, from left to right.
func relax(x []float64) {
	last := x[0]
	for i := 1; i < len(x); i++ {
		last = 0.5*last + 0.5*x[i]
		x[i] = last
	}
}

// report hands over a checksum of all values, in the order of the processes.
func report(b *bsplib.Proc, s *state) error {
	hash := uint64(14695981039346656037)
	for _, v := range s.Values {
		hash = (hash ^ math.Float64bits(v)) * 1099511628211
	}
	sum := uint64(0)
	for _, part := range bsplib.Gather(b, 0, []uint64{hash}) {
		sum = sum*31 + part[0]
	}
	b.Report(bsplib.Result{
		Title: "Synthetic load, " + *pattern, Size: fmt.Sprintf("%d values per process", *size),
		Details: []bsplib.Detail{{Name: "Stages", Value: fmt.Sprint(*steps)}}, Checksum: fmt.Sprintf("%016x", sum),
	})
	return nil
}
