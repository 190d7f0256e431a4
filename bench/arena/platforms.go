package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/sim"
)

// family is a method of drawing a platform.
type family struct {
	name  string
	about string
	sets  func(random *rand.Rand) []set
}

// platforms are the families of machines. Hosts have one core each.
var platforms = []family{
	{"equal", "4 to 16 equal hosts on one switch", func(random *rand.Rand) []set {
		return []set{{speeds: repeat(1, 4+random.IntN(13)), rate: oneOf(random, 1.25e8, 1.25e9), latency: 5e-5}}
	}},
	{"two speeds", "hosts of two speeds on one switch", func(random *rand.Rand) []set {
		slow, fast := 2+random.IntN(6), 2+random.IntN(6)
		speeds := append(repeat(1, slow), repeat(between(random, 1.5, 4), fast)...)
		random.Shuffle(len(speeds), func(i, k int) { speeds[i], speeds[k] = speeds[k], speeds[i] })
		return []set{{speeds: speeds, rate: oneOf(random, 1.25e7, 1.25e8), latency: 5e-5}}
	}},
	{"clusters", "2 to 4 clusters, each of hosts of one speed, over slower lines", func(random *rand.Rand) []set {
		sets := make([]set, 2+random.IntN(3))
		for i := range sets {
			sets[i] = set{
				speeds: repeat(between(random, 0.8, 2.5), 2+random.IntN(5)),
				rate:   oneOf(random, 1.25e7, 1.25e8), latency: 5e-5,
			}
		}
		return sets
	}},
	{"random", "hosts, links and latencies at random", func(random *rand.Rand) []set {
		sets := make([]set, 1+random.IntN(3))
		for i := range sets {
			sets[i] = set{rate: math.Exp(between(random, math.Log(1e7), math.Log(2e9))), latency: math.Exp(between(random, math.Log(1e-5), math.Log(1e-3)))}
			for range 2 + random.IntN(7) {
				sets[i].speeds = append(sets[i].speeds, math.Exp(between(random, math.Log(0.4), math.Log(3))))
			}
		}
		return sets
	}},
	{"slow lines", "2 or 3 clusters of two speeds over lines of 5 to 50 Mb/s and 5 to 50 ms", func(random *rand.Rand) []set {
		sets := make([]set, 2+random.IntN(2))
		line, way := math.Exp(between(random, math.Log(6e5), math.Log(6e6))), between(random, 5e-3, 5e-2)
		for i := range sets {
			speed := between(random, 0.8, 2.5)
			sets[i] = set{speeds: append(repeat(speed, 1+random.IntN(4)), repeat(2*speed, 1+random.IntN(2))...), rate: 1.25e8, latency: 5e-5, line: line, way: way}
		}
		return sets
	}},
}

// set is hosts that are close to each other.
type set struct {
	speeds  []float64 // of hosts, where 1 is a billion operations per second
	rate    float64   // bytes per second of each host's link
	latency float64   // seconds between two hosts
	// line and way are rate and latency to other sets; 0 to derive them from those within.
	line, way float64
}

// machine builds the platform of some sets. The line between two of them is, unless they say, as
// fast as the slower one's links and ten times as long, 1 ms at least.
func machine(sets []set) (*sim.Platform, error) {
	var text strings.Builder
	for i, s := range sets {
		fmt.Fprintf(&text, "#@set s%d manager=s%dh0 speed=%g rate=%s latency=%s\n", i, i, s.speeds[0], rate(s.rate), latency(s.latency))
		for k := range s.speeds {
			fmt.Fprintf(&text, "s%dh%d slots=1\n", i, k)
		}
	}
	for i, s := range sets {
		for k, speed := range s.speeds {
			fmt.Fprintf(&text, "#@host s%dh%d speed=%g\n", i, k, speed)
		}
		for k := range i {
			line, way := cmp.Or(s.line, min(s.rate, sets[k].rate)), cmp.Or(s.way, max(1e-3, 10*max(s.latency, sets[k].latency)))
			fmt.Fprintf(&text, "#@link s%d s%d rate=%s latency=%s\n", k, i, rate(line), latency(way))
		}
	}
	f, err := hostfile.Parse("arena.hosts", strings.NewReader(text.String()))
	if err != nil {
		return nil, err
	}
	return sim.FromHosts(f)
}

func rate(bytes float64) string { return fmt.Sprintf("%.6fGb/s", 8*bytes/1e9) }

func latency(seconds float64) string { return time.Duration(seconds * 1e9).String() }

// repeat is n times the same.
func repeat(x float64, n int) []float64 { return slices.Repeat([]float64{x}, n) }

func between(random *rand.Rand, low, high float64) float64 { return low + (high-low)*random.Float64() }

func oneOf(random *rand.Rand, all ...float64) float64 { return all[random.IntN(len(all))] }
