package main

import (
	"bytes"
	"flag"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// quickest returns a suite of JSON lines for tests.
func quickest(only string, w *bytes.Buffer) *suite {
	return &suite{settings: settings{only: regexp.MustCompile(only), seconds: 1e-4, json: true}, w: w}
}

func TestAllSmallMeasuresAreTaken(t *testing.T) {
	const small = `^empty|8_1(_|$)|^halo_4|^allre.*B$|^allto`
	const most = small + `|8_1000(_|$)|^(hp)?(put|get)2?_1MiB|^halo|^broadcast`
	for procs, only := range map[int]string{1: most, 2: most, 6: small} {
		var w bytes.Buffer
		u := quickest(only, &w)
		if err := bsplib.Run(bsplib.Config{Procs: procs}, u.run); err != nil {
			t.Fatalf("%d processes: %v", procs, err)
		}
		runs, err := results.Read(&w)
		if err != nil || len(runs) != 1 {
			t.Fatalf("%d processes: %d runs, %v", procs, len(runs), err)
		}
		if r := &runs[0]; r.Program != "bench/bsp" || r.Library != "migbsp in-process" || r.P != procs {
			t.Errorf("%s of %s on %d processes", r.Program, r.Library, r.P)
		}
		want := slices.DeleteFunc(names(), func(name string) bool { return !u.settings.selected(name) })
		if got := measuresOf(t, runs[0].Rows); !slices.Equal(got, want) {
			t.Errorf("%d processes: measures\n%v, want\n%v", procs, got, want)
		}
	}
}

// measuresOf checks the rows and returns their measures.
func measuresOf(t *testing.T, rows []results.Row) (measures []string) {
	for _, r := range rows {
		measures = append(measures, r.Measure)
		if r.MinUS <= 0 || r.MedianUS < r.MinUS {
			t.Errorf("%s: minimum %v, median %v", r.Measure, r.MinUS, r.MedianUS)
		}
		if (r.Bytes >= results.Large) != (r.GBPerS > 0) {
			t.Errorf("%s: %d bytes at %v GB/s", r.Measure, r.Bytes, r.GBPerS)
		}
	}
	return measures
}

func TestManyScatteredPutsArriveWhereTheyShould(t *testing.T) {
	var w bytes.Buffer
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 3}, quickest("8_100000_random|^send8_100000$", &w).run))
	must.Have(t, w.String(), `"measure":"put8_100000_random","p":3`)
}

func TestVerifyFindsAWrongWord(t *testing.T) {
	m := measures(2)[1]
	m.name, m.step = "wrong", func(b *bench, n int) {
		b.put8(n)
		b.to[0]++
	}
	u := quickest(".", new(bytes.Buffer))
	err := bsplib.Run(bsplib.Config{Procs: 2}, func(p *bsplib.Proc, _ *state) error {
		b := &bench{Proc: p, suite: u, right: 1 - p.Pid(), left: 1 - p.Pid()}
		return b.measure(m)
	})
	if err == nil || !strings.Contains(err.Error(), "wrong: word 0 is 1.000000001e+09, want 1e+09") {
		t.Errorf("error is %v", err)
	}
}

func TestWhatDoesNotFitIsSkipped(t *testing.T) {
	m := large(64, true)[0]
	m.place.words = 1 << 50
	var w bytes.Buffer
	err := bsplib.Run(bsplib.Config{Procs: 2}, func(p *bsplib.Proc, _ *state) error {
		return (&bench{Proc: p, suite: quickest(".", &w)}).measure(m)
	})
	if err != nil || !strings.HasPrefix(w.String(), `{"skipped":"put_64MiB_heap","p":2,"why":"it needs`) {
		t.Errorf("error %v, printed %s", err, &w)
	}
}

func TestTableHasARowForEachMeasure(t *testing.T) {
	var w bytes.Buffer
	u := quickest("^empty$|^put8_1$", &w)
	u.settings.json = false
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 2}, u.run))
	must.Have(t, w.String(), "2 processes on ", "\n measure ", "\n empty ", "\n put8_1 ", " M/s")
}

func TestMemoryCountsAreasAndBuffers(t *testing.T) {
	const size = 64 << 20
	for name, want := range map[string]int64{"put_64MiB": 2*4*size + 4*size, "put2_64MiB": 2*4*size + 4*4*size, "get2_64MiB": 2*4*size + 4*4*size} {
		i := slices.Index(names(), name)
		if got := measures(4)[i].memory(4); got != want {
			t.Errorf("%s: %d bytes on 4 processes, want %d", name, got, want)
		}
	}
}

