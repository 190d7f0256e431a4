package search

import "slices"

// shares are the sizes of groups of partners that are tried, in fair loads.
var shares = []float64{0.25, 0.5, 1, 2, 1e9}

// clustered returns a mapping of all movable processes placed from scratch, in groups no larger
// than a share of a rank's fair load; individually if share is 0.
func (m *instance) clustered(share float64) []int32 {
	sum, ranks := 0.0, 0
	var pids []int32
	for pid, size := range m.size {
		sum += size
		if !m.Pinned[pid] {
			pids = append(pids, int32(pid))
		}
	}
	for _, usable := range m.Usable {
		if usable {
			ranks++
		}
	}
	return m.placed(pids, share*(sum/float64(max(ranks, 1))), 1)
}

// placed returns the home mapping with the given processes placed again, in groups of partners up
// to a size. Ranks should stay within target times the lower bound.
func (m *instance) placed(pids []int32, size, target float64) []int32 {
	where := slices.Clone(m.Home)
	for _, pid := range pids {
		where[pid] = -1
	}
	newPlacement(m, where, target).place(m.items(pids, size))
	return where
}

// item is a group of processes that are placed together.
type item struct {
	pids  []int32
	work  []float64 // by phase
	size  float64
	state int64
	home  int32 // where most of its state is
}

// items are the groups of some processes, by their lowest pid.
func (m *instance) items(pids []int32, size float64) []item {
	group, work := m.join(size), make([]float64, len(pids)*m.phases)
	at, items := make([]int, len(m.Home)), make([]item, 0, len(pids)) // at: by representative, from 1 on
	for i, pid := range pids {
		root := findRoot(group, pid)
		if at[root] == 0 {
			n := len(items) * m.phases
			items = append(items, item{pids: pids[i : i : i+1], work: work[n : n+m.phases]})
			at[root] = len(items)
		}
		item := &items[at[root]-1]
		item.pids = append(item.pids, pid)
		item.size += m.size[pid]
		item.state += m.State[pid]
		for f, x := range m.row(int(pid)) {
			item.work[f] += x
		}
	}
	for i := range items {
		items[i].home = m.mainHome(items[i].pids)
	}
	return items
}

// join unites partners, heaviest traffic first, up to a size. It returns each process's link toward the
// representative of its group.
func (m *instance) join(limit float64) []int32 {
	group := make([]int32, len(m.Home))
	for pid := range group {
		group[pid] = int32(pid)
	}
	if limit <= 0 {
		return group
	}
	size := slices.Clone(m.size)
	for _, e := range m.edges() {
		a, b := findRoot(group, e.a), findRoot(group, e.b)
		if a != b && size[a]+size[b] <= limit {
			group[max(a, b)] = min(a, b)
			size[min(a, b)] = size[a] + size[b]
		}
	}
	return group
}

// findRoot returns the representative of a process's group, and compresses the path to it.
func findRoot(group []int32, pid int32) int32 {
	for group[pid] != pid {
		group[pid] = group[group[pid]]
		pid = group[pid]
	}
	return pid
}

// mainHome returns the rank with most of the state, or with most of the processes
// if they have no state.
func (m *instance) mainHome(pids []int32) int32 {
	best := m.Home[pids[0]]
	if len(pids) == 1 {
		return best
	}
	bytes := map[int32]int64{}
	for _, pid := range pids {
		r := m.Home[pid]
		bytes[r] += m.State[pid] + 1
		if bytes[r] > bytes[best] || (bytes[r] == bytes[best] && r < best) {
			best = r
		}
	}
	return best
}
