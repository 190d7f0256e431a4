package sim_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// Eight processes of equal work run on a fast host and on a slow one, without rescheduling
// and with it.
func Example() {
	hosts, err := hostfile.Parse("two.hosts", strings.NewReader(`
#@set fast speed=1 rate=1Gb/s latency=50us
alpha slots=1
#@set slow speed=0.25 rate=1Gb/s latency=50us
beta slots=1
#@link fast slow rate=1Gb/s latency=1ms
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	platform, err := sim.FromHosts(hosts)
	if err != nil {
		fmt.Println(err)
		return
	}
	ring := &sim.Ring{Size: 8, Length: 100, Flops: 1e8, Bytes: 1000, Kept: 1e6}
	where, err := platform.Place(ring.Processes(), "contiguous")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, strategy := range []string{"off", "percent"} {
		balance, err := rebalancer.Parse(strategy)
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := sim.Run(context.Background(),
			&sim.Config{Platform: platform, Workload: ring, Where: where, Balance: balance}, sim.Report{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-7s %.1f s, %d moves, processes on hosts %v\n", strategy, result.Time, result.Moves, result.Where)
	}
	// Output:
	// off     160.1 s, 0 moves, processes on hosts [0 1 0 1 0 1 0 1]
	// percent 73.7 s, 3 moves, processes on hosts [0 0 0 0 0 0 0 1]
}
