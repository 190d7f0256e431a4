//go:build linux

package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/randprog"
)

// An engine is a method of running the program.
type engine int

const (
	inProcess  engine = iota // ranks are goroutines of one process
	mpirun                   // ranks are processes of a launcher
	surviving                // the same under migbsp run -survive -np
	survivingL               // the same under migbsp run -survive -- mpirun
	engines
)

func (e engine) String() string {
	return [...]string{"one process", "mpirun", "-survive -np", "-survive -- mpirun"}[e]
}

func (e engine) survives() bool { return e == surviving || e == survivingL }

// A kind is a kind of fault.
type kind int

const (
	killRank kind = iota
	killLauncher
	killSupervisor
	terminate      // SIGTERM to the process that was started
	terminateTwice // a second SIGTERM follows
	request        // SIGUSR1 to a rank
	stopRank       // SIGSTOP, and later SIGCONT, to a rank
	stopAll        // the same to all processes
	fillDisk       // writing checkpoints fails for some time
	damagePart     // of the newest checkpoint; then a rank is killed
	damageManifest
	kinds
)

func (k kind) String() string {
	return [...]string{
		"rank killed", "launcher killed", "supervisor killed", "SIGTERM", "SIGTERM twice", "SIGUSR1",
		"rank stopped for a while", "all stopped for a while", "disk full for a while",
		"part damaged, rank killed", "manifest damaged, rank killed",
	}[k]
}

// possible reports whether an engine has the target of the fault. The engine kills the
// process that was started instead of a missing launcher or supervisor.
func (k kind) possible(e engine) bool {
	switch k {
	case killLauncher:
		return e != inProcess
	case killSupervisor:
		return e.survives()
	}
	return true
}

// A fault happens in a superstep of a process of the program.
type fault struct {
	kind      kind
	step, pid int
	delay     time.Duration // after the superstep has begun; 0: the program waits for the fault
	lasts     time.Duration // of a state that ends: stopped, full
	next      start         // that follows if the fault ends the part
}

func (f fault) String() string {
	text := fmt.Sprintf("%v in superstep %d of process %d", f.kind, f.step, f.pid)
	if f.delay > 0 {
		text += fmt.Sprintf(" + %v", f.delay)
	}
	if f.lasts > 0 {
		text += fmt.Sprintf(" for %v", f.lasts)
	}
	return text
}

// A start is a way to start a part of a run.
type start struct {
	engine engine
	ranks  int
	moves  string // -shake, or a strategy of -balance
}

func (s start) String() string { return fmt.Sprintf("%d ranks, %v, %s", s.ranks, s.engine, s.moves) }

// A trial is a random program with its faults. All of it follows from the seed.
type trial struct {
	seed   uint64
	procs  int
	steps  int
	every  string        // -checkpoint-every
	pause  time.Duration // of each process in each superstep
	first  start
	faults []fault
}

// draw draws a trial. Engines other than the allowed ones are replaced.
func draw(seed uint64, allowed []engine) *trial {
	g := rand.New(rand.NewPCG(seed, 53))
	t := &trial{seed: seed, steps: 20 + g.IntN(80), pause: time.Duration(g.IntN(4)) * 500 * time.Microsecond}
	t.procs = randprog.Generate(seed, randprog.Small, t.steps).Procs
	t.every = fmt.Sprintf("%dstages", 1+g.IntN(4))
	if g.IntN(8) == 0 {
		t.every = ""
	}
	t.first = drawStart(g, allowed)
	for range 1 + g.IntN(3) {
		t.faults = append(t.faults, t.drawFault(g, allowed))
	}
	slices.SortStableFunc(t.faults, func(a, b fault) int { return cmp.Compare(a.step, b.step) })
	return t
}

func drawStart(g *rand.Rand, allowed []engine) start {
	s := start{engine: engine(g.IntN(int(engines))), ranks: 1 + g.IntN(4)}
	if other := allowed[g.IntN(len(allowed))]; !slices.Contains(allowed, s.engine) {
		s.engine = other
	}
	s.moves = [...]string{"-shake", "-balance=auto", "-balance=percent", "-balance=off"}[g.IntN(4)]
	return s
}

func (t *trial) drawFault(g *rand.Rand, allowed []engine) fault {
	f := fault{kind: kind(g.IntN(int(kinds))), step: g.IntN(t.steps), pid: g.IntN(t.procs)}
	if g.IntN(3) > 0 {
		f.delay = time.Duration(1+g.IntN(30)) * time.Millisecond
	}
	lasts := time.Duration(50+g.IntN(400)) * time.Millisecond
	switch f.kind {
	case stopRank, stopAll, fillDisk:
		f.lasts = lasts
	}
	f.next = drawStart(g, allowed)
	return f
}

// moments is the value of TORTURE_MOMENTS.
func (t *trial) moments() string {
	var all []string
	for _, f := range t.faults {
		all = append(all, fmt.Sprintf("%d:%d", f.step, f.pid))
	}
	return strings.Join(all, ",")
}

func (t *trial) String() string {
	text := fmt.Sprintf("seed %d: %d processes, %d supersteps, checkpoints every %s; %v", t.seed, t.procs, t.steps, cmp.Or(t.every, "request"), t.first)
	for _, f := range t.faults {
		text += fmt.Sprintf("\n  %v; a new start has %v", f, f.next)
	}
	return text
}
