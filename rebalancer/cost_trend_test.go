package rebalancer

import "testing"

// More processes work from superstep to superstep, in no order: once all do, there is no
// more to come. If each does more besides, work goes on along that line.
func TestTrendEndsWhereAllWork(t *testing.T) {
	begins := []int{5, 0, 7, 3, 1, 6, 4, 2}
	for _, test := range []struct {
		name string
		work func(c int) float64
		most func(horizon int) float64
	}{
		{"always the same", func(int) float64 { return 1 }, func(int) float64 { return 8 }},
		{"more and more", func(c int) float64 { return 1 + float64(c)/8 }, func(horizon int) float64 {
			return 8 * (1 + (8-0.5+float64(horizon)/2)/8)
		}},
	} {
		work := make([][]float32, len(begins))
		for pid, begin := range begins {
			for c := range 8 {
				if c >= begin {
					work[pid] = append(work[pid], float32(test.work(c)))
				} else {
					work[pid] = append(work[pid], 0)
				}
			}
		}
		v := plainView(work, make([]int32, len(begins)), []float64{1, 1})
		for r := range v.Ranks {
			v.Ranks[r].Remaining = 12
		}
		m := newForecastModel(v)
		totals, coming := m.totals(), 0.0
		for c, weight := range m.trend() {
			coming += weight * totals[c]
		}
		if want := test.most(m.horizon); coming > want*(1+1e-6) || coming < 0.8*want {
			t.Errorf("%s: %g per superstep to come, want at most %g and not much less", test.name, coming, want)
		}
	}
}
