package bsplib_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/randprog"
	"github.com/migbsp/migbsp/mpi"
)

var (
	firstSeed    = flag.Uint64("seed", 1, "first `seed` of the differential test")
	programCount = flag.Int("programs", 0, "`number` of programs of the differential test (0: as many as fit into some seconds)")
)

// TestDifferential runs random programs on the library and on a model that
// shares only the rules with it, and compares all memory and all messages of
// all processes after each superstep: once with a fixed mapping, once with all
// processes moving after each stage, and once with random ones moving.
func TestDifferential(t *testing.T) {
	count := *programCount
	if count == 0 {
		count = defaultPrograms()
	}
	for i := range count {
		seed := *firstSeed + uint64(i)
		p := randprog.Generate(seed, sizeOf(seed), 0)
		want := p.Predict()
		for _, cfg := range bsptest.Configs(p.Procs) {
			shaken := cfg
			shaken.Shake = true
			for _, cfg := range []bsplib.Config{cfg, shaken, cfg.Scattered(seed)} {
				if err := differsOn(t, p, cfg, want); err != nil {
					report(t, p, cfg, err)
				}
			}
		}
	}
}

// TestDifferentialOnNodes runs on ranks that share memory, that copy from each other by a call, and
// that are on other nodes: there states and long Puts are runs, or sent in pieces.
func TestDifferentialOnNodes(t *testing.T) {
	bsptest.InProcess(t)
	layouts := [][]int{{0, 0, 0}, {0, 1, 2}, {0, 0, 1}, {0, 1, 1, 0, 2}}
	for i := range cmp.Or(*programCount, defaultPrograms()/2) {
		seed := *firstSeed + uint64(i)
		p := randprog.Generate(seed, sizeOf(seed), 0)
		want, runs := p.Predict(), newRunsOfAll()
		node := layouts[seed%uint64(len(layouts))]
		for name, as := range map[string]func(onNodes) mpi.Comm{
			"addressed": func(c onNodes) mpi.Comm { return c },
			"attached":  func(c onNodes) mpi.Comm { return attached{byCopies{c}} },
			"runs":      func(c onNodes) mpi.Comm { return &oneRank{byRuns: byRuns{c, runs}} },
		} {
			cfg := bsplib.Config{Procs: p.Procs}
			for _, cfg := range []bsplib.Config{cfg, cfg.Scattered(seed)} {
				err := runAs(cfg, node, as, func(b *bsplib.Proc, s *randprog.State) error { return p.Run(b, s, want) })
				if err != nil {
					t.Fatalf("%s on nodes %v: %v\nagain: go test ./bsplib -run DifferentialOnNodes -seed %d -programs 1", name, node, err, seed)
				}
			}
		}
	}
}

// sizeOf makes every tenth program long and every hundredth huge.
func sizeOf(seed uint64) randprog.Size {
	switch {
	case seed%100 == 50 && !testing.Short() && !raceEnabled:
		return randprog.Huge
	case seed%10 == 5:
		return randprog.Long
	}
	return randprog.Small
}

func defaultPrograms() int {
	switch {
	case raceEnabled:
		return 25 // seeds are fixed, and all of them run without the detector
	case testing.Short():
		return 50
	}
	return 100
}

// differsOn returns the difference found by the lowest process, or else the error
// that ended the run.
func differsOn(t *testing.T, p *randprog.Program, cfg bsplib.Config, want [][]uint64) error {
	found := make([]error, p.Procs)
	err := bsptest.Try(t, cfg, func(b *bsplib.Proc, s *randprog.State) error {
		found[b.Pid()] = p.Run(b, s, want)
		return found[b.Pid()]
	})
	return cmp.Or(append(found, err)...)
}

// report ends the test with the data needed to find the fault. Under MPI it
// prints the details only on the rank that has found the difference.
func report(t *testing.T, p *randprog.Program, cfg bsplib.Config, err error) {
	t.Helper()
	head := fmt.Sprintf("%s: %v\nagain: go test ./bsplib -run Differential -seed %d -programs 1", bsptest.Describe(cfg), err, p.Seed)
	if !bsptest.UnderMPI() {
		p, err = shrink(t, p, cfg, err)
		head += fmt.Sprintf("\nshrunk: %v", err)
	}
	d, ok := errors.AsType[*randprog.Difference](err)
	if !ok {
		t.Fatal(head)
	}
	t.Fatalf("%s\n%s", head, p.Listing(d.Step-1))
}

// shrink removes ops while the program still fails in some of its runs. It
// returns the program's last failure too.
func shrink(t *testing.T, p *randprog.Program, cfg bsplib.Config, failure error) (*randprog.Program, error) {
	shrunk := p.Shrink(time.Now().Add(10*time.Second), func(q *randprog.Program) bool {
		want := q.Predict()
		for range 20 {
			if err := differsOn(t, q, cfg, want); err != nil {
				failure = err
				return true
			}
		}
		return false
	})
	return shrunk, failure
}