// Data sent to a neighbour arrives from the opposite neighbour, and no process that has a neighbour
// is its own.
func TestTorus(t *testing.T) {
	for procs, want := range map[int][neighbours]int{ // of process 0
		1: {0, 0, 0, 0}, 2: {1, 1, 1, 1}, 3: {1, 2, 1, 2}, 4: {1, 1, 2, 2}, 6: {1, 2, 3, 3}, 16: {1, 3, 4, 12}, 64: {1, 7, 8, 56},
	} {
		if got := torus(0, procs); got != want {
			t.Errorf("%d processes: %v, want %v", procs, got, want)
		}
		for pid := range procs {
			for d, other := range torus(pid, procs) {
				if back := torus(other, procs)[d^1]; back != pid {
					t.Errorf("%d processes: neighbour %d of %d is %d, whose neighbour %d is %d", procs, d, pid, other, d^1, back)
				}
			}
		}
	}
}

func TestFlags(t *testing.T) {
	parse := func(args ...string) (*settings, error) {
		s := &settings{seconds: usualSeconds}
		flags := flag.NewFlagSet("bsp", flag.ContinueOnError)
		flags.SetOutput(new(bytes.Buffer))
		s.define(flags)
		return s, flags.Parse(args)
	}
	if s, err := parse("-list"); err != nil || !s.list {
		t.Errorf("settings are %+v, %v", s, err)
	}
	s, err := parse("-p", "2, 16", "-only", "^put", "-quick", "-json")
	if err != nil || !slices.Equal(s.procs, []int{2, 16}) || s.seconds != quickSeconds || !s.json || !s.selected("put8_1") || s.selected("empty") {
		t.Errorf("settings are %+v, %v", s, err)
	}
	for _, args := range [][]string{{"-p", "2,x"}, {"-p", "0"}, {"-only", "("}, {"-quick=maybe"}} {
		if _, err := parse(args...); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
	for _, seconds := range []float64{0, -1, math.NaN()} {
		if err := (&settings{seconds: seconds}).check(2); err == nil || !strings.Contains(err.Error(), "-seconds") {
			t.Errorf("%g seconds: error %v", seconds, err)
		}
	}
	if err := (&settings{only: regexp.MustCompile("nothing")}).check(2); err == nil {
		t.Error("no error from a regexp that matches no measure")
	}
}

// BenchmarkMeasure runs the measures' steps under the profiler of go test:
// -bench 'Measure/^put8_1000$' -cpuprofile put.out.
func BenchmarkMeasure(b *testing.B) {
	for _, m := range measures(2) {
		b.Run(m.name, func(b *testing.B) {
			b.SetBytes(int64(m.words * wordBytes))
			u := quickest(".", new(bytes.Buffer))
			must.Do(b, bsplib.Run(bsplib.Config{Procs: 2}, func(p *bsplib.Proc, _ *state) error {
				x := &bench{Proc: p, suite: u, queue: bsplib.NewQueue[int32, float64](p), right: 1 - p.Pid(), left: 1 - p.Pid(), around: torus(p.Pid(), 2)}
				x.where = permutation()
				x.enter(m.place)
				if m.prepare != nil {
					m.prepare(x, m.n)
				}
				batch := x.batch(m.step, m.n)
				batch(3)
				p.Sync()
				if p.Pid() == 0 {
					b.ResetTimer()
				}
				batch(b.N)
				p.Sync()
				return nil
			}))
		})
	}
}

// Each move is timed, and the process comes back with all its state, in one measure after the
// other. With one rank no process can move.
func TestMoves(t *testing.T) {
	for ranks, want := range map[int]int{1: 1, 2: 3} {
		var w bytes.Buffer
		u := quickest("^empty$|^move_1MiB", &w)
		err := bsplib.Run(bsplib.Config{Procs: 3, Ranks: ranks}, func(p *bsplib.Proc, s *state) error {
			err := u.run(p, s)
			if moved := p.Pid() == 2 && ranks == 2; moved && (len(s.Data) != 1<<20 || s.Ended != 2) {
				t.Errorf("%d bytes after %d measures", len(s.Data), s.Ended)
			}
			if p.Pid() == 0 && ranks == 2 && len(s.Times) != moves {
				t.Errorf("%d times", len(s.Times))
			}
			return err
		})
		runs, errRead := results.Read(&w)
		if err != nil || errRead != nil || len(runs) != 1 || len(runs[0].Rows) != want {
			t.Errorf("on %d ranks: %v, %v, %+v", ranks, err, errRead, runs)
		}
	}
}
