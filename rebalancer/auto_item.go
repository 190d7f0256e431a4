package rebalancer

import (
	"cmp"
	"slices"
)

// autoItem is a group of processes that are placed together.
type autoItem struct {
	pids  []int32
	work  []float64 // by phase
	size  float64
	state int64
	home  int32 // where most of its state is
}

// singles makes an item of each process.
func (m *autoModel) singles(pids []int32) []autoItem {
	items := make([]autoItem, len(pids))
	for i, pid := range pids {
		items[i] = autoItem{
			pids: pids[i : i+1], work: m.row(int(pid)), size: m.size[pid],
			state: m.state[pid], home: m.home[pid],
		}
	}
	return items
}

// largestFirst is the order of the items by size, of equal ones by first pid.
func largestFirst(items []autoItem) []int32 {
	type key struct {
		size   float64
		pid, i int32
	}
	keys := make([]key, len(items))
	for i := range items {
		keys[i] = key{size: items[i].size, pid: items[i].pids[0], i: int32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.size != b.size {
			return cmp.Compare(b.size, a.size)
		}
		return cmp.Compare(a.pid, b.pid)
	})
	order := make([]int32, len(keys))
	for i, k := range keys {
		order[i] = k.i
	}
	return order
}
