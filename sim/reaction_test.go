package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
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

// A host loses a quarter of its speed, or most of it, in the middle of a superstep. Three supersteps
// later its load fits the remaining speed: no later superstep takes over 12 % more than with the best
// mapping. The superstep of the change may be too little slow to count, which allows one more. A long
// calm run, with calls that found no moves, must not delay the reaction.
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
					must.Get(Run(t.Context(), &c, Report{Step: func(s *StepRecord) { at, took = append(at, s.At), append(took, s.Total) }}))(t)
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

// The link of a host with moved processes becomes slow during communication. Supersteps do not show
// which link it is, so links are measured, and a few supersteps later the processes are on hosts
// where it does not matter. The run takes no longer than with the initial mapping, and the bank does
// not exceed the real saving.
func TestThrottledLinesAreLeft(t *testing.T) {
	for _, sets := range []int{1, 2} {
		for _, part := range []float64{0.02, 0.1, 0.3} {
			for host := 4; host < 6; host++ {
				name := fmt.Sprintf("%d Sets, host %d, %g of the rate", sets, host, part)
				text := ""
				for set := range sets {
					text += fmt.Sprintf("#@set s%d rate=1Gb/s latency=50us\n", set)
					for i := range 6 {
						if i*sets/6 == set {
							text += fmt.Sprintf("h%d slots=1\n#@host h%d speed=%d\n", i, i, 1+3*(i/4))
						}
					}
				}
				if sets == 2 {
					text += "#@link s0 s1 rate=10Gb/s latency=200us\n"
				}
				const length, slowed = 200, 60
				c := Config{
					Platform: hostsOf(t, text), Balance: parse(t, "auto"), Where: make([]int32, 24),
					Workload: &Ring{Size: 24, Length: length, Flops: 2e7, Bytes: 1e6, Kept: 1e5},
				}
				for pid := range c.Where {
					c.Where[pid] = int32(pid / 6)
				}
				var at, took []float64
				believed, calls := 0.0, 0.0
				run := func() float64 {
					at, took, calls = nil, nil, 0
					r := must.Get(Run(t.Context(), &c, Report{Step: func(s *StepRecord) { at, took = append(at, s.At), append(took, s.Total) }, Call: func(r *CallRecord) {
						believed, calls = r.Decision.Learned.Bank.Saved, max(calls, r.Took)+r.Moved
					}}))(t)
					return r.Time
				}
				run()
				profile := NewProfile(1)
				profile.Set(at[slowed], part)
				for i, link := range c.Platform.Links {
					if strings.HasPrefix(link.Name, fmt.Sprintf("h%d_", host)) {
						c.Platform.Links[i].Share = Shares{profile}
					}
				}
				with := run()
				end := took[length-1]
				last := slowed
				for i := slowed; i < length; i++ {
					if took[i] > 1.2*end {
						last = i
					}
				}
				c.Balance = parse(t, "off")
				believes, cost := believed, calls
				off := run()
				t.Logf("%s: %.3g s, without %.3g; the bank says %.3g; %d supersteps", name, with, off, believes, last-slowed)
				if with > 1.03*off+cost {
					t.Errorf("%s: %.3g s, without rescheduling %.3g", name, with, off)
				}
				if last-slowed > 6 {
					t.Errorf("%s: the %d-th superstep after it still takes long", name, last-slowed)
				}
				if believes > off-with+0.01*off {
					t.Errorf("%s: the bank says that %.3g s were saved, it were %.3g s", name, believes, off-with)
				}
			}
		}
	}
}

// hostsOf is the platform that a hosts file describes.
func hostsOf(t *testing.T, text string) *Platform {
	t.Helper()
	f := must.Get(hostfile.Parse("few.hosts", strings.NewReader(text)))(t)
	return must.Get(FromHosts(f))(t)
}
