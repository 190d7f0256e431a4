package stream

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// ShareCopy is the length from which both ranks share the copy of an HPPut: the sender copies the
// first half in the call, and the receiver the second half in its Sync, where it would otherwise
// wait. Another barrier follows; the sender must not change the second half before it.
const ShareCopy = 256 << 10

// attachFrom is the length from which one copy by the kernel is faster than two copies through a
// buffer. The kernel looks up each page of the other rank's memory.
const attachFrom = 16 << 10

// HPPut copies n bytes to an offset of process pid's part of a without a buffer, or
// reports that this must be a Put.
func (s *Stream) HPPut(a *Area, pid, offset int, from unsafe.Pointer, n int) bool {
	box := s.Out.Route[pid]
	if p := a.Process; n >= box.runFrom {
		box.giveRun(p.Pid, Word0(KindRun, a.Slot, pid), offset, from, n)
		p.Did.Sent += n
		return true
	}
	reached := a.View[pid].Base != nil || n >= attachFrom && a.View[pid].Far != 0
	return reached && s.Peers.arrived(box.Rank) && s.writeNow(a, pid, offset, from, n)
}

// writeNow copies n bytes to an offset of process pid's part of a, which this
// rank can address or attach to.
func (s *Stream) writeNow(a *Area, pid, offset int, from unsafe.Pointer, n int) bool {
	p, box := a.Process, s.Out.Route[pid]
	mine, rest, ref := n, []byte(nil), mpi.Ref(0)
	if n >= ShareCopy && s.Local[pid] == nil {
		half := n / 2 &^ 4095
		rest = unsafe.Slice((*byte)(unsafe.Add(memory.OnHeap(from), half)), n-half)
		if ref = s.comm.Share(rest); ref != 0 {
			mine = half
		}
	}
	if base := a.View[pid].Base; base != nil {
		memory.Copy(unsafe.Add(base, offset), from, mine)
	} else if s.comm.Copy(box.Rank, a.View[pid].Far, offset, unsafe.Slice((*byte)(memory.OnHeap(from)), mine), true) != nil {
		return false
	}
	p.Did.Sent += n
	s.Ways.Sent(box.Rank, n)
	box.Count(p.Pid, Word0(KindReceived, 0, pid), n)
	if ref != 0 {
		s.Peers.Lend(rest)
		s.Out.Flags |= FlagPull
		box.Words(p.Pid, Word0(KindPull, a.Slot, pid), uint64(offset+mine), uint64(n-mine), uint64(ref))
	}
	return true
}

// pull copies the receiver's half of an HPPut from rank src; b is its record.
func (s *Stream) pull(src int, b []byte) {
	w, offset, n, ref := *memory.Word(b, 0), *memory.Word(b, 8), *memory.Word(b, 16), *memory.Word(b, 24)
	to := unsafe.Add(s.Local[PidOf(w)].Areas[SlotOf(w)].Base, offset)
	s.Landings.await(to, int(n))
	if from := s.comm.Reach(src, mpi.Ref(ref)); from != nil {
		memory.Copy(to, from, int(n))
	} else {
		s.Peers.copyFrom(src, mpi.Ref(ref), 0, unsafe.Slice((*byte)(to), n))
	}
}

// AwaitPulls waits until all ranks have copied the memory lent to them.
func (s *Stream) AwaitPulls() error {
	if err := s.Peers.Failed(); err != nil {
		return err
	}
	if _, err := s.comm.Exchange(s.Side, 0); err != nil {
		return err
	}
	s.Peers.returned()
	return nil
}

// land takes the run that record b of rank src announces.
func (s *Stream) land(src int, b []byte) {
	w, offset, n := *memory.Word(b, 0), *memory.Word(b, 8), int(*memory.Word(b, 16))
	p := s.Local[PidOf(w)]
	s.Landings.take(src, unsafe.Add(p.Areas[SlotOf(w)].Base, offset), n)
	p.Did.Received += n
	s.Ways.Received(src, n)
}

// Landings tracks the runs in transit to areas of this rank. Between nodes, long Puts, HPPuts and
// Gets are runs (mpi.Run): a record of the stream announces the bytes, which are sent from the memory
// of one rank directly to the area of the other.
//
// The run of an HPPut is sent at the call, from the program's memory; the run of a Put is sent at the
// call too, from a copy. The receiver receives the run when it reaches the record, so that Puts write
// in stream order. A write to bytes of an incomplete run waits for the run (await). The run of a Get
// is sent when all ranks have reached the barrier, and is complete before any rank writes.
type Landings struct {
	runs mpi.Comm // nil if all ranks share memory
	all  []landing
}

type landing struct {
	at  unsafe.Pointer
	n   int
	run mpi.Run
}

// take starts to receive a run of n bytes from a rank.
func (l *Landings) take(src int, to unsafe.Pointer, n int) {
	l.await(to, n)
	run := l.runs.Take(src, mpi.Puts, unsafe.Slice((*byte)(to), n))
	l.all = append(l.all, landing{to, n, run})
}

// await waits until no run is in transit to any of these bytes. Settle returns its error.
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
