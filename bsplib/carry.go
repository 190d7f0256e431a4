package bsplib

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/rebalancer"
)

// carrySpans brings the large parts of moving states straight from the old
// memory into the new. Where the new rank can reach the old memory it copies
// from there; elsewhere they are sent in pieces. All ranks go through the moves
// in one order that lets different pairs of ranks work at the same time.
func (r *rank) carrySpans(moves []rebalancer.Move) *Error {
	for i := range r.mover.arrivals {
		if err := r.copyReachable(&r.mover.arrivals[i]); err != nil {
			return r.engineError(err)
		}
	}
	for _, m := range inRounds(moves) {
		var err error
		switch me := r.comm.Rank(); {
		case m.From == m.To:
		case m.From == me:
			err = r.sendSpans(m)
		case m.To == me:
			err = r.receiveSpans(m)
		}
		if err != nil {
			return r.engineError(err)
		}
	}
	for i := range r.mover.departures {
		d := &r.mover.departures[i]
		d.digest = state.Digest(d.image)
	}
	for i := range r.mover.arrivals {
		if err := r.mover.arrivals[i].takeDigest(); err != nil {
			a := &r.mover.arrivals[i]
			return r.notArrived(a.proc.pid, a.proc.stages.at, a.from, err)
		}
	}
	return nil
}

// takeDigest encodes the state that has arrived once more: what comes out must
// be what went in at the other end. The sums of spans were taken as they came.
func (a *arrival) takeDigest() error {
	image, err := a.proc.image()
	if err != nil {
		return err
	}
	same := slices.EqualFunc(image.Spans, a.spans, func(x, y []byte) bool { return raw(x) == raw(y) && len(x) == len(y) })
	if same {
		a.digest = state.DigestOf(image.Skeleton, a.sums)
	} else {
		a.digest = state.Digest(image)
	}
	return nil
}

// copyReachable fills those spans whose source this rank can address.
func (r *rank) copyReachable(a *arrival) error {
	if a.from == r.comm.Rank() {
		for _, d := range r.mover.departures {
			if d.proc.pid == a.proc.pid {
				for i := range a.spans {
					a.copySpan(i, raw(d.image.Spans[i]))
				}
			}
		}
		return nil
	}
	for i := range a.spans {
		ref := a.refs[i]
		if ref == 0 {
			continue
		}
		from := r.comm.Reach(a.from, ref)
		if from == nil {
			return fmt.Errorf("memory of process %d that rank %d shares cannot be reached", a.proc.pid, a.from)
		}
		a.copySpan(i, from)
	}
	return nil
}

// copyPiece is how much is copied before its sum is taken, while the cache has
// it.
const copyPiece = 256 << 10

// copySpan fills span i.
func (a *arrival) copySpan(i int, from unsafe.Pointer) {
	var digest state.SpanDigest
	at := 0
	for piece := range slices.Chunk(a.spans[i], copyPiece) {
		copyBytes(raw(piece), unsafe.Add(from, at), len(piece))
		digest.Add(piece)
		at += len(piece)
	}
	a.sums[i] = digest.Sum()
}

// A span that is sent goes in pieces, and no more than a window of them is
// under way: the receiver confirms each window's end.
const (
	pieceBytes   = 1 << 20
	windowPieces = 8
)

func (r *rank) sendSpans(m rebalancer.Move) error {
	for _, d := range r.mover.departures {
		if d.proc.pid != m.Pid {
			continue
		}
		for i, s := range d.image.Spans {
			if d.refs[i] != 0 {
				continue
			}
			pieces := 0
			for piece := range slices.Chunk(s, pieceBytes) {
				if err := r.comm.Send(m.To, piece); err != nil {
					return err
				}
				if pieces++; pieces%windowPieces == 0 {
					if err := r.comm.Recv(m.To, make([]byte, 1)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (r *rank) receiveSpans(m rebalancer.Move) error {
	for _, a := range r.mover.arrivals {
		if a.proc.pid != m.Pid {
			continue
		}
		for i, s := range a.spans {
			if a.refs[i] != 0 {
				continue
			}
			var digest state.SpanDigest
			pieces := 0
			for piece := range slices.Chunk(s, pieceBytes) {
				if err := r.comm.Recv(m.From, piece); err != nil {
					return err
				}
				digest.Add(piece)
				if pieces++; pieces%windowPieces == 0 {
					if err := r.comm.Send(m.From, []byte{1}); err != nil {
						return err
					}
				}
			}
			a.sums[i] = digest.Sum()
		}
	}
	return nil
}

// inRounds orders moves so that, taken one after another by each rank, those
// of different ranks can go on at the same time: a rank is in one move of a
// round at most.
func inRounds(moves []rebalancer.Move) []rebalancer.Move {
	type placed struct {
		rebalancer.Move
		round int
	}
	next := make(map[int]int)
	order := make([]placed, len(moves))
	for i, m := range moves {
		round := max(next[m.From], next[m.To])
		next[m.From], next[m.To] = round+1, round+1
		order[i] = placed{m, round}
	}
	slices.SortStableFunc(order, func(a, b placed) int { return a.round - b.round })
	sorted := make([]rebalancer.Move, len(moves))
	for i, p := range order {
		sorted[i] = p.Move
	}
	return sorted
}
