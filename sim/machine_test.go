package sim

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestCoresAreSharedFairly(t *testing.T) {
	slower := NewProfile(1)
	slower.Set(12, 0.5)
	for _, c := range []struct {
		name string
		host Host
		work []float64
		want []float64
	}{
		{"one job", Host{Speed: 10, Cores: 1}, []float64{50}, []float64{15}},
		{"two jobs on a core", Host{Speed: 10, Cores: 1}, []float64{10, 30}, []float64{12, 14}},
		{"two jobs on two cores", Host{Speed: 10, Cores: 2}, []float64{10, 30}, []float64{11, 13}},
		{"three jobs on two cores", Host{Speed: 10, Cores: 2}, []float64{10, 10, 20}, []float64{11.5, 11.5, 12.5}},
		{"a host that slows down", Host{Speed: 10, Cores: 1, Share: Shares{slower}}, []float64{40}, []float64{16}},
		{"a host that is given up", Host{Speed: 10, Cores: 1, Share: Shares{NewProfile(0)}}, []float64{40}, []float64{math.Inf(1)}},
	} {
		var jobs []job
		for pid, work := range c.work {
			jobs = append(jobs, job{pid: pid, work: work})
		}
		c.host.compute(10, jobs)
		for _, j := range jobs {
			if want := c.want[j.pid]; math.Abs(j.done-want) > 1e-12 && j.done != want {
				t.Errorf("%s: job %d is done at %g, want %g", c.name, j.pid, j.done, want)
			}
		}
	}
}

// Small steps in which each job gets its part come to the same.
func TestSharingBySmallSteps(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		h := Host{Speed: 1, Cores: 1 + random.IntN(3)}
		var jobs []job
		left := make([]float64, 1+random.IntN(6))
		for pid := range left {
			left[pid] = 0.1 + random.Float64()
			jobs = append(jobs, job{pid: pid, work: left[pid]})
		}
		h.compute(0, jobs)
		const step = 1e-4
		ends := make([]float64, len(left))
		for now, active := 0.0, len(left); active > 0; now += step {
			share := step * min(1, float64(h.Cores)/float64(active))
			for pid := range left {
				if left[pid] > 0 {
					if left[pid] -= share; left[pid] <= 0 {
						ends[pid] = now + step
						active--
					}
				}
			}
		}
		for _, j := range jobs {
			if math.Abs(j.done-ends[j.pid]) > 20*step {
				t.Fatalf("%+v is done at %g, by small steps at %g", j, j.done, ends[j.pid])
			}
		}
	}
}
