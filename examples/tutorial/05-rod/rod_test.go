package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// TestMain lets the tests run on the ranks of mpirun too.
func TestMain(m *testing.M) {
	*length, *steps = 20, 30
	bsptest.Main(m)
}

// wholeRod is the rod after all steps, computed without processes.
func wholeRod(cells int) []float64 {
	rod := make([]float64, cells)
	rod[0] = 1
	for range *steps {
		left := rod[0]
		for i, x := range rod {
			right := rod[min(i+1, cells-1)]
			rod[i] = x + (left-2*x+right)/4
			left = x
		}
	}
	return rod
}

// Each process ends with its piece of the rod: on 1, 2, 3, 4 and 7 processes, with fewer ranks
// than processes, as many and more, in place and with all processes moving after each stage.
func TestPieces(t *testing.T) {
	bsptest.Shaken(t, func(b *bsplib.Proc, s *state) error {
		if err := rod(b, s); err != nil {
			return err
		}
		first := b.Pid() * *length
		want := wholeRod(b.NProcs() * *length)[first : first+*length]
		if !slices.Equal(s.Cells, want) {
			return fmt.Errorf("cells are %v, want %v", s.Cells, want)
		}
		return nil
	})
}

// checksum runs a program, and returns the result reported by process 0.
func checksum(t *testing.T, cfg bsplib.Config, program func(*bsplib.Proc, *state) error) string {
	t.Helper()
	var result bsplib.Result
	cfg.Result = &result
	if err := bsptest.Try(t, cfg, program); err != nil {
		t.Fatalf("%s: %v", bsptest.Describe(cfg), err)
	}
	return result.Checksum
}

// wandering is rod with each process asking for some rank or other after each stage.
func wandering(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.begin(b)
	}
	for k := range b.Stages(*steps) {
		s.step(b)
		random := rand.New(rand.NewPCG(uint64(k), uint64(b.Pid())))
		b.Migrate(bsplib.OnRank(random.IntN(b.NRanks())))
	}
	return s.report(b)
}

// Processes that wander give the checksum of processes that stay.
func TestWandering(t *testing.T) {
	for _, cfg := range bsptest.Configs(6) {
		if got, want := checksum(t, cfg, wandering), checksum(t, cfg, rod); got != want {
			t.Errorf("%s: checksum %s, want %s", bsptest.Describe(cfg), got, want)
		}
	}
}
