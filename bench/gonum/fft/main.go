// Fft puts apps/fft/dft beside gonum's Fourier transform, on one core, in turns.
//
//	cd bench/gonum && go run ./fft
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"slices"
	"time"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/migbsp/migbsp/apps/fft/dft"
	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// settings are what the command line says.
type settings struct {
	from, to, step int // logarithms of the sizes
	rounds         int
}

func main() { measurement.Main() }

var measurement = frame.Program{Name: "fft", Flags: define}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	flags.IntVar(&s.from, "from", 8, "`logarithm` of the shortest vector")
	flags.IntVar(&s.to, "to", 22, "`logarithm` of the longest vector")
	flags.IntVar(&s.step, "step", 2, "`distance` of the logarithms between them")
	flags.IntVar(&s.rounds, "rounds", 5, "`measurements` of each, in turns; the median counts")
	return func() (frame.Work, error) {
		switch {
		case s.from < 1 || s.to < s.from || s.to > 26 || s.step < 1:
			return nil, errors.New("-from, -to, -step: expected sizes from 2^1 to 2^26")
		case s.rounds < 1:
			return nil, fmt.Errorf("-rounds %d: at least one is needed", s.rounds)
		}
		return s.run, nil
	}
}

func (s *settings) run(ctx context.Context, stdout, _ io.Writer) error {
	var rows [][]string
	for bits := s.from; bits <= s.to; bits += s.step {
		ours, theirs := transforms(1 << bits)
		if err := same(ours, theirs, 1<<bits); err != nil {
			return err
		}
		var a, b []float64
		for range s.rounds {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a, b = append(a, rate(ours, bits)), append(b, rate(theirs, bits))
		}
		rows = append(rows, []string{
			fmt.Sprintf("2^%d", bits), fmt.Sprintf("%.3g", median(a)), fmt.Sprintf("%.3g", median(b)), fmt.Sprintf("%.2f", median(b)/median(a)),
		})
	}
	fmt.Fprintf(stdout, "\n Fourier transforms on one core, Gflop/s (5 n log2 n for each), medians of %d in turns; dft has %s kernels.\n", s.rounds, dft.Kernel())
	fmt.Fprint(stdout, " ratio = time of dft / time of gonum's: below 1 ours is faster.\n")
	return ledger.WriteRows(stdout, []string{"n", "dft", "gonum", "ratio"}, rows, 0)
}

// transform transforms a vector and returns where the result is; it may spoil what it
// gets.
type transform func(x []complex128) []complex128

// transforms are ours and gonum's for n numbers. Both write to memory of their own.
func transforms(n int) (ours, theirs transform) {
	plan, gonum := dft.New(n, false), fourier.NewCmplxFFT(n)
	to := make([]complex128, n)
	ours = func(x []complex128) []complex128 {
		plan.Transform(x, to)
		return to
	}
	theirs = func(x []complex128) []complex128 { return gonum.Coefficients(to, x) }
	return ours, theirs
}

// same tells whether two transforms come to the same, but for rounding.
func same(ours, theirs transform, n int) error {
	x := vector(n)
	a := slices.Clone(ours(slices.Clone(x)))
	b := theirs(x)
	for i := range a {
		if off := cmplx.Abs(a[i] - b[i]); !(off <= 1e-13*math.Sqrt(float64(n))*math.Log2(float64(2*n))) {
			return fmt.Errorf("n = %d: number %d is %v, and gonum's is %v", n, i, a[i], b[i])
		}
	}
	return nil
}

// vector has numbers of all directions, about 1 in size.
func vector(n int) []complex128 {
	x := make([]complex128, n)
	for i := range x {
		x[i] = cmplx.Rect(1, float64(i)*float64(i%1021))
	}
	return x
}

// rate is how many Gflop/s a transform makes in about a fifth of a second.
func rate(t transform, bits int) float64 {
	const long = 200 * time.Millisecond
	original := vector(1 << bits)
	x := slices.Clone(original)
	var took time.Duration
	count := 0
	for ; took < long; count++ {
		copy(x, original)
		began := time.Now()
		t(x)
		took += time.Since(began)
	}
	return float64(count) * 5 * float64(int(1)<<bits) * float64(bits) / took.Seconds() * 1e-9
}

func median(x []float64) float64 {
	sorted := slices.SortedFunc(slices.Values(x), cmp.Compare)
	return sorted[len(sorted)/2]
}
