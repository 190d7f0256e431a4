package main

import (
	"bufio"
	"fmt"
	"math"
	"slices"

	"github.com/migbsp/migbsp/apps/internal/heat"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/apps/lbm/collide"
	"github.com/migbsp/migbsp/bsplib"
)

// report checks the flow, writes the pictures, and hands over the result. All processes
// agree whether it passed.
func (s *state) report(b *bsplib.Proc, p *parameters) error {
	seconds := (b.Time() - s.Began).Seconds()
	g := p.geometryOf(b.Pid(), b.NProcs())
	sums, fastest := s.sums(p, g)
	fastest = bsplib.Allreduce(b, fastest, numbers.Larger)
	all := slices.Concat(bsplib.Allgather(b, sums)...)
	checks := p.checks(all, fastest)
	sum := s.checksum(b, p, g)
	cells := 0.
	for _, layer := range all {
		cells += layer.Cells
	}
	work := cells * float64(p.steps)
	b.Report(bsplib.Result{
		Title: "Lattice Boltzmann, " + p.lattice.name, Size: p.text(), Seconds: seconds, Work: work, Unit: "cells",
		Details: p.details(work/seconds, cells, fastest), Checks: checks, Checksum: fmt.Sprintf("%016x", sum),
	})
	for _, c := range checks {
		if !c.Passed {
			return bsplib.ErrNotVerified
		}
	}
	return s.pictures(b, p, g, fastest)
}

func (p *parameters) text() string {
	if p.breadth == 0 {
		return fmt.Sprintf("%d x %d", p.length, p.height)
	}
	return fmt.Sprintf("%d x %d x %d", p.length, p.height, p.breadth)
}

func (p *parameters) details(rate, cells, fastest float64) []bsplib.Detail {
	all := float64(p.length * p.height * max(1, p.breadth))
	details := []bsplib.Detail{
		{Name: "MLUPS", Value: fmt.Sprintf("%.4g", rate/1e6)},
		{Name: "Kernels", Value: collide.Kernel()},
		{Name: "Steps", Value: fmt.Sprint(p.steps)},
		{Name: "Obstacle", Value: fmt.Sprintf("%s, %.1f%% solid", p.name, 100*(1-cells/all))},
		{Name: "Reynolds number", Value: fmt.Sprintf("%.4g (height)", p.speed*float64(p.height)/p.viscosity)},
		{Name: "Largest speed", Value: fmt.Sprintf("%.4g", fastest)},
	}
	if p.obstacle == nil && !p.formed() {
		details = append(details, bsplib.Detail{Name: "Profile", Value: fmt.Sprintf("not checked before step %d", p.forming())})
	}
	return details
}

// checks checks the laws of physics: the mass is constant. No cell is nearly as fast as sound, which
// would indicate an unstable flow. Without obstacles, and once the profile has formed, the speeds are
// those in a viscous fluid after the force has acted for that time.
func (p *parameters) checks(layers []layerSum, fastest float64) []bsplib.ResultCheck {
	mass, cells := 0., 0.
	for _, layer := range layers {
		mass, cells = mass+layer.Mass, cells+layer.Cells
	}
	checks := []bsplib.ResultCheck{
		check1("mass lost or won, of all", math.Abs(mass-cells)/cells, 1e-10),
		check1("largest speed, of that of sound", fastest*math.Sqrt(3), 0.5),
	}
	if p.obstacle == nil && p.formed() {
		checks = append(checks, check1("error of the profile, of the largest speed", p.profileError(layers), profileLimit))
	}
	return checks
}

// profileLimit is up to where a profile passes.
const profileLimit = 0.01

// forming returns the number of steps before the profile matches a fluid's. Walls must slow down more
// than the adjacent layers, which takes time in proportion to 1/viscosity, and the effect of the
// populations' initial equilibrium must decay, which takes time in proportion to the viscosity. Then
// profiles of any height are within profileLimit.
func (p *parameters) forming() int {
	return int(math.Ceil(4 * max(1/p.viscosity, 100*p.viscosity)))
}

func (p *parameters) formed() bool { return p.steps >= p.forming() }

func check1(name string, value, limit float64) bsplib.ResultCheck {
	return bsplib.ResultCheck{Name: name, Value: value, Limit: limit, Passed: value < limit}
}

// profileError returns the largest error of a layer's speed, relative to the largest speed.
// A force that acts in steps has begun half a step before their middle.
func (p *parameters) profileError(layers []layerSum) float64 {
	most, worst := 0., 0.
	for h, layer := range layers {
		want := p.between(h, float64(p.steps)-0.5)
		most = numbers.Larger(most, want)
		worst = numbers.Larger(worst, math.Abs(layer.Along/layer.Cells-want))
	}
	return worst / most
}

// pictures writes the pictures of the command line.
func (s *state) pictures(b *bsplib.Proc, p *parameters, g *geometry, fastest float64) error {
	var last []byte
	if *picture != "" {
		last = whole(b, s.paint(p, g, p.steps, fastest))
	}
	if p.frames > 0 {
		s.takeFrame(b, p, g, p.steps)
	}
	if b.Pid() == 0 {
		return p.write(last, s.Frames)
	}
	return nil
}

// write makes the files: a picture of the last step, and a film.
func (p *parameters) write(last []byte, frames [][]byte) (err error) {
	if *picture != "" {
		err = lines.Write(*picture, func(w *bufio.Writer) error { return heat.WritePNG(w, p.image(last)) })
	}
	if err == nil && p.frames > 0 {
		err = lines.Write(*film, func(w *bufio.Writer) error { return p.writeGIF(w, frames) })
	}
	return err
}
