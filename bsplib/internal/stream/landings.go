package stream

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// Landings are runs on their way into areas. Between nodes long Puts, HPPuts and Gets are runs
// (mpi.Run): a record of the stream announces the bytes, and they go from the memory of the
// one rank into the area of the other.
//
// A run of an HPPut leaves at the call, from the program's memory; that of a Put too, from
// a copy. The receiver takes it when it comes to its record, so that Puts write in the
// order of a stream: whoever writes to bytes that a run is still on its way to waits for it
// (await). What a Get asks for leaves when all have come to the barrier, and is
// there before anyone writes.
type Landings struct {
	runs mpi.Comm // nil if all ranks share memory
	all  []landing
}

type landing struct {
	at  unsafe.Pointer
	n   int
	run mpi.Run
}

// take takes a run of n bytes from a rank to their place.
func (l *Landings) take(src int, to unsafe.Pointer, n int) {
	l.await(to, n)
	run := l.runs.Take(src, mpi.Puts, unsafe.Slice((*byte)(to), n))
	l.all = append(l.all, landing{to, n, run})
}

// await returns when no run is on its way to any of these bytes. An error is kept
// for Settle.
func (l *Landings) await(to unsafe.Pointer, n int) {
	for _, x := range l.all {
		if memory.Overlap(to, n, x.at, x.n) {
			x.run.Landed(x.n)
		}
	}
}

// Settle returns when this rank's runs on a channel are complete.
func (l *Landings) Settle(on mpi.Channel) error {
	if l.runs == nil {
		return nil
	}
	if on == mpi.Puts {
		l.all = l.all[:0]
	}
	return l.runs.Settle(on)
}
