package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
)

// Mappings are the names of initial mappings.
var Mappings = []string{"contiguous", "ascending", "descending", "cpu", "round-robin", "blocks"}

// Place puts n processes on the platform's hosts.
//
//	contiguous   one on each host in the order of the file, then again from the first
//	ascending    the same, the slowest hosts first
//	descending   the same, the fastest first
//	cpu          on the host that would finish first with an additional process
//	round-robin  one on each Set in turn, on its hosts in turn
//	blocks       as programs begin: one rank on each core, and on each rank a block of
//	             consecutive processes
func (p *Platform) Place(n int, how string) ([]int32, error) {
	order := make([]int32, len(p.Hosts))
	for i := range order {
		order[i] = int32(i)
	}
	bySpeed := func(a, b int32) int { return cmp.Compare(p.Hosts[a].Speed, p.Hosts[b].Speed) }
	switch how {
	case "contiguous":
	case "ascending":
		slices.SortStableFunc(order, bySpeed)
	case "descending":
		slices.SortStableFunc(order, func(a, b int32) int { return bySpeed(b, a) })
	case "round-robin":
		order = p.inTurn()
	case "cpu":
		return p.bySpeed(n), nil
	case "blocks":
		return p.blocks(n), nil
	default:
		return nil, fmt.Errorf("there is no mapping %q; there are %s", how, strings.Join(Mappings, ", "))
	}
	where := make([]int32, n)
	for pid := range where {
		where[pid] = order[pid%len(order)]
	}
	return where, nil
}

// Named places processes on hosts by name. It returns nil without names.
func (p *Platform) Named(names []string) ([]int32, error) {
	hosts := make(map[string]int32)
	for i, h := range p.Hosts {
		hosts[h.Name] = int32(i)
	}
	where, named := make([]int32, len(names)), 0
	missing := -1
	for pid, name := range names {
		host, known := hosts[name]
		switch {
		case name == "":
			missing = pid
		case !known:
			return nil, fmt.Errorf("process %d is on host %q, which the platform does not have", pid, name)
		default:
			where[pid], named = host, named+1
		}
	}
	switch {
	case named == 0:
		return nil, nil
	case missing >= 0:
		return nil, fmt.Errorf("process %d has no host, but %d others have", missing, named)
	}
	return where, nil
}

// blocks assigns consecutive processes to each core.
func (p *Platform) blocks(n int) []int32 {
	var ranks []int32 // the host of each
	for i, h := range p.Hosts {
		ranks = append(ranks, slices.Repeat([]int32{int32(i)}, h.Cores)...)
	}
	where := hostfile.Blocks(n, len(ranks))
	for pid, rank := range where {
		where[pid] = ranks[rank]
	}
	return where
}

// inTurn returns the hosts, one of each Set in turn.
func (p *Platform) inTurn() []int32 {
	sets := make([][]int32, len(p.Sets))
	for i, host := range p.Hosts {
		sets[host.Set] = append(sets[host.Set], int32(i))
	}
	var order []int32
	for k := 0; len(order) < len(p.Hosts); k++ {
		for _, hosts := range sets {
			if k < len(hosts) {
				order = append(order, hosts[k])
			}
		}
	}
	return order
}

// bySpeed assigns each process to the host that would finish first with it, as if all had the same
// work.
func (p *Platform) bySpeed(n int) []int32 {
	where := make([]int32, n)
	on := make([]int, len(p.Hosts))
	then := func(host int32) float64 {
		h := &p.Hosts[host]
		return max(1, float64(on[host]+1)/float64(h.Cores)) / h.Speed
	}
	queue := heap[int32]{before: func(a, b int32) bool { return cmp.Or(cmp.Compare(then(a), then(b)), int(a-b)) < 0 }}
	for host := range p.Hosts {
		queue.push(int32(host))
	}
	for pid := range where {
		host := queue.pop()
		where[pid] = host
		on[host]++
		queue.push(host)
	}
	return where
}
