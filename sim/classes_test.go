package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer"
)

// A program that combines something after each step has every other superstep without
// work. The papers' strategies gain there what they gain without.
func TestPublishedStrategiesWithCombinedSteps(t *testing.T) {
	p := parsed(t, `<platform version="4.1"><zone id="world" routing="Full">
<cluster id="old" prefix="o" suffix="" radical="0-3" speed="1Gf" bw="100MBps" lat="50us"/>
<cluster id="new" prefix="n" suffix="" radical="0-7" speed="2Gf" bw="100MBps" lat="50us"/>
<link id="l" bandwidth="1GBps" latency="1ms"/>
<zoneRoute src="old" dst="new" gw_src="oold_router" gw_dst="nnew_router"><link_ctn id="l"/></zoneRoute></zone></platform>`)
	where := []int32{0, 1, 2, 3, 4, 5}
	saved := func(combine bool, spec string) float64 {
		var text strings.Builder
		step := 0
		for range 40 {
			step++
			fmt.Fprintf(&text, "site,%d,work\n", step)
			for pid := range where {
				fmt.Fprintf(&text, "work,%d,%d,1e9\nmsg,%d,%d,%d,1e5\n", step, pid, step, pid, (pid+1)%len(where))
			}
			if combine {
				step++
				fmt.Fprintf(&text, "site,%d,combine\n", step)
				for pid := range where[1:] {
					fmt.Fprintf(&text, "msg,%d,%d,0,8\n", step, pid+1)
				}
			}
		}
		load := must.Get(parseCSV("w.csv", strings.NewReader(text.String()), p))(t)
		times := make(map[string]float64)
		for _, balance := range []string{"off", spec} {
			parsed := must.Get(rebalancer.Parse(balance))(t)
			r := must.Get(Run(t.Context(), &Config{Platform: p, Workload: load, Where: where, Balance: parsed}, Report{}))(t)
			times[balance] = r.Time
		}
		return 1 - times[spec]/times["off"]
	}
	for _, spec := range []string{"percent,guard=0", "migcube,guard=0", "mighull,guard=0", "percent"} {
		alone, combined := saved(false, spec), saved(true, spec)
		if alone < 0.3 || combined < alone-0.05 {
			t.Errorf("%s saves %.3f alone and %.3f with a superstep that combines", spec, alone, combined)
		}
	}
}
