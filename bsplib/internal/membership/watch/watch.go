// Package watch reports lost ranks, and ranks that the others wait for.
//
// # Concepts
//
// A watcher is a separate process on each node, started by the node's first rank. It does not share
// the run's memory or communication, so it can observe the end of ranks in any state, and it outlives
// them: MPICH's launcher kills all ranks within a millisecond of the first that dies, Open MPI's
// within two seconds.
//
// The page is memory that a node's ranks share with their watcher. Each rank records there its
// progress (Pulse), and its state if its end is no loss: the rank is done, has failed and reports the
// error itself, or was asked to end by a signal. After a loss launchers also ask the other ranks to
// end, possibly before the watcher of a busy node sees the loss. So a rank that is asked to end
// checks whether another rank of its node has ended in state running.
//
// The root is the watcher of rank 0's node. All other watchers have a connection to it, and to no
// other watcher. Both ends send a line in each beat, with many nodes in each fourth beat: the root of
// a thousand nodes takes about a hundredth of a core. A line holds the position of the sender's node,
// and the latest times at which any superstep ended and any rank computed, to the sender's knowledge.
//
// # Classification of ends
//
// A rank is lost when its process ends while its state is still running. Its watcher sends this end
// to the root, which waits for gathering, because the launcher kills ranks on other nodes too. The
// cause is the earliest end. Messages carry the age of an end, because the clocks of nodes differ. If
// a rank failed before, or was asked to end, the root reports no loss.
//
// A node is lost when its watcher is silent for lostAfter, or its connection is closed and not
// made again, and no superstep has ended since. A run begins when each watcher is connected to the
// root or has failed to reach it. A watcher that has failed is not judged until it connects, because
// the network may carry MPI only; a watcher that has not tried is lost after joinAfter. A superstep
// ends for all ranks that take part or for none, so the end of one shows that all of them live. It
// does not show that idle ranks live: their node is lost when its watcher is silent for lostAfter
// while no rank computes, because all others then wait and would call it back. A node that has
// answered such a call since its last message may take part, and counts as the others do. A watcher
// whose ranks take no part and which receives no messages is probably cut off itself, and declares
// another node lost only after aloneAfter.
//
// A rank is slow when it computes or is stopped for slowAfter while others wait. The run goes on.
//
// The root prints each of these, once. If the root's node is lost node 1's watcher prints that.
// A watcher that gets no answer from the root prints its own report. Then all watchers end the ranks
// that are left, which exit with the program's code for a lost rank, and the watcher on the
// launcher's host ends the launcher, if that waits for a lost host.
//
// # Files
//
//	watch.go      the ranks' side: Start, Pulse, states
//	page.go       the page
//	join_linux.go how ranks and watchers connect
//	watcher*.go   the watcher: observation and decisions
//	say_linux.go  its reports
//	link.go       messages between watchers, access to the root
//	process*.go   exit status of processes, how to find and kill the launcher
//	memory_*.go   whether a process ended for lack of memory
package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/internal/loss"
)

// The times beat, pace, lostAfter and slowAfter determine when a watcher detects and reports an end.
// The others follow from them.
const (
	beat      = time.Second           // between two messages of an idle watcher
	pace      = 20 * time.Millisecond // between two looks of a watcher with duties
	lostAfter = 10 * beat             // without a message of a connected watcher, unless Variable sets another time
	slowAfter = 30 * beat             // in one superstep; then the rank that others wait for is named

	joinAfter  = 2 * linking      // without a message of a watcher, before the run begins
	aloneAfter = 6                // times lostAfter without a message of any watcher, if no rank of the node takes part
	answering  = 2 * beat         // for another watcher to connect again, or to decide
	leaving    = 3 * beat         // for ranks to end
	linking    = 30 * beat        // for all watchers to connect to the root, before the run begins
	explaining = 3 * pace         // for ranks to note that a signal has asked them to end
	gathering  = 10 * pace        // for other watchers to send the ends that they saw, or to read
	doubting   = answering + beat // for a rank, while a watcher's connection is closed
)

// Variable is the environment variable of rank 0 that sets the time after which a silent host is lost.
// Watchers send ten messages in that time.
const Variable = "MIGBSP_LOST_AFTER"

// Bounds of the value of Variable. Below one second, delays of watchers on a busy host would count as
// a loss.
const (
	leastLostAfter = time.Second
	mostLostAfter  = time.Hour
)

// ErrSetting is the error of a value of Variable that is not a time within the bounds.
var ErrSetting = errors.New("expected a time from 1s to 1h, such as 3s")

// parseLostAfter parses a value of Variable. It returns 0 if text is empty.
func parseLostAfter(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < leastLostAfter || d > mostLostAfter {
		return 0, fmt.Errorf("%s=%s: %w", Variable, text, ErrSetting)
	}
	return d, nil
}

// A Watch is a rank's handle. It is nil if ranks cannot be watched; methods of a nil Watch have no
// effect.
type Watch struct {
	page  *page
	slots []slot // of the node's ranks
	slot  *slot  // of this rank
	lead  bool   // the first rank of its node
	nodes int    // of the run
}

