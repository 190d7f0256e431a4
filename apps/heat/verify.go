package main

import (
	"fmt"
	"math"

	"github.com/migbsp/migbsp/apps/heat/stencil"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// report checks the temperatures, writes the picture, and hands over the result. All
// processes agree whether it passed.
func (s *state) report(b *bsplib.Proc, p *parameters) error {
	seconds := (b.Time() - s.Began).Seconds()
	part := p.partOf(b.Pid())
	found := s.rangeOf(b, part)
	checks := s.checks(b, p, part, found)
	sum := s.checksum(b, p, part)
	work := p.cells() * float64(s.Steps)
	b.Report(bsplib.Result{
		Title: fmt.Sprintf("Heat equation, %d-D", p.dim), Size: p.times(p.n), Seconds: seconds, Work: work, Unit: "cells",
		Details: []bsplib.Detail{
			{Name: "Process grid", Value: p.join(p.grid)},
			{Name: "Kernels", Value: stencil.Kernel()},
			{Name: "Steps", Value: fmt.Sprint(s.Steps)},
			{Name: "Last change", Value: fmt.Sprintf("%.4g", s.Change)},
			{Name: "Temperatures", Value: fmt.Sprintf("%.4g to %.4g", found.Least, found.Most)},
			{Name: "Time in the body", Value: fmt.Sprintf("%.4g", float64(s.Steps)*p.weights.Beside*p.distance()*p.distance())},
		},
		Checks: checks, Checksum: fmt.Sprintf("%016x", sum),
	})
	for _, c := range checks {
		if !c.Passed {
			return bsplib.ErrNotVerified
		}
	}
	return s.paint(b, p, part, found)
}

// join writes axes as in 2x4.
func (p *parameters) join(a axes) string {
	text := fmt.Sprintf("%d x %d", a[0], a[1])
	if p.dim == 3 {
		text += fmt.Sprintf(" x %d", a[2])
	}
	return text
}

func (p *parameters) times(n int) string { return p.join(axes{n, n, n}) }

// between are the least and the largest temperature.
type between struct{ Least, Most float64 }

func (s *state) rangeOf(b *bsplib.Proc, part *part) between {
	least, most := math.Inf(1), math.Inf(-1)
	for _, line := range part.lines(s.U) {
		for _, x := range line {
			least, most = -numbers.Larger(-least, -x), numbers.Larger(most, x)
		}
	}
	return bsplib.Allreduce(b, between{least, most}, func(a, b between) between {
		return between{-numbers.Larger(-a.Least, -b.Least), numbers.Larger(a.Most, b.Most)}
	})
}

// checks compares with exactly known values. Errors are in units of the possible rounding
// error: a step rounds a cell some eight times, by half a unit at most, and makes no
// difference larger.
func (s *state) checks(b *bsplib.Proc, p *parameters, part *part, r between) []bsplib.ResultCheck {
	const unit = 0x1p-52
	largest := 0.
	for _, x := range append(p.walls[:], r.Least, r.Most) {
		largest = numbers.Larger(largest, math.Abs(x))
	}
	if p.waves[0] > 0 {
		largest = numbers.Larger(largest, 1)
	}
	rounding := unit * largest * float64(4*s.Steps+8)
	var checks []bsplib.ResultCheck
	add := func(name string, value, limit float64) {
		checks = append(checks, bsplib.ResultCheck{Name: name, Value: value, Limit: limit, Passed: value <= limit})
	}
	sums := unit * largest * float64(3*p.n+b.NProcs())
	add("slowest wave, error / rounding", s.waveError(b, p, part)/(rounding+sums), 1)
	if p.walls == [6]float64{} && p.source.rise == 0 {
		add("worst cell, error / rounding", s.cellError(b, p, part)/rounding, 1)
	}
	if p.tolerance > 0 {
		add("change in the last step", s.Change, p.tolerance)
	}
	return checks
}

// waveError returns the error of the amplitude of the slowest wave, half a wave along each
// axis. A step is linear: it multiplies any wave by a factor, and walls and sources add
// their part of the wave.
func (s *state) waveError(b *bsplib.Proc, p *parameters, part *part) float64 {
	slowest := axes{1, 1, 1}
	w := p.sines(slowest, part)
	var own amounts
	for at, line := range part.lines(s.U) {
		sum, all := 0., 0.
		for x, u := range line {
			sum += u * w[0][x]
			all += w[0][x]
		}
		beside := w[1][at[1]] * w[2][at[2]]
		own.Wave += sum * beside
		own.All += all * beside
	}
	for axis := range p.dim {
		own.Added += p.weights.Beside * p.touching(part, &w, axis)
	}
	for _, place := range p.heated(part) {
		own.Added += p.source.rise * w.at(part.block.Cell(place))
	}
	sum := bsplib.Allreduce(b, own, amounts.plus)
	began := 0.
	if p.waves == slowest {
		began = math.Pow(float64(p.n+1)/2, float64(p.dim))
	}
	return math.Abs(sum.Wave-after(began, p.factor(slowest), sum.Added, s.Steps)) / sum.All
}

// amounts are the part of a wave in the cells, the amount that walls and sources add to it
// in a step, and the sum of the wave over the cells.
type amounts struct{ Wave, Added, All float64 }

func (a amounts) plus(other amounts) amounts {
	return amounts{a.Wave + other.Wave, a.Added + other.Added, a.All + other.All}
}

// touching adds up the wave in the cells next to the walls of an axis, times the
// temperatures of the walls.
func (p *parameters) touching(part *part, w *wave, axis int) float64 {
	product := 0.
	for side, cell := range []int{0, len(w[axis]) - 1} {
		if part.faces[2*axis+side].neighbour < 0 {
			product += p.walls[2*axis+side] * w[axis][cell]
		}
	}
	for other := range 3 {
		if other != axis {
			sum := 0.
			for _, x := range w[other] {
				sum += x
			}
			product *= sum
		}
	}
	return product
}

// cellError is the largest error of a cell where only the waves of the beginning are.
func (s *state) cellError(b *bsplib.Proc, p *parameters, part *part) float64 {
	w, worst := p.sines(p.waves, part), 0.
	left := after(1, p.factor(p.waves), 0, s.Steps)
	for at, line := range part.lines(s.U) {
		for x, u := range line {
			worst = numbers.Larger(worst, math.Abs(u-left*w.at(x, at[1], at[2])))
		}
	}
	return bsplib.Allreduce(b, worst, numbers.Larger)
}

// checksum mixes all temperatures with their positions in the body.
func (s *state) checksum(b *bsplib.Proc, p *parameters, part *part) uint64 {
	sum := uint64(0)
	for at, line := range part.lines(s.U) {
		place := uint64(part.first[0]) + uint64(p.n)*(uint64(part.first[1]+at[1])+uint64(p.n)*uint64(part.first[2]+at[2]))
		for x, u := range line {
			sum += numbers.Mix(math.Float64bits(u) ^ numbers.Mix(place+uint64(x)))
		}
	}
	return bsplib.Sum(b, sum)
}
