package placement

import (
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// fewHosts is the number of hosts that a description names; more hosts make the line too long for
// a terminal.
const fewHosts = 6

// spread describes a mapping by the number of processes on each host.
func spread(where []int32, p *rebalancer.Platform) string {
	number, hosts := p.Hosts()
	count := make([]int, len(hosts))
	for _, rank := range where {
		count[number[rank]]++
	}
	var parts []string
	rest, further := 0, 0
	for host, n := range count {
		switch name := p.Ranks[hosts[host][0]].Host; {
		case n == 0:
		case len(parts) == fewHosts:
			rest, further = rest+n, further+1
		case len(parts) == 0:
			parts = append(parts, fmt.Sprintf("%s on %s", ledger.Count(n, "process"), name))
		default:
			parts = append(parts, fmt.Sprintf("%d on %s", n, name))
		}
	}
	if further > 0 {
		parts = append(parts, fmt.Sprintf("%d on %s", rest, ledger.Count(further, "more host")))
	}
	return strings.Join(parts, ", ")
}
