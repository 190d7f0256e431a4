package main

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/fft/dft"
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
	if err := bsplib.Run(cfg, fft); err != nil {
		t.Fatalf("%v: %+v", err, cfg.Result)
	}
	return cfg.Result
}

// spectrum transforms the program's noise on some processes.
func spectrum(t *testing.T, cfg bsplib.Config, n int) []complex128 {
	t.Helper()
	whole := make([]complex128, n)
	must.Do(t, bsplib.Run(cfg, func(b *bsplib.Proc, s *state) error {
		p := parameters{n: n, seed: 3}
		if err := s.setUp(b, p); err != nil {
			return err
		}
		b.Sync()
		newTransform(b, n).forward(s.X)
		for i, x := range s.X.Slice() { // each process writes elements of its own
			whole[b.Pid()+i*s.Parts] = x
		}
		return nil
	}))
	return whole
}

// On any number of processes, up to one per two numbers, the transform equals the result of one
// process.
func TestSpectrumOnAnyNumberOfProcesses(t *testing.T) {
	for n := 1; n <= 1<<10; n *= 2 {
		want := spectrum(t, bsplib.Config{Procs: 1}, n)
		for _, procs := range []int{2, 3, 4, 8, 16, 20, 64, 128} {
			got := spectrum(t, bsplib.Config{Procs: procs}, n)
			for i := range want {
				if off := cmplx.Abs(got[i] - want[i]); !(off < 1e-15*math.Sqrt(float64(n))*10) {
					t.Fatalf("n=%d on %d processes: element %d is %v, want %v", n, procs, i, got[i], want[i])
				}
			}
		}
	}
}

// The checksum does not depend on where processes are and have been.
func TestMovesChangeNothing(t *testing.T) {
	for _, n := range []string{"2^6", "2^12"} {
		for _, procs := range []int{4, 7, 16} {
			apptest.Set(t, "n", n, "iterations", "3")
			apptest.Same(t, func(cfg bsplib.Config) any { return run(t, cfg).Checksum }, procs)
		}
	}
}

func TestWaveHasOneFrequency(t *testing.T) {
	for seed := range 5 {
		apptest.Set(t, "n", "2^14", "signal", "wave", "seed", fmt.Sprint(seed), "iterations", "1")
		r := run(t, bsplib.Config{Procs: 4})
		if last := r.Checks[len(r.Checks)-1]; !strings.Contains(last.Name, "wave") || !last.Passed {
			t.Errorf("seed %d: %+v", seed, last)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	must.Do(t, os.WriteFile(in, []byte("# numbers\n1\n\n0 1\n-1 0\n0.5 -1\n"), 0o666))
	apptest.Set(t, "in", in, "out", out, "iterations", "2")
	for _, procs := range []int{1, 2, 5} {
		run(t, bsplib.Config{Procs: procs, Shake: true})
		var got []complex128
		must.Do(t, readNumbers(out, func(x complex128) { got = append(got, x) }))
		want := []complex128{0.5, 0, -0.5, 0}
		dft.New(4, false).Transform([]complex128{1, 1i, -1, 0.5 - 1i}, want)
		if len(got) != len(want) {
			t.Fatalf("%v", got)
		}
		for i := range want {
			if cmplx.Abs(got[i]-want[i]) > 1e-15 {
				t.Errorf("%d processes: %v, want %v", procs, got, want)
			}
		}
	}
}

func TestWhatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		must.Do(t, os.WriteFile(name, []byte(text), 0o666))
		return name
	}
	for _, c := range []struct{ flag, value, want string }{
		{"n", "1000", "-n 1000: expected a power of two up to 2^32, such as 1024 or 2^10"},
		{"n", "0", "-n 0: expected"},
		{"n", "2^33", "-n 2^33: expected"},
		{"n", "x", "-n x: expected"},
		{"iterations", "0", "-iterations 0: at least one is needed"},
		{"signal", "sine", "-signal sine: it is noise or wave"},
		{"in", filepath.Join(dir, "none"), "...no such file"},
		{"in", file("three", "1\n2\n3\n"), "...three has 3 numbers; expected a power of two"},
		{"in", file("empty", ""), "...empty has 0 numbers"},
		{"in", file("word", "1\n2 x\n"), `...word:2:3: read "x"; expected a number`},
		{"in", file("many", "1 2 3\n"), `...many:1:5: read "3"; expected the end of the line`},
	} {
		apptest.Wrong(t, func() error { return check(2) }, c.want, c.flag, c.value)
	}
}

// In each redistribution every element of every process receives one number, and the number of
// redistributions is the minimum that the length of local vectors allows.
func TestEveryPlaceGetsOneNumber(t *testing.T) {
	for n := 2; n <= 1<<12; n *= 2 {
		for parts := 1; parts <= n/2; parts *= 2 {
			all := make([][]round, parts)
			for pid := range all {
				all[pid] = rounds(n, parts, pid)
			}
			local := float64(n / parts)
			if got, want := len(all[0])-1, int(math.Ceil(math.Log2(float64(parts))/math.Log2(local)-1e-9)); got != want {
				t.Errorf("n=%d p=%d: %d redistributions, want %d", n, parts, got, want)
			}
			for i := range len(all[0]) - 1 {
				if err := onceEach(all, i, n/parts); err != nil {
					t.Fatalf("n=%d p=%d, round %d: %v", n, parts, i, err)
				}
			}
		}
	}
}

func onceEach(all [][]round, i, local int) error {
	taken := make([]bool, len(all)*local)
	for pid := range all {
		r := all[pid][i]
		if r.base+r.member*r.stride != pid || r.local*r.columns != local {
			return fmt.Errorf("%+v is not of process %d with %d numbers", r, pid, local)
		}
		for packet := range r.packets() {
			for k := range r.each() {
				place := r.target(packet)*local + r.at() + k
				if taken[place] {
					return fmt.Errorf("place %d of process %d is written twice", place%local, place/local)
				}
				taken[place] = true
			}
		}
		if r.packets()*r.each() != local {
			return fmt.Errorf("process %d sends %d numbers", pid, r.packets()*r.each())
		}
	}
	return nil
}

func TestSharers(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 1}, {8, 1, 1}, {8, 2, 1}, {8, 4, 2}, {8, 8, 4}, {8, 1024, 8}, {7, 1024, 4}, {1000, 1024, 512}} {
		if got := sharers(c[0], c[1]); got != c[2] || bits.OnesCount(uint(got)) != 1 {
			t.Errorf("%d processes, %d numbers: %d share them, want %d", c[0], c[1], got, c[2])
		}
	}
}