// A Pulse is a rank's progress. Only the goroutine that runs the rank writes it. A write is a plain
// store, because a superstep may take only 100 ns.
type Pulse struct {
	word  uint64 // superstep<<1 | 1 while the rank is in the barrier at its end; awayWord
	stage uint64 // loop<<32 | stages that have ended
	met   uint64 // how many times all ranks have met to agree on the ranks that take part
	_     [40]byte
}

// awayWord is the word of a rank that takes no part. No rank waits at the end of a superstep 0, so
// the value is free.
const awayWord = 1

// Arrive records that the rank waits for others at the end of a superstep.
func (p *Pulse) Arrive(step int) { p.word = uint64(step)<<1 | 1 }

// Away records that the rank takes no part in supersteps, until it begins one.
func (p *Pulse) Away() { p.word = awayWord }

// Meet records that all ranks have agreed on the ranks that take part.
func (p *Pulse) Meet() { p.met++ }

// Begin records that the rank computes in a superstep.
func (p *Pulse) Begin(step int) { p.word = uint64(step) << 1 }

// Stage records the number of ended stages in a loop of stages.
func (p *Pulse) Stage(loop, ended int) { p.stage = uint64(loop)<<32 | uint64(uint32(ended)) }

// Pulse returns the rank's pulse. Unlike the other methods it requires a watched rank.
func (w *Watch) Pulse() *Pulse { return &w.slot.pulse }

// Advise sets the plan for restarting the run after a loss. It has an effect on the first rank of a
// node only. Only one goroutine may call it at a time.
func (w *Watch) Advise(r loss.Restart) {
	if w == nil || !w.lead {
		return
	}
	line, _ := json.Marshal(&r)
	if len(line) > maxText {
		r.Command = nil
		line, _ = json.Marshal(&r)
	}
	w.page.restart.set(string(line))
}

// Record sets the directory of the run's record, where a loss is written too. It has an effect on the
// first rank of a node only.
func (w *Watch) Record(dir string) {
	if w != nil && w.lead && len(dir) <= maxText {
		w.page.record.set(dir)
	}
}

// Failed records that this rank reports a failure of its own.
func (w *Watch) Failed() { w.become(failed) }

// Speaks reports whether this rank is to report a failure: if no other of its node reports one
// with the same digest, which is not 0.
func (w *Watch) Speaks(digest uint64) bool {
	return w == nil || atomic.CompareAndSwapUint64(&w.page.failure, 0, digest) || atomic.LoadUint64(&w.page.failure) != digest
}

// Spoken reports whether a rank of the node reports a failure.
func (w *Watch) Spoken() bool { return w != nil && atomic.LoadUint64(&w.page.failure) != 0 }

// Asked records that a signal has asked this rank to end, and reports whether another rank is lost,
// or another host may be. A launcher that loses a host sends the signal when the connection to the
// host's watcher is closed.
func (w *Watch) Asked() (follow bool) {
	if w == nil {
		return false
	}
	for i := range w.slots {
		s := &w.slots[i]
		if s.pid != 0 && atomic.LoadUint32(&s.state) == running && gone(int(s.pid), s.started) {
			w.become(done)
			return true
		}
	}
	w.become(asked)
	for end := time.Now().Add(explaining); ; time.Sleep(pace / 4) {
		if atomic.LoadUint32(&w.page.lost) != 0 || atomic.LoadUint32(&w.page.suspect) != 0 {
			return true
		}
		if w.nodes < 2 || time.Now().After(end) {
			return false
		}
	}
}

// Done records that this rank ends normally.
func (w *Watch) Done() { w.become(done) }

func (w *Watch) become(s uint32) {
	if w != nil && atomic.LoadUint32(&w.slot.state) == running {
		atomic.StoreInt64(&w.slot.stateAt, time.Now().UnixNano())
		atomic.StoreUint32(&w.slot.state, s)
	}
}

// Lost returns the report, if a rank is lost and has been reported. It waits for that up to
// patience, and longer while another host may be lost.
func (w *Watch) Lost(patience time.Duration) (report string, lost bool) {
	if w == nil {
		return "", false
	}
	for end := time.Now().Add(patience); ; time.Sleep(pace / 4) {
		if atomic.LoadUint32(&w.page.lost) != 0 {
			return w.page.report.get(), true
		}
		limit := end
		if atomic.LoadUint32(&w.page.suspect) != 0 {
			limit = end.Add(doubting)
		}
		if !time.Now().Before(limit) {
			return "", false
		}
	}
}

// Alone is a run in one process. If it ends for lack of memory, the cause is printed.
type Alone struct{ crash *os.File }

// Limits describe the limits of a process's addresses and of its control group's memory, each ""
// without a limit.
type Limits struct{ Space, Group string }

// Done records that the program ends normally.
func (a *Alone) Done() {
	if a != nil {
		a.crash.Write([]byte{0})
	}
}
