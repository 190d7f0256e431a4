package main

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/migbsp/migbsp/apps/fft/dft"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// Errors are measured in units of the possible rounding error of all transforms: eps log2 n times the
// size of the vector's numbers for each. limit is the largest error that passes.
const limit = 16

func unit(n int) float64 {
	eps := math.Nextafter(1, 2) - 1
	return eps * max(1, math.Log2(float64(n)))
}

// checkReturn compares the vector that has been transformed forward and back with the
// initial one.
func (s *state) checkReturn(b *bsplib.Proc, p parameters) bsplib.ResultCheck {
	most, off := 0.0, 0.0
	for i, x := range s.X.Slice() {
		was := s.original(b, p, i)
		most, off = numbers.Larger(most, cmplx.Abs(was)), numbers.Larger(off, cmplx.Abs(x-was))
	}
	most, off = bsplib.Allreduce(b, most, numbers.Larger), bsplib.Allreduce(b, off, numbers.Larger)
	return within("|x - back(forward(x))|", over(off, most*unit(p.n)*float64(p.iterations)))
}

// checkSpectrum compares the spectrum in X with the definition, at all frequencies if they
// are few and else at some, and its energy with the original's.
func (s *state) checkSpectrum(b *bsplib.Proc, p parameters) []bsplib.ResultCheck {
	before, after := s.energies(b, p)
	size := math.Sqrt(after / float64(p.n)) // of a number of the spectrum

	some := p.frequencies()
	want := s.direct(b, p, some)
	off, most := 0.0, 0.0
	for i, f := range some {
		if f%s.Parts == b.Pid() {
			off = numbers.Larger(off, cmplx.Abs(s.X.Slice()[f/s.Parts]-want[i]))
		}
		most = max(most, cmplx.Abs(want[i]))
	}
	off = bsplib.Allreduce(b, off, numbers.Larger)
	checks := []bsplib.ResultCheck{
		within(fmt.Sprintf("|X - definition| at %d frequencies", len(some)), over(off, unit(p.n)*max(size, most))),
		within("|energy(X) - energy(x)|", over(math.Abs(after-before), unit(p.n)*before)),
	}
	if p.wave && p.in == "" {
		checks = append(checks, s.checkWave(b, p))
	}
	return checks
}

// block is the number of values summed before the sum is added to the total: short sums lose fewer
// digits.
const block = 512

// energies returns the sum of the squares of the original, times n, and of the spectrum. By
// Parseval's theorem they are equal.
func (s *state) energies(b *bsplib.Proc, p parameters) (before, after float64) {
	for first := 0; first < len(s.X.Slice()); first += block {
		original, now := 0.0, 0.0
		for i := first; i < min(first+block, len(s.X.Slice())); i++ {
			original += square(s.original(b, p, i))
			now += square(s.X.Slice()[i])
		}
		before += original
		after += now
	}
	add := func(x, y float64) float64 { return x + y }
	return float64(p.n) * bsplib.Allreduce(b, before, add), bsplib.Allreduce(b, after, add)
}

// checkWave checks that the spectrum has only the frequency of the wave.
func (s *state) checkWave(b *bsplib.Proc, p parameters) bsplib.ResultCheck {
	off := 0.0
	for i, x := range s.X.Slice() {
		if uint64(b.Pid()+i*s.Parts) == p.frequency() {
			x -= complex(float64(p.n), 0)
		}
		off = numbers.Larger(off, cmplx.Abs(x))
	}
	off = bsplib.Allreduce(b, off, numbers.Larger)
	return within("|X - wave|", over(off, float64(p.n)*unit(p.n)))
}

// frequencies returns the frequencies for which the check evaluates the definition of the transform.
func (p parameters) frequencies() []int {
	const all, some = 1024, 16
	var list []int
	if p.n <= all {
		for f := range p.n {
			list = append(list, f)
		}
		return list
	}
	list = append(list, 0, 1, p.n/2, p.n-1, int(p.frequency()))
	for i := len(list); i < some; i++ {
		list = append(list, int(numbers.Mix(uint64(i))%uint64(p.n)))
	}
	return list
}

// direct is the spectrum of the original at some frequencies, by its definition, on all
// processes.
func (s *state) direct(b *bsplib.Proc, p parameters, frequencies []int) []complex128 {
	roots := dft.RootsOf(p.n, false)
	sums := make([]complex128, len(frequencies))
	for first := 0; first < len(s.X.Slice()); first += block {
		part := make([]complex128, len(frequencies))
		for i := first; i < min(first+block, len(s.X.Slice())); i++ {
			x, j := s.original(b, p, i), b.Pid()+i*s.Parts
			for k, f := range frequencies {
				part[k] += x * roots.At(j*f)
			}
		}
		for k := range sums {
			sums[k] += part[k]
		}
	}
	bsplib.SumSlice(b, sums)
	return sums
}

// checksum mixes all numbers with their positions in the vector.
func (s *state) checksum(b *bsplib.Proc) uint64 {
	sum := uint64(0)
	for i, x := range s.X.Slice() {
		place := 2 * uint64(b.Pid()+i*s.Parts)
		sum += numbers.Mix(math.Float64bits(real(x))^numbers.Mix(place)) + numbers.Mix(math.Float64bits(imag(x))^numbers.Mix(place+1))
	}
	return bsplib.Sum(b, sum)
}

func within(name string, value float64) bsplib.ResultCheck {
	return bsplib.ResultCheck{Name: name + " / rounding", Value: value, Limit: limit, Passed: value <= limit}
}

// over returns x/y, and 0 for 0/0: no error against no size is right.
func over(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x / y
}

func square(x complex128) float64 { return real(x)*real(x) + imag(x)*imag(x) }
