// Fft transforms a vector of complex numbers, forward and back, on processes that
// each have every p-th number.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/apps/fft/dft"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/bsplib"
)

const about = `
Fft computes the discrete Fourier transform of n = 2^k complex numbers and its
inverse, as often as -iterations says, and checks both. Number j is with process
j mod p, before and after. Up to p = sqrt(n) processes pass the vector on once in
each transform, more processes in several rounds within smaller and smaller groups.
The p processes that compute are the largest power of two among -procs that leaves
two numbers to each; others idle.`

var (
	size       = flag.String("n", "2^20", "`numbers` to transform, a power of two: 1024 or 2^10")
	iterations = flag.Int("iterations", 10, "transform forward and back this often; each time is a stage")
	signal     = flag.String("signal", "noise", "`what` to transform: noise, or a wave of one frequency")
	seed       = flag.Uint64("seed", 1, "of the noise, and of the wave's frequency")
	in         = flag.String("in", "", "transform the numbers in this `file`: a line for each, with its real and, if there is one, imaginary part")
	out        = flag.String("out", "", "write the transform to this `file`, in lines like those of -in")
)

func main() {
	bsplib.Main(fft, bsplib.Options{Description: about, CheckFlags: check, MemoryNeeded: memory, WorkNeeded: work})
}

// parameters is the values of the command line.
type parameters struct {
	n, iterations int
	wave          bool
	seed          uint64
	in, out       string
}

func fft(b *bsplib.Proc, s *state) error {
	p, err := read()
	if err != nil {
		return err
	}
	t := newTransform(b, p.n)
	if b.Fresh() {
		if err := s.setUp(b, p); err != nil {
			return err
		}
		b.Sync()
		s.Began = b.Time()
	}
	for range b.Stages(p.iterations) {
		t.forward(s.X)
		t.back(s.X)
	}
	return s.report(b, p, t, (b.Time() - s.Began).Seconds())
}

// read makes the parameters of the command line.
func read() (parameters, error) {
	p := parameters{iterations: *iterations, wave: *signal == "wave", seed: *seed, in: *in, out: *out}
	var err error
	switch {
	case p.iterations < 1:
		return p, fmt.Errorf("-iterations %d: at least one is needed", p.iterations)
	case *signal != "noise" && *signal != "wave":
		return p, fmt.Errorf("-signal %s: it is noise or wave", *signal)
	case p.in != "":
		p.n, err = counted.Of(p.in)
	default:
		p.n, err = power(*size)
	}
	return p, err
}

// mostBits is the logarithm of the longest vector.
const mostBits = 32

// power reads a power of two.
func power(text string) (int, error) {
	if exponent, found := strings.CutPrefix(text, "2^"); found {
		if k, err := strconv.Atoi(exponent); err == nil && k >= 0 && k <= mostBits {
			return 1 << k, nil
		}
	} else if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= 1<<mostBits && n&(n-1) == 0 {
		return n, nil
	}
	return 0, fmt.Errorf("-n %s: expected a power of two up to 2^%d, such as 1024 or 2^10", text, mostBits)
}

func check(int) error {
	p, err := read()
	if err == nil {
		err = lines.Writable("-out", p.out)
	}
	return err
}

// memory returns the bytes of all processes: the vector, and twice as many for numbers that
// are redistributed.
func memory(int) int64 {
	p, _ := read() // which check has found right
	return 3 * 16 * int64(p.n)
}

// work is all transforms.
func work(procs int) bsplib.Work {
	p, _ := read() // which check has found right
	const exchanges, supersteps = 2, 5
	return bsplib.Work{
		Amount: p.flops(), Unit: "flop", PerSecond: 4e9,
		Supersteps: supersteps * p.iterations, Sent: exchanges * 16 * float64(p.iterations) * float64(p.n) / float64(procs),
	}
}

// flops returns the number of operations of all transforms, by the usual count.
func (p parameters) flops() float64 {
	return 2 * float64(p.iterations) * 5 * float64(p.n) * math.Log2(float64(p.n))
}

// sharers returns the number of processes that share a vector of n numbers.
func sharers(procs, n int) int {
	return 1 << (bits.Len(uint(max(1, min(procs, n/2)))) - 1)
}

// report checks both transforms and hands over the result; all processes agree
// whether it passed.
func (s *state) report(b *bsplib.Proc, p parameters, t *transform, seconds float64) error {
	checks, sum := []bsplib.ResultCheck{s.checkReturn(b, p)}, s.checksum(b)
	s.fill(b, p)
	t.forward(s.X)
	checks = append(checks, s.checkSpectrum(b, p)...)
	passed := true
	for _, c := range checks {
		passed = passed && c.Passed
	}
	transforms := 2 * float64(p.iterations)
	b.Report(bsplib.Result{
		Title: "Fourier transform, forward and back", Size: fmt.Sprintf("%d numbers", p.n),
		Seconds: seconds, Work: p.flops(), Unit: "flop",
		Details: []bsplib.Detail{
			{Name: "Transforms", Value: fmt.Sprint(transforms)},
			{Name: "Distribution", Value: fmt.Sprintf("cyclic over %d", s.Parts)},
			{Name: "Redistributions", Value: fmt.Sprint(t.all - 1)},
			{Name: "Kernels", Value: dft.Kernel()},
		},
		Checks: checks, Checksum: fmt.Sprintf("%016x", sum),
	})
	if !passed {
		return bsplib.ErrNotVerified
	}
	return s.write(b, p)
}
