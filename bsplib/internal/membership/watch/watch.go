// Package watch names a rank that is lost, and one that the others wait for.
//
// # Concepts
//
// A watcher is a process of its own on each node, started by the node's first rank. It
// holds no memory of the run and takes part in no exchange, so that it sees how ranks end
// whatever they are doing, and outlives them: MPICH's launcher kills all ranks within a
// millisecond of the first that dies, Open MPI's within two seconds.
//
// The page is memory that a node's ranks share with their watcher. Each rank keeps in it
// how far it is (Pulse), and whether its end is nothing to report: the rank is done, or has
// failed and said so itself, or a signal has asked it to end. Launchers also ask the other
// ranks to end when one is lost, sooner than a watcher on a busy node hears of the loss. So a
// rank that is asked looks whether another rank of its node has ended without a word.
//
// A rank is lost when its process ends without any of these.
//
// A node is lost when its watcher is silent for lostAfter, or its connection is closed and not
// made again, and no superstep has ended since. A superstep ends for all ranks that take part
// or for none, so the end of one shows that all of them live. About ranks that take no part it
// shows nothing: their node is lost when its watcher is silent for as long while all ranks that
// the watchers know of wait, for then the others call it back. Once it has answered that, it
// may take part, and counts as the others do. The watcher of ranks that take no part hears from
// other watchers whether supersteps end. If it hears no watcher at all, it is probably cut off
// itself, and takes another one for lost only after aloneAfter.
//
// If others wait for slowAfter for a rank that computes or is stopped, the rank is named, and
// the run goes on.
//
// The watchers are a tree with fanOut children for each; the one on rank 0's node is the root.
// They send each other a line in each beat. The end of a rank is told to the root, which waits
// for gathering, because the launcher kills ranks on other nodes too. The earliest end is the
// cause, by how long ago it was when it was told; the root prints it, once. If the root itself
// is lost, the first of its children prints that. A watcher without a connection prints what
// it sees itself.
//
// Then all watchers end the ranks that are left, which exit with the code that the program
// has for this, and the one on the launcher's host ends the launcher, if that waits for a
// host that is lost.
//
// # Files
//
//	watch.go      what a rank does: Start, Pulse, its state
//	page.go       the page
//	times.go      how long each waits
//	join_linux.go how ranks and watchers come together
//	watcher*.go   the watcher: what it sees, decides and says
//	listen.go     where watchers listen, and whom they let in
//	tree.go       messages between watchers
//	end_linux.go  how a process has ended
//	launcher*.go  which process is the launcher, and how it is ended
package watch

import (
	"sync/atomic"
	"time"
)

// Watch is a rank's side. Where ranks cannot be watched it is nil, and its methods do
// nothing.
type Watch struct {
	page  *page
	slots []slot // of the node's ranks
	slot  *slot  // of this one
	lead  bool   // the first rank of its node
}

// Pulse is how far a rank is. Only the goroutine that drives the rank writes it; it takes a
// store, for supersteps take no more than 100 ns.
type Pulse struct {
	word  uint64 // superstep<<1 | 1 while the rank is in the barrier at its end; awayWord
	stage uint64 // loop<<32 | stages that have ended
	met   uint64 // how often all ranks have met to agree on who takes part
	_     [40]byte
}

// awayWord is that of a rank that takes no part: there is no superstep 0 whose end it could
// wait at.
const awayWord = 1

// Arrive notes that the rank waits for others at the end of a superstep.
func (p *Pulse) Arrive(step int) { p.word = uint64(step)<<1 | 1 }

// Away notes that the rank takes no part in supersteps, until it begins one.
func (p *Pulse) Away() { p.word = awayWord }

// Meet notes that all ranks have agreed on who takes part.
func (p *Pulse) Meet() { p.met++ }

// Begin notes that the rank computes in a superstep.
func (p *Pulse) Begin(step int) { p.word = uint64(step) << 1 }

// Stage notes how many stages have ended in a loop of stages.
func (p *Pulse) Stage(loop, ended int) { p.stage = uint64(loop)<<32 | uint64(uint32(ended)) }

// Pulse returns where the rank notes how far it is. Unlike the other methods it needs a rank
// that is watched.
func (w *Watch) Pulse() *Pulse { return &w.slot.pulse }

// Advise sets what follows the report of a loss: what to do now. It counts on the first rank
// of a node only. One goroutine at a time calls it.
func (w *Watch) Advise(text string) {
	if w != nil && w.lead {
		w.page.advice.set(text)
	}
}

// Failed notes that this rank reports a failure of its own.
func (w *Watch) Failed() { w.become(failed) }

// Speaks reports whether this rank is to report a failure: if no other of its node reports one
// with the same digest, which is not 0.
func (w *Watch) Speaks(digest uint64) bool {
	return w == nil || atomic.CompareAndSwapUint64(&w.page.failure, 0, digest) || atomic.LoadUint64(&w.page.failure) != digest
}

// Spoken reports whether a rank of the node reports a failure.
func (w *Watch) Spoken() bool { return w != nil && atomic.LoadUint64(&w.page.failure) != 0 }

// Asked notes that a signal has asked this rank to end, and reports whether that is because
// another rank of the node is lost.
func (w *Watch) Asked() (follow bool) {
	if w == nil {
		return false
	}
	for i := range w.slots {
		if w.slots[i].lost() {
			w.become(follows)
			return true
		}
	}
	w.become(asked)
	return false
}

// lost reports whether the rank has ended without a word.
func (s *slot) lost() bool {
	return s.pid != 0 && atomic.LoadUint32(&s.state) == running && gone(int(s.pid), s.started)
}

// Done notes that this rank ends as it should.
func (w *Watch) Done() { w.become(done) }

func (w *Watch) become(s uint32) {
	if w != nil && atomic.LoadUint32(&w.slot.state) == running {
		atomic.StoreInt64(&w.slot.stateAt, time.Now().UnixNano())
		atomic.StoreUint32(&w.slot.state, s)
	}
}

// Lost returns the report, if a rank is lost and has been reported. It waits for that up to
// patience.
func (w *Watch) Lost(patience time.Duration) (report string, lost bool) {
	if w == nil {
		return "", false
	}
	for end := time.Now().Add(patience); ; time.Sleep(pace / 4) {
		if atomic.LoadUint32(&w.page.lost) != 0 {
			return w.page.report.get(), true
		}
		if !time.Now().Before(end) {
			return "", false
		}
	}
}
