package rebalancer_test

import (
	"fmt"
	"os"

	"github.com/migbsp/migbsp/rebalancer"
)

// swap is a custom strategy. It moves the longest process of the rank that takes longest to the rank
// that would finish it first, if that saves at least a given share of the time.
type swap struct{ least float64 }

func (s swap) Choose(v rebalancer.View) ([]rebalancer.Move, []rebalancer.Verdict) {
	load := make([]float64, len(v.Rates))
	for _, p := range v.Snapshot.Processes {
		load[v.Where[p.Pid]] += p.Work
	}
	slowest := 0
	for rank := range load {
		if v.Rates[rank] > 0 && load[rank]/v.Rates[rank] > load[slowest]/v.Rates[slowest] {
			slowest = rank
		}
	}
	pid := -1
	for _, p := range v.Snapshot.Processes {
		if int(v.Where[p.Pid]) == slowest && !p.Pinned && (pid < 0 || p.Work > v.Snapshot.Processes[pid].Work) {
			pid = p.Pid
		}
	}
	if pid < 0 {
		return nil, nil
	}
	p, best := v.Snapshot.Processes[pid], slowest
	after := func(rank int) float64 { return (load[rank] + p.Work) / v.Rates[rank] }
	for rank := range load {
		if rank != slowest && v.Rates[rank] > 0 && (best == slowest || after(rank) < after(best)) {
			best = rank
		}
	}
	now := load[slowest] / v.Rates[slowest]
	verdict := rebalancer.Verdict{Pid: pid, To: best, T1: now, T2: after(best), Rule: "no rank is done with it soon enough"}
	if best == slowest || verdict.T2 > now*(1-s.least) {
		return nil, []rebalancer.Verdict{verdict}
	}
	verdict.Moves, verdict.Rule = true, "it is the longest of the slowest rank"
	return []rebalancer.Move{{Pid: pid, From: slowest, To: best, Bytes: p.State, Reason: verdict.Rule}}, []rebalancer.Verdict{verdict}
}

func init() {
	rebalancer.Register(rebalancer.Definition{
		Name: "swap", About: "the longest process of the slowest rank to where it is done first", Source: "this example",
		Parameters: []rebalancer.Parameter{{Name: "least", Default: 0.05, Min: 0, Max: 1, About: "part of the time that is to be gained"}},
		New:        func(values map[string]float64) rebalancer.Strategy { return swap{values["least"]} },
	})
}

// A custom strategy is selected with -balance by name, like the strategies of this package.
func ExampleRegister() {
	platform := rebalancer.Uniform(2, rebalancer.Link{Latency: 1e-4, PerByte: 1e-8})
	spec, err := rebalancer.Parse("swap,least=0.1")
	if err != nil {
		fmt.Println(err)
		return
	}
	controller := rebalancer.New(platform, []int32{0, 0, 1, 1}, spec)
	for step := 1; step <= 4; step++ {
		controller.Observe(rebalancer.Observation{Step: step, Count: 1, Processes: []rebalancer.Measure{
			{Pid: 0, Time: 1}, {Pid: 1, Time: 1}, {Pid: 2, Time: 2}, {Pid: 3, Time: 3},
		}})
	}
	ranks := []rebalancer.RankState{
		{Rank: 0, Available: 1, Free: -1, Elapsed: 20, Steps: 4, Remaining: 100},
		{Rank: 1, Available: 1, Free: -1, Elapsed: 20, Steps: 4, Remaining: 100},
	}
	report := controller.Report(ranks, func(pid int) rebalancer.Detail {
		return rebalancer.Detail{State: 1 << 20, Pinned: pid == 3, Request: -1}
	})
	snapshot, err := rebalancer.Merge(4, report)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range controller.Decide(snapshot).Moves {
		fmt.Fprintf(os.Stdout, "process %d goes from rank %d to rank %d: %s\n", m.Pid, m.From, m.To, m.Reason)
	}
	// Output:
	// process 2 goes from rank 1 to rank 0: it is the longest of the slowest rank
}
