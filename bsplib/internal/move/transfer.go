package move

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// transfer copies the spans of moving states directly from the old memory to the new. Between
// nodes they are sent as runs, all concurrently. If the new rank can address the old memory, it
// copies from there. Otherwise the old rank sends them in pieces: all ranks process these moves
// in a common order that lets different pairs of ranks work concurrently.
//
// Checksums are computed at the same time: by the old rank while the library sends, by the new
// rank when each piece has arrived.
func (m *Mover) transfer(moves []rebalancer.Move) error {
	for i := range m.arrivals {
		if err := m.copyReachable(&m.arrivals[i]); err != nil {
			return err
		}
	}
	for _, x := range inRounds(moves) {
		var err error
		switch {
		case x.From == x.To || m.byRun(x.From) || m.byRun(x.To):
		case x.From == m.me():
			err = m.sendSpans(x)
		case x.To == m.me():
			err = m.receiveSpans(x)
		}
		if err != nil {
			return err
		}
	}
	if err := m.sumDepartures(); err != nil {
		return err
	}
	for i := range m.arrivals {
		a := &m.arrivals[i]
		if err := m.awaitSpans(a); err != nil {
			return err
		}
	}
	if err := m.stream.Landings.Settle(mpi.Moves); err != nil {
		return err
	}
	for i := range m.arrivals {
		a := &m.arrivals[i]
		if a.process == nil {
			continue
		}
		if err := m.takeDigest(a); err != nil {
			return m.notArrived(a.process.Data.Pid, a.process.Stages.At.String(), a.from, err)
		}
	}
	return nil
}

// byRun reports whether processes are sent to and received from rank as runs.
func (m *Mover) byRun(rank int) bool { return m.stream.Out.To(rank).Runs != nil }

// startRuns starts to send and receive the spans that are runs.
func (m *Mover) startRuns() {
	for _, d := range m.departures {
		if m.byRun(d.to) {
			for _, s := range d.image.Spans {
				m.stream.Out.Runs.Give(d.to, mpi.Moves, s, false)
			}
		}
	}
	for i := range m.arrivals {
		a := &m.arrivals[i]
		if !m.byRun(a.from) {
			continue
		}
		for _, s := range a.spans {
			a.runs = append(a.runs, m.stream.Out.Runs.Take(a.from, mpi.Moves, s))
		}
	}
}

// sumDepartures computes the digests of the departing states.
func (m *Mover) sumDepartures() error {
	for i := range m.departures {
		d := &m.departures[i]
		sums := make([]uint64, len(d.image.Spans))
		for k, s := range d.image.Spans {
			var err error
			sums[k], err = state.SumInPieces(s, copyPiece, func(int, []byte) (err error) {
				if m.stream.Out.Runs != nil {
					_, _, err = m.stream.Out.Runs.Poll(-1)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		d.digest = state.DigestOf(d.image.Skeleton, sums)
	}
	return nil
}

// awaitSpans waits for the spans of a process that are runs.
func (m *Mover) awaitSpans(a *arrival) (err error) {
	for i, run := range a.runs {
		a.sums[i], err = state.SumInPieces(a.spans[i], copyPiece, func(at int, piece []byte) error { return run.Landed(at + len(piece)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// takeDigest encodes the arrived state again and stores its digest. It reuses the checksums of
// spans computed on arrival.
func (m *Mover) takeDigest(a *arrival) error {
	image, err := a.process.Encode()
	if err != nil {
		return err
	}
	same := slices.EqualFunc(image.Spans, a.spans, func(x, y []byte) bool { return memory.At(x) == memory.At(y) && len(x) == len(y) })
	if same {
		a.digest = state.DigestOf(image.Skeleton, a.sums)
	} else {
		a.digest = state.Digest(image)
	}
	return nil
}

// copyReachable copies the spans whose source this rank can address.
func (m *Mover) copyReachable(a *arrival) error {
	if a.from == m.comm.Rank() {
		for _, d := range m.departures {
			if d.process.Data.Pid == a.process.Data.Pid {
				for i := range a.spans {
					a.copySpan(i, memory.At(d.image.Spans[i]))
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
		if from := m.comm.Reach(a.from, ref); from != nil {
			a.copySpan(i, from)
		} else if err := a.attachSpan(i, m.comm); err != nil {
			return fmt.Errorf("memory of process %d on rank %d: %w", a.process.Data.Pid, a.from, err)
		}
	}
	return nil
}

// copyPiece is the number of bytes copied before their checksum is computed, small enough for
// the cache.
const copyPiece = 256 << 10

// copySpan copies span i from memory that this rank can address. It copies no bytes if source
// and destination are the same memory, because ranks of one Go program share addresses.
func (a *arrival) copySpan(i int, from unsafe.Pointer) {
	a.sums[i], _ = state.SumInPieces(a.spans[i], copyPiece, func(at int, piece []byte) error {
		if memory.At(piece) != unsafe.Add(from, at) {
			memory.Copy(memory.At(piece), unsafe.Add(from, at), len(piece))
		}
		return nil
	})
}

// attachSpan is like copySpan, but the kernel copies.
func (a *arrival) attachSpan(i int, comm mpi.Comm) (err error) {
	a.sums[i], err = state.SumInPieces(a.spans[i], copyPiece, func(at int, piece []byte) error {
		return comm.Copy(a.from, a.refs[i], at, piece, false)
	})
	return err
}

// A span is sent in pieces, at most windowPieces of them at a time: the receiver acknowledges
// the end of each window.
const (
	pieceBytes   = 1 << 20
	windowPieces = 8
)

func (m *Mover) sendSpans(x rebalancer.Move) error {
	for _, d := range m.departures {
		if d.process.Data.Pid != x.Pid {
			continue
		}
		for i, s := range d.image.Spans {
			if d.refs[i] != 0 {
				continue
			}
			pieces := 0
			for piece := range slices.Chunk(s, pieceBytes) {
				if err := mpi.Send(m.comm, x.To, piece); err != nil {
					return err
				}
				if pieces++; pieces%windowPieces == 0 {
					if err := mpi.Recv(m.comm, x.To, make([]byte, 1)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (m *Mover) receiveSpans(x rebalancer.Move) error {
	for _, a := range m.arrivals {
		if a.process.Data.Pid != x.Pid {
			continue
		}
		for i, s := range a.spans {
			if a.refs[i] != 0 {
				continue
			}
			var err error
			a.sums[i], err = state.SumInPieces(s, pieceBytes, func(at int, piece []byte) error {
				err := mpi.Recv(m.comm, x.From, piece)
				if err == nil && (at/pieceBytes+1)%windowPieces == 0 {
					err = mpi.Send(m.comm, x.From, []byte{1})
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// inRounds orders moves in rounds. A rank takes part in at most one move of a round, so that
// moves between different pairs of ranks proceed concurrently.
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
