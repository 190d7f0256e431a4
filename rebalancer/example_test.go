package rebalancer_test

import (
	"fmt"
	"os"

	"github.com/migbsp/migbsp/rebalancer"
)

// Two ranks, the second half as fast, run four processes. One controller represents both ranks; it
// observes four supersteps and decides as managers do in a run.
func Example() {
	platform := rebalancer.Uniform(2, rebalancer.Link{Latency: 1e-4, PerByte: 1e-8})
	platform.Ranks[0].Host, platform.Ranks[1].Host = "alpha", "beta"
	platform.Ranks[1].Speed = 0.5
	spec, err := rebalancer.Parse("percent,guard=0")
	if err != nil {
		fmt.Println(err)
		return
	}
	controller := rebalancer.New(platform, []int32{0, 0, 1, 1}, spec)
	for step := 1; step <= 4; step++ {
		controller.Observe(rebalancer.Observation{Step: step, Count: 1, Processes: []rebalancer.Measure{
			{Pid: 0, Time: 1}, {Pid: 1, Time: 1}, {Pid: 2, Time: 2}, {Pid: 3, Time: 6},
		}})
	}

	ranks := []rebalancer.RankState{
		{Rank: 0, Available: 1, Free: -1, Elapsed: 32, Steps: 4, Remaining: 100},
		{Rank: 1, Available: 1, Free: -1, Elapsed: 32, Steps: 4, Remaining: 100},
	}
	report := controller.Report(ranks, func(int) rebalancer.Detail {
		return rebalancer.Detail{State: 1 << 20, Request: -1}
	})
	snapshot, err := rebalancer.Merge(4, report)
	if err != nil {
		fmt.Println(err)
		return
	}
	decision := controller.Decide(snapshot)
	if err := decision.Why(os.Stdout, &platform); err != nil {
		fmt.Println(err)
	}
	// Output:
	// call 1 after superstep 4: alpha 4 > 4, D 0.5 > 0.5, the last superstep was not
	//   balanced; next call after superstep 8
	//   process  Set  Comp  Comm  Mem     PM     t1  t2
	//   3        all  6     0     0.0106  5.99   8   5.01
	//     goes from 1@beta to 0@alpha: t1 8 s > t2 5.01 s
	//   2        all  2     0     0.0106  1.99   0   0
	//     stays: PM 1.99 s is not chosen: it is below 0.8 of the largest, 5.99 s
	//   0        all  1     0     0.0106  0.989  0   0
	//     stays: PM 0.989 s is not chosen: it is below 0.8 of the largest, 5.99 s
	//   1        all  1     0     0.0106  0.989  0   0
	//     stays: PM 0.989 s is not chosen: it is below 0.8 of the largest, 5.99 s
	//   1 processes move, 1048576 bytes: the next 100 supersteps take 500 s instead of
	//     800 s, for 0.0107 s of moving
	//   a superstep takes 8 s before the call and at least 4 s on any mapping: gap 50%
	//     (longest process 3 s, all work over all speed 4 s)
	//   by speed and share of their cores the ranks have [1 0.5]
}
