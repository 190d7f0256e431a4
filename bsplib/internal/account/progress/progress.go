// Package progress tells who waits for a run how far it is.
package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// Screen is a writer that shows a line in place of the one before.
type Screen interface {
	io.Writer
	Show(text string)
	Erase()
}

// Teller knows when the record and the reader were last told.
type Teller struct {
	entered time.Duration
	line    time.Duration
	part    float64 // of the stage loop that was done at the last line

	shown, since time.Duration // when a Screen was told last, and when the loop was first met
	loop         int
	from         float64 // the part that was done then
	ran, elapsed float64 // seconds of all ranks, and of the run, when it was told
}

const (
	// A line comes after LineEvery at the earliest, and where it is known how much there is to
	// do, after linePart of it.
	LineEvery = 30 * time.Second
	linePart  = 0.05

	// A Screen is told after screenAfter, and then in each screenEvery.
	screenAfter = 2 * time.Second
	screenEvery = time.Second
)

// Enters reports whether the record is to have an entry now, and counts it as entered.
func (t *Teller) Enters(wall time.Duration) bool {
	if wall-t.entered <= max(time.Second, wall/1000) {
		return false
	}
	t.entered = wall
	return true
}

// Tell tells a reader, unless that is nil, who has a line to read or looks at a Screen.
func (t *Teller) Tell(log io.Writer, book *ledger.Account, p *ledger.Progress, wall time.Duration) {
	if screen, is := log.(Screen); is {
		t.show(screen, book, p, wall)
	} else if log != nil && t.due(wall, p.Part()) {
		fmt.Fprintf(log, "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), book.Run().Program, tell.Headline(book, p, wall))
	}
}

// show tells a Screen how far the program is, with the time to go where the number of stages
// is known, and the efficiency since it was told last. Behind a loop of stages it does not.
func (t *Teller) show(screen Screen, book *ledger.Account, p *ledger.Progress, wall time.Duration) {
	if t.loop > 0 && p.Stage == p.Stages {
		return // a loop has ended, or none has begun again: the program may print
	}
	if t.loop != p.Loop {
		t.loop, t.since, t.from = p.Loop, wall, p.Part()
	}
	if wall < max(screenAfter, t.shown+screenEvery) {
		return
	}
	whole := book.Whole()
	ran := (whole.Step.WorkSum - whole.Step.DeniedSum).Seconds()
	efficiency := 0.0
	if took := float64(max(1, whole.Step.Ranks)) * (whole.Elapsed - t.elapsed); took > 0 {
		efficiency = (ran - t.ran) / took
	}
	t.shown, t.ran, t.elapsed = wall, ran, whole.Elapsed
	screen.Show(tell.Status(book.Run(), p, ledger.ToGo(wall-t.since, t.from, p.Part()), efficiency))
}

// due reports whether a line is due with that part of the loop done, and counts it as
// written then.
func (t *Teller) due(wall time.Duration, part float64) bool {
	if wall < t.line+LineEvery || part > t.part && part-t.part < linePart {
		return false
	}
	t.line, t.part = wall, part
	return true
}
