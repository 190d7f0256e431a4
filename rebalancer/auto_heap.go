package rebalancer

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

const (
	heapGroups = 8    // ranks are parted by Set and speed into no more groups
	heapFactor = 1.25 // speeds that differ by less are alike
)

// autoHeap keeps ranks by load, in one phase or in all. Keys may be older, and
// so smaller, than the loads; they are renewed when they come to the front.
type autoHeap struct {
	phase int // -1 for the weighted load
	front int // ranks that are looked at
	ranks []int32
	keys  []float64
}

// newAutoHeaps has a heap for each group of similar ranks and one for each
// phase.
func newAutoHeaps(r *autoRoom) []autoHeap {
	groups := map[int][]int32{}
	var all []int32
	for rank, usable := range r.m.usable {
		if usable {
			key := heapKey(r.m, rank)
			groups[key] = append(groups[key], int32(rank))
			all = append(all, int32(rank))
		}
	}
	var heaps []autoHeap
	if len(groups) > heapGroups {
		heaps = newSpeedHeaps(r, all)
	} else {
		for _, key := range slices.Sorted(maps.Keys(groups)) {
			heaps = append(heaps, newAutoHeap(r, groups[key], -1, max(1, placeRanks/len(groups))))
		}
	}
	if r.m.phases > 1 {
		for f := range r.m.phases {
			heaps = append(heaps, newAutoHeap(r, all, f, placeRanks))
		}
	}
	return heaps
}

// heapKey is the same for ranks of one Set that are about as fast.
func heapKey(m *autoModel, rank int) int {
	class := int(math.Round(math.Log(m.fast[rank]) / math.Log(heapFactor)))
	return m.cost.view.Platform.Ranks[rank].Set<<16 + class&0xFFFF
}

// newSpeedHeaps parts the ranks by speed alone into groups of equal number.
func newSpeedHeaps(r *autoRoom, ranks []int32) []autoHeap {
	sorted := slices.Clone(ranks)
	slices.SortFunc(sorted, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.m.fast[a], r.m.fast[b]), cmp.Compare(a, b))
	})
	var heaps []autoHeap
	for part := range slices.Chunk(sorted, (len(sorted)+heapGroups-1)/heapGroups) {
		heaps = append(heaps, newAutoHeap(r, part, -1, max(1, placeRanks/heapGroups)))
	}
	return heaps
}

func newAutoHeap(r *autoRoom, ranks []int32, phase, front int) autoHeap {
	h := autoHeap{phase: phase, front: front, ranks: slices.Clone(ranks), keys: make([]float64, len(ranks))}
	for i, rank := range h.ranks {
		h.keys[i] = h.key(r, rank)
	}
	for i := len(h.ranks)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
	return h
}

func (h *autoHeap) key(r *autoRoom, rank int32) float64 {
	if h.phase < 0 {
		return r.totals[rank] * r.m.fast[rank]
	}
	return r.loads[int(rank)*r.m.phases+h.phase] * r.m.fast[rank]
}

// lowest returns ranks at the front of the heap: the least loaded and others
// that are hardly more so.
func (h *autoHeap) lowest(r *autoRoom) []int32 {
	n := min(h.front, len(h.ranks))
	for i := n - 1; i >= 0; i-- {
		if key := h.key(r, h.ranks[i]); key != h.keys[i] {
			h.keys[i] = key
			h.sink(i)
		}
	}
	return h.ranks[:n]
}

func (h *autoHeap) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.keys) {
			return
		}
		if child+1 < len(h.keys) && h.less(child+1, child) {
			child++
		}
		if !h.less(child, i) {
			return
		}
		h.keys[i], h.keys[child] = h.keys[child], h.keys[i]
		h.ranks[i], h.ranks[child] = h.ranks[child], h.ranks[i]
		i = child
	}
}

func (h *autoHeap) less(i, j int) bool {
	return h.keys[i] < h.keys[j] || (h.keys[i] == h.keys[j] && h.ranks[i] < h.ranks[j])
}
