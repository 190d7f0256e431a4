package bsplib

import (
	"fmt"
	"io"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// heartbeat says now and then how far the program is.
type heartbeat struct {
	w     io.Writer
	spoke time.Duration // when it last did
	part  float64       // of the loop of stages that was done then
	told  time.Duration // when the record was last told
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
	now := r.clock.Wall()
	p := ledger.Progress{At: r.clock.Now().Seconds(), Step: r.step}
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
	if h.w == nil || !h.due(now, p.Part()) {
		return
	}
	fmt.Fprintf(h.w, "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), book.Run.Program, book.Headline(&p, now))
}

// due tells whether to speak now, with so much of the current loop done, and
// takes it that this is done.
func (h *heartbeat) due(now time.Duration, part float64) bool {
	if now < h.spoke+heartbeatEvery || part > h.part && part-h.part < heartbeatPart {
		return false
	}
	h.spoke, h.part = now, part
	return true
}
