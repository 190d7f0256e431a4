package rebalancer

import (
	"math"
	"math/rand/v2"
	"testing"
)

// workOf returns the phases of processes from a function of process and column.
func workOf(procs, columns int, f func(pid, c int) float64) [][]float32 {
	rows := make([][]float32, procs)
	for pid := range rows {
		for c := range columns {
			rows[pid] = append(rows[pid], float32(f(pid, c)))
		}
	}
	return rows
}

// spreadOf returns the imbalance of the forecast work: the largest mean of a process over the overall
// mean.
func spreadOf(m *costModel) float64 {
	largest, sum := 0.0, 0.0
	for _, row := range m.Rows {
		own := 0.0
		for _, w := range row {
			own += float64(w)
		}
		largest, sum = max(largest, own), sum+own
	}
	return largest * float64(len(m.Rows)) / sum
}

// Patterns that occurred once, or not yet in all processes, are not predicted, recurring ones are, and
// noise is not.
func TestPatterns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name      string
		columns   int
		work      func(pid, c int) float64
		low, high float64 // bounds of the spread
	}{
		{"a habit", 8, func(pid, c int) float64 { return float64(1 + pid%2*3) }, 1.59, 1.61},
		{"a few only, each time others", 4, func(pid, c int) float64 {
			if c%2 == 1 {
				return 1
			}
			return float64(8 * ((pid + c) % 8 / 7))
		}, 0.99, 1.01},
		{"taking turns, all seen", 8, func(pid, c int) float64 { return float64((pid + c) % 8 / 7) }, 0.99, 1.01},
		{"noise", 8, func(pid, c int) float64 { return 1 + 0.2*random.Float64() }, 0.99, 1.03},
		{"wandering", 8, func(pid, c int) float64 { return 1 + 9*float64((pid+16-c)%16/13) }, 1, 2},
		{"the same, not wandering", 8, func(pid, c int) float64 { return 1 + 9*float64(pid/13) }, 3.5, 3.8},
	} {
		v := plainView(workOf(16, c.columns, c.work), make([]int32, 16), []float64{1, 1})
		v.Snapshot.Classes = make([]int, c.columns)
		for i := range v.Snapshot.Classes {
			if c.columns == 4 {
				v.Snapshot.Classes[i] = i % 2
			}
		}
		for r := range v.Snapshot.Ranks {
			v.Snapshot.Ranks[r].Remaining = 1000
		}
		m := newForecastModel(v)
		if got := spreadOf(m); got < c.low || got > c.high {
			t.Errorf("%s: the largest is %.3f times the mean, want %.2f to %.2f", c.name, got, c.low, c.high)
		}
		total, was := 0.0, 0.0
		for i, w := range m.Totals() {
			total, was = total+w, was+newCostModel(v).Totals()[i]
		}
		if math.Abs(total-was) > 1e-3*was {
			t.Errorf("%s: all work is %g, was %g", c.name, total, was)
		}
	}
}
