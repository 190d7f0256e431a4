package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// run runs the program, which must verify its result.
func run(t *testing.T, cfg bsplib.Config) *ledger.Result {
	t.Helper()
	must.Do(t, check(cfg.Procs))
	cfg.Result = &ledger.Result{}
	if err := bsplib.Run(cfg, sampleSort); err != nil {
		t.Fatalf("%v: %+v", err, cfg.Result)
	}
	return cfg.Result
}

// The sorted list is the same for any number of processes and any moves; the program checks that it
// is sorted and that no part is too large.
func TestSameListEverywhere(t *testing.T) {
	sizes := []int{0, 1, 10, 1000, 4099}
	if testing.Short() {
		sizes = []int{1, 1000}
	}
	for _, dist := range distributions {
		for _, n := range sizes {
			apptest.Set(t, "dist", dist, "n", fmt.Sprint(n), "lists", "2")
			apptest.Same(t, func(cfg bsplib.Config) any { return run(t, cfg).Checksum }, 1, 16, 3, 5, 9)
		}
	}
}

// No part is larger than the bound, for any lists and any distribution of the numbers over processes.
// All parts are checked here without running a program.
func TestPartsAreWithinTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		procs, p := 1+r.IntN(12), parameters{n: r.IntN(2000), samples: 1 + r.IntN(30)}
		values := 1 + r.IntN(1+p.n)
		own := make([][]uint64, procs)
		var offered []sample
		for pid := range own {
			for range p.first(pid+1, procs) - p.first(pid, procs) {
				own[pid] = append(own[pid], uint64(r.IntN(values)))
			}
			slices.Sort(own[pid])
			offered = append(offered, sampled(own[pid], pid, p.samples)...)
		}
		splitters := make([]sample, procs-1)
		choose(splitters, offered)
		all, last := 0, uint64(0)
		for to := range procs {
			var got []uint64
			for pid := range own {
				got = append(got, own[pid][part(own[pid], pid, splitters, to):part(own[pid], pid, splitters, to+1)]...)
			}
			slices.Sort(got)
			if len(got) > 0 && got[0] < last {
				t.Fatalf("part %d begins with %d, the one before ends with %d", to, got[0], last)
			}
			if len(got) > 0 {
				last = got[len(got)-1]
			}
			if most := bound(p, procs) * float64(p.n) / float64(procs); float64(len(got)) > most+1e-9 {
				t.Fatalf("%d numbers of %d on %d processes with %d samples: part %d has %d, the bound is %g", p.n, values, procs, p.samples, to, len(got), most)
			}
			all += len(got)
		}
		if all != p.n {
			t.Fatalf("%d of %d numbers", all, p.n)
		}
	}
}

func TestSortAndMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var lists [][]uint64
		var want []uint64
		for range r.IntN(6) {
			keys := make([]uint64, r.IntN(50))
			for i := range keys {
				keys[i] = r.Uint64() >> r.IntN(64)
			}
			want = append(want, keys...)
			radixSort(keys)
			if !slices.IsSorted(keys) {
				t.Fatalf("%v", keys)
			}
			lists = append(lists, keys)
		}
		slices.Sort(want)
		if got := merge(lists); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func TestKeysSortLikeNumbers(t *testing.T) {
	numbers := []float64{math.Inf(-1), -math.MaxFloat64, -1.5, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 0.5, 3, 1e300}
	for i, x := range numbers {
		if number(key(x)) != x || i > 0 && key(x) <= key(numbers[i-1]) {
			t.Errorf("%g: key %x", x, key(x))
		}
	}
}

// Errors in a result are found.
func TestCheckFinds(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(s *state, b *bsplib.Proc)
		want  findings
	}{
		"nothing":     {func(*state, *bsplib.Proc) {}, findings{Largest: 4}},
		"order":       {func(s *state, b *bsplib.Proc) { s.Keys[0], s.Keys[1] = s.Keys[1], s.Keys[0] }, findings{Disorder: 3, Largest: 4}},
		"another key": {func(s *state, b *bsplib.Proc) { s.Keys[3]++ }, findings{Changed: 1, Largest: 4}},
		"a part":      {func(s *state, b *bsplib.Proc) { s.Keys[0] = s.Keys[3] }, findings{Disorder: 3, Changed: 1, Largest: 4}},
	} {
		var got findings
		err := bsplib.Run(bsplib.Config{Procs: 3}, func(b *bsplib.Proc, s *state) error {
			for i := range 4 {
				s.Keys = append(s.Keys, uint64(100*b.Pid()+10*i))
			}
			s.Found.before(s.Keys)
			c.spoil(s, b)
			s.check(b, parameters{n: 12, samples: 3})
			if f := s.Found.all(b); b.Pid() == 0 {
				got = f
			}
			return nil
		})
		got.Checksum = 0
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	must.Do(t, os.WriteFile(in, []byte("3 -1 2.5\n# none\n\n1e3\n-1\n0\n"), 0o666))
	apptest.Set(t, "in", in, "out", out)
	for _, procs := range []int{1, 2, 4, 9} {
		run(t, bsplib.Config{Procs: procs, Shake: true})
		got, err := os.ReadFile(out)
		if err != nil || string(got) != "-1\n-1\n0\n2.5\n3\n1000\n" {
			t.Errorf("%d processes: %q, %v", procs, got, err)
		}
	}
}

func TestWhatCannotBe(t *testing.T) {
	dir := t.TempDir()
	word := filepath.Join(dir, "word")
	must.Do(t, os.WriteFile(word, []byte("1 2\n3 x\n"), 0o666))
	for _, c := range []struct{ flag, value, want string }{
		{"n", "-1", "-n -1: expected a number from 0 on"},
		{"lists", "0", "-lists 0: expected a number from 1 to 1000000000"},
		{"samples", "-2", "-samples -2: at least one is needed"},
		{"dist", "normal", "-dist normal: it is one of uniform, gauss, zipf, sorted, equal"},
		{"in", filepath.Join(dir, "none"), "...no such file"},
		{"in", word, `...word:2:3: read "x"; expected a number`},
	} {
		apptest.Wrong(t, func() error { return check(2) }, c.want, c.flag, c.value)
	}
}

func TestMain(m *testing.M) { apptest.Main(m, main) }

func TestFlagsWithoutUse(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in")
	must.Do(t, os.WriteFile(in, []byte("2 1\n"), 0o666))
	for _, given := range []string{"-n 1048576", "-dist uniform", "-seed 7"} {
		apptest.Refused(t, ".", given+" -in "+in, given+": the numbers are those of -in")
	}
}
