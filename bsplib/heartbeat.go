package bsplib

import (
	"fmt"
	"io"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// heartbeat says now and then how far the program is.
type heartbeat struct {
	w    io.Writer
	next time.Duration // when to speak again
	part float64       // done when it last spoke
	told time.Duration // when the record was last told
}

// A line comes after heartbeatEvery at the earliest, and where it is known how
// much there is to do, after heartbeatPart of it.
const (
	heartbeatEvery = 30 * time.Second
	heartbeatPart  = 0.05
)

// noteProgress tells the account how far the program is, and now and then the
// reader of the run's messages, on rank 0.
func (r *rank) noteProgress() {
	h, book := &r.heartbeat, r.account.book
	now := r.wall()
	p := ledger.Progress{At: r.now().Seconds(), Step: r.step}
	if len(r.procs) > 0 {
		if s := &r.procs[0].stages; s.all > 0 {
			p.Loop, p.Stage, p.Stages = s.at.Loop+1, s.all-s.left, s.all
		}
	}
	if now-h.told > max(time.Second, now/1000) {
		h.told = now
		book.Enter(&p)
	}
	if book.Recorder != nil {
		book.Recorder.Flush()
	}
	if h.w == nil || now < max(h.next, heartbeatEvery) {
		return
	}
	part := p.Part()
	if part > h.part && part-h.part < heartbeatPart {
		return
	}
	h.next, h.part = now+heartbeatEvery, part
	fmt.Fprintf(h.w, "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), book.Run.Program, book.Headline(&p, now))
}
