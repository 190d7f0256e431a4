package app

import (
	"hash/fnv"
	"io"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/mpi"
)

// Ranks that fail alone cannot agree on who says so: others are far from a barrier. Those of a
// node leave it to the first of them that fails in the same way. Nodes speak in turn, by their
// number: who has spoken aborts all, so that those later in turn end before they do.
const (
	turnOfNode  = 250 * time.Millisecond
	mostTurns   = 8
	silenceEnds = 3 * time.Second // of a rank that leaves it to another: that may be lost
)

// letOthersSpeak returns when this rank is to report its failure, unless another one has ended it
// by then.
func letOthersSpeak(w *watch.Watch, comm mpi.Comm, f *Failure) {
	if comm == nil {
		return
	}
	h := fnv.New64a()
	io.WriteString(h, f.What)
	turn := comm.Engine().Nodes[comm.Rank()]
	if w == nil {
		turn = comm.Rank()
	}
	wait := time.Duration(min(turn, mostTurns)) * turnOfNode
	if !w.Speaks(h.Sum64() | 1) {
		wait = silenceEnds
	}
	time.Sleep(wait)
}
