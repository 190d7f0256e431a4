package main

import (
	"math"

	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// compare multiplies once more, here and on process 0 alone, and returns the largest
// difference of the two products relative to the possible rounding error: eps times the
// nonzeros of the row times the sum of the sizes of its products.
func (s *state) compare(b *bsplib.Proc, p parameters) (float64, error) {
	s.multiply(b)
	xs, ys := bsplib.Gather(b, 0, s.X), bsplib.Gather(b, 0, s.Y)
	worst := 0.0
	if b.Pid() == 0 {
		x, y := s.whole(xs), s.whole(ys)
		var err error
		if worst, err = p.off(x, y); err != nil {
			return 0, err
		}
	}
	return bsplib.Allreduce(b, worst, numbers.Larger), nil
}

// whole is a vector, of the parts of all processes.
func (s *state) whole(parts [][]float64) []float64 {
	whole := make([]float64, s.N)
	for pid, part := range parts {
		for place, x := range part {
			whole[s.Grid.global(pid/s.Grid.Cols, pid%s.Grid.Cols, place)] = x
		}
	}
	return whole
}

// off returns the distance of y from A x.
func (p parameters) off(x, y []float64) (float64, error) {
	product, sizes, counts := make([]float64, len(x)), make([]float64, len(x)), make([]int, len(x))
	_, err := p.each(0, len(x), func(i, j int, a float64) {
		product[i] += a * x[j]
		sizes[i] += math.Abs(a * x[j])
		counts[i]++
	})
	worst, eps := 0.0, math.Nextafter(1, 2)-1
	for i := range y {
		if off := math.Abs(product[i] - y[i]); off != 0 {
			worst = numbers.Larger(worst, off/(eps*float64(counts[i])*sizes[i]))
		}
	}
	return worst, err
}

// checksum mixes all numbers of x with their positions.
func (s *state) checksum(b *bsplib.Proc) uint64 {
	sum := uint64(0)
	for place, x := range s.X {
		i := s.Grid.global(s.Row, s.Col, place)
		sum += numbers.Mix(math.Float64bits(x) ^ numbers.Mix(uint64(i)))
	}
	return bsplib.Sum(b, sum)
}
