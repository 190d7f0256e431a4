package rebalancer

import (
	"math/rand/v2"
	"testing"
)

// wavefront returns the work of a process in superstep k of dynamic programming on n processes: each
// works for n supersteps, starting one after the previous process, and its work grows with each
// superstep.
func wavefront(n, pid, k int) float32 {
	if pid > k || pid <= k-n {
		return 0
	}
	return float32(1 + k)
}

// waveView returns the view of a wavefront after some supersteps, the last columns of them kept.
func waveView(n, steps, columns int) View {
	work := make([][]float32, n)
	for pid := range work {
		for k := max(0, steps-columns); k < steps; k++ {
			work[pid] = append(work[pid], wavefront(n, pid, k))
		}
	}
	v := plainView(work, make([]int32, n), []float64{1, 1})
	for r := range v.Snapshot.Ranks {
		v.Snapshot.Ranks[r].Remaining = 2*n - 1 - steps
	}
	return v
}

// After some supersteps of a wavefront, the forecast identifies the processes that will work.
func TestWavesGoOn(t *testing.T) {
	const n = 12
	for steps := 2; steps < 2*n-2; steps++ {
		m := newForecastModel(waveView(n, steps, 8))
		if !m.Ahead {
			if last := 2*n - 1 - steps; last > 2 {
				t.Errorf("after %d supersteps no wave is seen", steps)
			}
			continue
		}
		for pid, row := range m.Rows {
			for s, got := range row {
				from, to := 1+s*m.Horizon/m.Columns, (s+1)*m.Horizon/m.Columns
				works := false
				for ahead := from; ahead <= to; ahead++ {
					works = works || wavefront(n, pid, steps-1+ahead) > 0
				}
				if (got > 0) != works {
					t.Errorf("after %d supersteps: process %d in %d to %d more: work %g, want any %v", steps, pid, from, to, got, works)
				}
			}
		}
	}
}

// A wave is detected despite other work before it, and despite a distant end of the loop.
func TestWavesBegin(t *testing.T) {
	late := waveView(12, 6, 6)
	for pid := range late.Snapshot.Processes {
		late.Snapshot.Processes[pid].RecentWork = append([]float32{2, float32(pid % 2)}, late.Snapshot.Processes[pid].RecentWork...)
	}
	late.Snapshot.Classes = make([]int, 8)
	long := waveView(12, 6, 6)
	for r := range long.Snapshot.Ranks {
		long.Snapshot.Ranks[r].Remaining = 1 << 31
	}
	for name, c := range map[string]struct {
		v      View
		sample int // from the end, where the last process works
	}{"a beginning in which all work": {late, 1}, "a very long loop": {long, 2}} {
		if m := newForecastModel(c.v); !m.Ahead || m.Rows[0][0] == 0 || m.Rows[11][m.Columns-c.sample] == 0 {
			t.Errorf("%s: no wave, or not all of its processes work", name)
		}
	}
}

// Patterns that are not waves, or that have other explanations, are not predicted as waves.
func TestNoWaves(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, work := range map[string]func(pid, k int) float32{
		"all work":            func(int, int) float32 { return 1 },
		"taking turns":        func(pid, k int) float32 { return float32((pid + k) % 2) },
		"one after the other": func(pid, k int) float32 { return 1 - float32(min(1, (pid+12-k%12)%12)) },
		"by chance":           func(int, int) float32 { return float32(random.IntN(2)) },
		"half works":          func(pid, _ int) float32 { return float32(pid % 2) },
		"nothing":             func(int, int) float32 { return 0 },
	} {
		rows := make([][]float32, 12)
		for pid := range rows {
			for k := range 8 {
				rows[pid] = append(rows[pid], work(pid, k))
			}
		}
		v := plainView(rows, make([]int32, 12), []float64{1, 1})
		for r := range v.Snapshot.Ranks {
			v.Snapshot.Ranks[r].Remaining = 50
		}
		if newForecastModel(v).Ahead {
			t.Errorf("%s: taken for a wave", name)
		}
	}
}

// Processes that wait for the wave also take some time, occasionally much more than usual.
func TestWavesShowBesideWaiting(t *testing.T) {
	const n, steps = 32, 4
	v := waveView(n, steps, steps)
	for pid := range v.Snapshot.Processes {
		for c, work := range v.Snapshot.Processes[pid].RecentWork {
			if work == 0 {
				v.Snapshot.Processes[pid].RecentWork[c] = 0.003
			} else {
				v.Snapshot.Processes[pid].RecentWork[c] = 1
			}
		}
	}
	v.Snapshot.Processes[4].RecentWork[2] = 0.03
	m := newForecastModel(v)
	if !m.Ahead {
		t.Fatal("no wave is seen")
	}
	for pid, row := range m.Rows {
		for s, got := range row {
			if got != 0 && !near(float64(got), 1) {
				t.Errorf("process %d, sample %d: work %g, want 0 or 1", pid, s, got)
			}
		}
	}
}
