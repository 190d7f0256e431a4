package bsplib_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/mpi"
)

var (
	firstSeed    = flag.Uint64("seed", 1, "first `seed` of the differential test")
	programCount = flag.Int("programs", 0, "`number` of programs of the differential test (0: as many as fit into some seconds)")
)

// TestDifferential runs random programs on the library and on a model that
// has nothing in common with it but the rules, and compares all memory and all
// messages of all processes after each superstep; once with the processes
// where they are, once with all of them moving after each stage, and once with
// random ones moving.
func TestDifferential(t *testing.T) {
	count := *programCount
	if count == 0 {
		count = defaultPrograms()
	}
	for i := range count {
		seed := *firstSeed + uint64(i)
		p := generate(seed, sizeOf(seed))
		want := predict(p)
		for _, cfg := range bsptest.Configs(p.procs) {
			shaken := cfg
			shaken.Shake = true
			for _, cfg := range []bsplib.Config{cfg, shaken, cfg.Scattered(seed)} {
				if err := p.runOn(t, cfg, want); err != nil {
					p.report(t, cfg, err)
				}
			}
		}
	}
}

// TestDifferentialOnNodes has ranks that share memory, that copy from each other by a call, and
// that are on other nodes: there states and long Puts are runs, or sent in pieces.
func TestDifferentialOnNodes(t *testing.T) {
	bsptest.InProcess(t)
	layouts := [][]int{{0, 0, 0}, {0, 1, 2}, {0, 0, 1}, {0, 1, 1, 0, 2}}
	for i := range cmp.Or(*programCount, defaultPrograms()/2) {
		seed := *firstSeed + uint64(i)
		p := generate(seed, sizeOf(seed))
		want, runs := predict(p), newRunsOfAll()
		node := layouts[seed%uint64(len(layouts))]
		for name, as := range map[string]func(onNodes) mpi.Comm{
			"addressed": func(c onNodes) mpi.Comm { return c },
			"attached":  func(c onNodes) mpi.Comm { return attached{byCopies{c}} },
			"runs":      func(c onNodes) mpi.Comm { return &oneRank{byRuns: byRuns{c, runs}} },
		} {
			cfg := bsplib.Config{Procs: p.procs}
			for _, cfg := range []bsplib.Config{cfg, cfg.Scattered(seed)} {
				err := runAs(cfg, node, as, func(b *bsplib.Proc, s *carried) error { return p.run(b, s, want) })
				if err != nil {
					t.Fatalf("%s on nodes %v: %v\nagain: go test ./bsplib -run DifferentialOnNodes -seed %d -programs 1", name, node, err, seed)
				}
			}
		}
	}
}

// sizeOf makes every tenth program long and every hundredth huge.
func sizeOf(seed uint64) sizes {
	switch {
	case seed%100 == 50 && !testing.Short() && !raceEnabled:
		return huge
	case seed%10 == 5:
		return long
	}
	return small
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

// runOn returns the difference that the lowest process has found, or what else
// ended the run.
func (p *program) runOn(t *testing.T, cfg bsplib.Config, want [][]uint64) error {
	found := make([]error, p.procs)
	err := bsptest.Try(t, cfg, func(b *bsplib.Proc, s *carried) error {
		found[b.Pid()] = p.run(b, s, want)
		return found[b.Pid()]
	})
	return cmp.Or(append(found, err)...)
}

// report ends the test with what is needed to find the fault. Under MPI a rank
// that only hears of the difference leaves the details to the one that has
// found it.
func (p *program) report(t *testing.T, cfg bsplib.Config, err error) {
	t.Helper()
	head := fmt.Sprintf("%s: %v\nagain: go test ./bsplib -run Differential -seed %d -programs 1", bsptest.Describe(cfg), err, p.seed)
	if !bsptest.UnderMPI() {
		p, err = p.shrink(t, cfg, err)
		head += fmt.Sprintf("\nshrunk: %v", err)
	}
	d, ok := errors.AsType[*difference](err)
	if !ok {
		t.Fatal(head)
	}
	t.Fatalf("%s\n%s", head, p.listing(d.step-1))
}
