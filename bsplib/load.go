package bsplib

import "math"

// This file is what a program can tell of its own load: how much there is to do in the
// stage that comes, and which part of a stage is not like others. Package rebalancer
// believes what it is told as far as that has been right in this run.

// Load says how much this process has to do in the coming stage: in the next one if it is
// in a stage, else in the first that it begins. x counts what the work goes with, in a
// unit that is the same for all processes and stages: cells, particles, rows. It holds
// until the next call, on any rank and after a restart.
//
// Rescheduling uses it where it has predicted the work of this run better than the work
// of earlier stages has: in programs whose processes know that they will have more to do,
// or less, before that shows.
//
// Errors: a number that is negative, infinite or not one ends the run.
//
// BSP cost: none.
func (p *Proc) Load(x float64) {
	if !(x >= 0) || math.IsInf(x, 1) {
		p.fail(KindBadLoad, "Load(%v); a load is a number from 0 on", x)
	}
	p.process.Load = max(x, leastLoad)
}

// leastLoad stands for 0: to have nothing to do is something else than to say nothing.
const leastLoad = math.SmallestNonzeroFloat32

// Aside calls f and leaves the time that it takes out of the process's load: what a
// process does once, or now and then, such as reading its part of a file or writing a
// picture, says nothing of the stages that come, and shall move nothing. Others wait for
// it all the same, so that the account of the run has it as work.
//
// Rules: f may do whatever the program may in its place. Aside within Aside has no effect.
//
// BSP cost: that of f.
func (p *Proc) Aside(f func()) {
	p.process.BeginAside()
	defer p.process.EndAside()
	f()
}
