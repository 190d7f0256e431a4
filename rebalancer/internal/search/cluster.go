package search

import (
	"slices"
)

// shares are the sizes of groups of partners that are tried, in fair loads.
var shares = []float64{0.25, 0.5, 1, 2, 1e9}

// clustered joins the heaviest partners to groups no larger than a share of a
// rank's fair load, and places all anew.
func (m *instance) clustered(share float64) []int32 {
	items := m.clusters(share)
	where := slices.Clone(m.home)
	for i := range items {
		for _, pid := range items[i].pids {
			where[pid] = -1
		}
	}
	newPlacement(m, where, 1).place(items)
	return where
}

// clusters are the groups of processes that may move, by their lowest pid.
func (m *instance) clusters(share float64) []item {
	group := m.join(share * m.fairLoad())
	at := map[int32]int{}
	var items []item
	for pid, fixed := range m.fixed {
		if fixed {
			continue
		}
		root := findRoot(group, int32(pid))
		i, known := at[root]
		if !known {
			i = len(items)
			at[root] = i
			items = append(items, item{work: make([]float64, m.phases)})
		}
		item := &items[i]
		item.pids = append(item.pids, int32(pid))
		item.size += m.size[pid]
		item.state += m.state[pid]
		for f, x := range m.row(pid) {
			item.work[f] += x
		}
	}
	for i := range items {
		items[i].home = m.mainHome(items[i].pids)
	}
	return items
}

// fairLoad is the work of the mean usable rank.
func (m *instance) fairLoad() float64 {
	sum, ranks := 0.0, 0
	for _, size := range m.size {
		sum += size
	}
	for _, usable := range m.usable {
		if usable {
			ranks++
		}
	}
	return sum / float64(max(ranks, 1))
}

// join unites partners, heaviest traffic first, up to a size.
func (m *instance) join(limit float64) []int32 {
	group := make([]int32, len(m.home))
	size := slices.Clone(m.size)
	for pid := range group {
		group[pid] = int32(pid)
	}
	for _, e := range m.edges() {
		a, b := findRoot(group, e.a), findRoot(group, e.b)
		if a != b && size[a]+size[b] <= limit {
			group[max(a, b)] = min(a, b)
			size[min(a, b)] = size[a] + size[b]
		}
	}
	return group
}

// findRoot is the representative of a process's group; it shortens the way to it.
func findRoot(group []int32, pid int32) int32 {
	for group[pid] != pid {
		group[pid] = group[group[pid]]
		pid = group[pid]
	}
	return pid
}

// mainHome is the rank where most of the states are, or most of the processes
// if there is no state.
func (m *instance) mainHome(pids []int32) int32 {
	bytes := map[int32]int64{}
	best := m.home[pids[0]]
	for _, pid := range pids {
		r := m.home[pid]
		bytes[r] += m.state[pid] + 1
		if bytes[r] > bytes[best] || (bytes[r] == bytes[best] && r < best) {
			best = r
		}
	}
	return best
}
