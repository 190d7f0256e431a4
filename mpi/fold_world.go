//go:build mpi && cgo

package mpi

import "unsafe"

// folding is a rank's part in exchanges that fold (Fold). Each member of a node publishes its
// contribution, behind a record, at its desk, and the leader passes all of them to the rounds
// (mesh). At node 0 of a tree the rounds wait for the leader, which folds.
//
// Writes are ordered as for the pieces that the relay carries. The result lies in the slots of the
// leader, or at node 0 in memory of its own, until the next rounds on the lane.
type folding struct {
	lane *Fold
	mine part[byte] // this rank's contribution to this exchange, with a record

	// Of the leader.
	node   part[byte] // contributions of the node's ranks
	total  int        // bytes of that
	result part[byte]
	given  [][]byte // by rank
}

// foldLane is the lane whose exchanges fold.
const foldLane = 0

// foldsAmong determines the rank that folds among these nodes, and the maximum that each rank may
// give.
func (r *relay) foldsAmong(nodes nodeTable) {
	f := r.folding.lane
	f.At, f.Most, f.Made = 0, 0, nil
	tree := r.mesh.rule.tree(len(nodes.leaders))
	if tree == nil {
		return
	}
	ranks := make([]int, len(nodes.leaders))
	for _, node := range nodes.of {
		if node >= 0 {
			ranks[node]++
		}
	}
	f.At, f.Most = nodes.leaders[0], tree.MostFolded(ranks)
}

// layFold publishes this rank's contribution to the leader, before the rank arrives.
func (r *relay) layFold(lane int) {
	f := r.folding
	if lane != foldLane {
		return
	}
	n, l := 0, f.lane
	if l.Head != nil {
		length := len(l.Head) + len(l.Body)
		n = blockHead + roundUp(length, blockHead)
		f.mine.reserve(n)
		*(*record)(f.mine.at()) = record{src: uint32(r.rank), length: uint64(length)}
		to := f.mine.slice(n)[blockHead:]
		copy(to[copy(to, l.Head):], l.Body)
	}
	r.desk.gives, r.desk.give = uint64(n), uint64(f.mine.place)
	l.Head, l.Body, l.Made = nil, nil, nil
}

// giveFold passes the contributions of this node's ranks to the rounds, when the ranks have
// arrived.
func (r *relay) giveFold(lane int) {
	f, total := r.folding, 0
	f.total = total
	if lane != foldLane || f.lane.Most == 0 {
		return
	}
	for _, m := range r.here {
		total += int(r.desks[m].gives)
	}
	if total == 0 {
		return
	}
	f.node.reserve(total)
	at := f.node.slice(total)
	for _, m := range r.here {
		d := r.desks[m]
		at = at[copy(at, unsafe.Slice((*byte)(unsafe.Add(r.bases[m], d.give)), d.gives)):]
	}
	f.total = total
	r.mesh.giveFold(f.node.slice(total))
}

// turn folds the contributions of all ranks, which have arrived here, and resumes the rounds.
func (r *relay) turn() error {
	f := r.folding
	if f.given == nil {
		f.given = make([][]byte, len(r.node))
	}
	clear(f.given)
	f.takeGiven(f.node.at(), f.total)
	for _, p := range r.mesh.given() {
		f.takeGiven(unsafe.Pointer(p.content), int(p.len))
	}
	var made []byte
	if f.lane.By != nil {
		made = f.lane.By(f.given)
	}
	f.result.reserve(len(made))
	copy(f.result.slice(len(made)), made)
	return r.mesh.turn(f.result.slice(len(made)))
}

// takeGiven records the contributions of a node's ranks.
func (f *folding) takeGiven(at unsafe.Pointer, n int) {
	for end := uintptr(at) + uintptr(n); uintptr(at) < end; {
		rec := *(*record)(at)
		at = unsafe.Add(at, blockHead)
		f.given[rec.src] = unsafe.Slice((*byte)(at), rec.length)
		at = unsafe.Add(at, roundUp(int(rec.length), blockHead))
	}
}

// showFolded shows the result to the members of the node before they are released; takeFolded
// takes it.
func (r *relay) showFolded(lane int) {
	if lane != foldLane {
		return
	}
	folded := r.mesh.folded()
	if r.desk.folds = uint64(len(folded)); len(folded) > 0 {
		place, _ := r.leading.table.arena.place(unsafe.Pointer(unsafe.SliceData(folded)))
		r.desk.folded = uint64(place)
	}
}

func (r *relay) takeFolded(lane int) {
	if d := r.desks[r.leader]; lane == foldLane && d.folds > 0 {
		r.folding.lane.Made = unsafe.Slice((*byte)(unsafe.Add(r.bases[r.leader], d.folded)), d.folds)
	}
}
