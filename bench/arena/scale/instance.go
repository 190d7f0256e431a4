package scale

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// instance is a platform with processes on it.
type instance struct {
	processes, hosts, sets int
	platform               *sim.Platform
	ranks                  rebalancer.Platform
	where                  []int32
	work                   []float64 // by process, in a superstep
}

// newInstance describes a platform and reads it, as simulated runs do. grouping determines
// the number of Sets; they have equally many hosts, with ten processes for each host.
func newInstance(processes int, grouping string) (*instance, error) {
	hosts := max(1, processes/10)
	sets := map[string]int{
		"one": 1, "cube": int(math.Round(math.Cbrt(float64(hosts)))), "square": int(math.Round(math.Sqrt(float64(hosts)))),
	}[grouping]
	each := (hosts + sets - 1) / sets
	n := &instance{processes: processes, hosts: sets * each, sets: sets}
	dir, err := os.MkdirTemp("", "scale")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "platform.xml")
	if err := os.WriteFile(file, []byte(described(sets, each)), 0o666); err != nil {
		return nil, err
	}
	if n.platform, err = sim.Read(file); err != nil {
		return nil, err
	}
	for i := range n.platform.Hosts {
		n.platform.Hosts[i].Speed *= []float64{1, 0.5, 0.8, 2}[i%4]
	}
	if n.ranks, err = n.platform.Seen(sim.Barrier{}); err != nil {
		return nil, err
	}
	n.where, err = n.platform.Place(processes, "contiguous")
	return n, err
}

// described is a platform of clusters around a router.
func described(sets, each int) string {
	var text, routes strings.Builder
	text.WriteString(`<platform version="4.1"><zone id="world" routing="Floyd"><zone id="core" routing="Full"><router id="hub"/></zone>`)
	for i := range sets {
		fmt.Fprintf(&text, `<cluster id="c%d" prefix="c%d-" radical="0-%d" speed="1Gf" bw="1Gbps" lat="25us" bb_bw="%dGbps" bb_lat="5us"/>`,
			i, i, each-1, each)
		fmt.Fprintf(&text, `<link id="up%d" bandwidth="10Gbps" latency="1ms" sharing_policy="SPLITDUPLEX"/>`, i)
		fmt.Fprintf(&routes, `<zoneRoute src="c%d" dst="core" gw_src="c%d-c%d_router" gw_dst="hub"><link_ctn id="up%d" direction="UP"/></zoneRoute>`, i, i, i, i)
	}
	return text.String() + routes.String() + `</zone></platform>`
}

// observe passes some supersteps with uneven work to a controller: the heaviest of
// a thousand processes has about ten times the work of most.
func (n *instance) observe(c *rebalancer.Controller, supersteps int) {
	random := rand.New(rand.NewPCG(1, uint64(n.processes)))
	n.work = n.work[:0]
	o := rebalancer.Observation{Count: 1, Processes: make([]rebalancer.Measure, n.processes)}
	from := make([]rebalancer.Traffic, n.processes)
	for pid := range o.Processes {
		from[pid] = rebalancer.Traffic{Pid: (pid + n.processes - 1) % n.processes, Bytes: 100_000}
		n.work = append(n.work, 0.1*math.Exp(0.75*random.NormFloat64()))
		seconds := n.work[pid] / n.ranks.Ranks[c.Where()[pid]].Speed
		o.Processes[pid] = rebalancer.Measure{Pid: pid, Time: seconds, Received: from[pid : pid+1]}
	}
	for o.Step = 1; o.Step <= supersteps; o.Step++ {
		c.Observe(o)
	}
}

// states returns the states that the ranks would report after some supersteps.
func (n *instance) states(supersteps int) []rebalancer.RankState {
	all := make([]rebalancer.RankState, len(n.ranks.Ranks))
	for i := range all {
		all[i] = rebalancer.RankState{Rank: i, Available: 1, Free: -1, Elapsed: 3 * float64(supersteps), Steps: supersteps, Remaining: 1000}
	}
	return all
}
