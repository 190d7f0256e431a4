package sim

import (
	"fmt"
	"testing"
)

// longestShare is the time of the host that is done last with its part of n equal processes,
// of a second each at speed 1, where they are dealt out as well as can be.
func longestShare(n int, speeds []float64) float64 {
	counts := make([]float64, len(speeds))
	for range n {
		at := 0
		for host := range speeds {
			if (counts[host]+1)/speeds[host] < (counts[at]+1)/speeds[at] {
				at = host
			}
		}
		counts[at]++
	}
	longest := 0.0
	for host, speed := range speeds {
		longest = max(longest, counts[host]/speed)
	}
	return longest
}

// A host that loses a quarter of its speed, or most of it, in the middle of a superstep has what
// it can still do after three more: no later one takes over 12 % more than with the best
// mapping. The superstep in which it happens may be too little slow to count, and then there
// is one more. That the run was calm for long, and its calls found nothing, is no reason to
// wait.
func TestSlowedHostsAreDealtWithAtOnce(t *testing.T) {
	const hosts, length, slowed, noise = 8, 300, 200, 0.05
	for _, step := range []float64{0.005, 0.060, 0.5} {
		for _, procs := range []int{16, 64} {
			for _, share := range []float64{0.25, 0.5, 0.75} {
				name := fmt.Sprintf("supersteps of %g ms, %d processes, %g of the speed", 1000*step, procs, share)
				flops := step * 1e9 * hosts / float64(procs)
				c := Config{
					Platform: star(hosts, 125e6, 0), Balance: parse(t, "auto"), Where: make([]int32, procs),
					Workload: &Ring{Size: procs, Length: length, Flops: flops, Bytes: 1000, Kept: 1e5, Noise: noise, Seed: 7},
				}
				for pid := range c.Where {
					c.Where[pid] = int32(pid * hosts / procs)
				}
				speeds := make([]float64, hosts)
				for i := range speeds {
					c.Platform.Hosts[i].Speed, speeds[i] = 1e9, 1
				}
				for i := range c.Platform.Links {
					c.Platform.Links[i].Latency = 50e-6
				}
				var at, took []float64
				run := func() {
					at, took = nil, nil
					_, err := Run(t.Context(), &c, Report{Step: func(s *StepRecord) { at, took = append(at, s.At), append(took, s.Total) }})
					if err != nil {
						t.Fatal(err)
					}
				}
				run()
				event := at[slowed] + took[slowed]/3
				profile := NewProfile(1)
				profile.Set(event, share)
				c.Platform.Hosts[3].Share, speeds[3] = Shares{profile}, share
				beside := took[slowed] - step*(1+noise)
				best := longestShare(procs, speeds)*flops/1e9*(1+noise/2) + max(0, beside)
				run()
				first := 0
				for at[first+1] <= event {
					first++
				}
				last := first // too long
				for i := first; i < length; i++ {
					if took[i] > 1.12*best {
						last = i
					}
				}
				if late := last - first; late > 4 {
					t.Errorf("%s: the %d-th after it still takes %.3g ms, at best %.3g ms", name, late, 1000*took[last], 1000*best)
				}
			}
		}
	}
}
