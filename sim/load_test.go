package sim

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Elements owned and sent by processes of a decomposition, counted one by one.
func TestLUByElements(t *testing.T) {
	l := &LU{Size: 7, M: 3, N: 2, Flops: 1, Element: 1}
	owner := func(i, j int) int { return i%l.M*l.N + j%l.N }
	var s Step
	for k := range l.Size {
		work := make([]float64, l.Processes())
		bytes := make(map[[2]int]float64)
		for i := k + 1; i < l.Size; i++ {
			work[owner(i, k)]++
			for column := range l.N {
				if to := i%l.M*l.N + column; to != owner(i, k) && l.needs(k, to) {
					bytes[[2]int{owner(i, k), to}]++
				}
			}
		}
		for j := k + 1; j < l.Size; j++ {
			for row := range l.M {
				if to := row*l.N + j%l.N; to != owner(k, j) && l.needs(k, to) {
					bytes[[2]int{owner(k, j), to}]++
				}
			}
		}
		s.clear(l.Processes())
		must.Do(t, l.Fill(2*k+1, &s))
		got := make(map[[2]int]float64)
		for _, m := range s.Messages {
			got[[2]int{int(m.From), int(m.To)}] += m.Bytes
		}
		if !reflect.DeepEqual(s.Work, work) || !reflect.DeepEqual(got, bytes) {
			t.Errorf("stage %d: work %v and messages %v, want %v and %v", k, s.Work, got, work, bytes)
		}
	}
	state := 0.0
	for pid := range l.Processes() {
		state += l.State(pid)
	}
	if state != 49 {
		t.Errorf("all processes have %g elements", state)
	}
}

// needs reports whether a process has elements to update in a stage.
func (l *LU) needs(k, pid int) bool {
	return owned(l.Size, l.M, pid/l.N, k+1) > 0 && owned(l.Size, l.N, pid%l.N, k+1) > 0
}

func TestWorkloadsByName(t *testing.T) {
	for text, want := range map[string]Workload{
		"lu:n=2000,p=50":           &LU{Size: 2000, M: 10, N: 5, Flops: 500, Element: 8},
		"lu:p=200,rows=2":          &LU{Size: 1000, M: 2, N: 100, Flops: 500, Element: 8},
		"dp:n=10":                  &Wavefront{Size: 10, First: 1e6, Last: 1e9, Bytes: 5e5, Kept: 7e5},
		"lbm":                      &Ring{Size: 60, Length: 100, Flops: 0.9e9, Bytes: 1e6, Kept: 1e6, Seed: 1},
		"lbm:p=2,noise=0.1,seed=7": &Ring{Size: 2, Length: 100, Flops: 0.9e9, Bytes: 1e6, Kept: 1e6, Noise: 0.1, Seed: 7},
	} {
		if got, err := ParseWorkload(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"lbm:noise=1":   `noise=1: expected a part of 1`,
		"qr":            `"qr" is no workload; expected lu, dp`,
		"lu:m=3":        `"m=3": expected n, p, rows, flops, element, even, each with = and a number`,
		"lu:n=2.5":      "n=2.5: expected a whole number from 1 to 134217728",
		"lu:n=1e300":    "n=1e300: expected a whole number from 1 to",
		"lbm:p=1e8":     "100000000 processes; expected 1 to 10000000",
		"lbm:steps=1e8": "100000000 supersteps; expected at most 10000000",
		"dp:first=-1":   "first=-1: expected a number from 0 on",
		"lu:p=7,rows=2": "7 processes are not a grid with 2 rows",
		"lbm:steps":     `"steps": expected p, steps`,
		"lu:even=2":     "even=2: expected 0 or 1",
	} {
		if _, err := ParseWorkload(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
	}
	text := WorkloadHelp()
	must.Have(t, text, "\nlbm equal work", "  kept     bytes of", "  n        order of the matrix (1000)\n")
}

// Noise depends on the seed and the superstep, and stays within its limit.
func TestNoiseOfARing(t *testing.T) {
	fill := func(seed uint64, step int) []float64 {
		s := &Step{Work: make([]float64, 50)}
		must.Do(t, (&Ring{Size: 50, Length: 9, Flops: 100, Noise: 0.2, Seed: seed}).Fill(step, s))
		return s.Work
	}
	first := fill(1, 0)
	if !slices.Equal(first, fill(1, 0)) || slices.Equal(first, fill(1, 1)) || slices.Equal(first, fill(2, 0)) {
		t.Error("noise does not depend on seed and superstep alone")
	}
	if low, high := slices.Min(first), slices.Max(first); low < 80 || low > 85 || high > 120 || high < 115 {
		t.Errorf("work from %g to %g, want most of 80 to 120", low, high)
	}
}
