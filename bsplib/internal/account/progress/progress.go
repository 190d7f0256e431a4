// Package progress prints the progress of a run.
package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// Screen is a writer that can overwrite its last line.
type Screen interface {
	io.Writer
	Show(text string)
	Erase()
}

// Teller decides when progress is recorded and printed.
type Teller struct {
	entered time.Duration
	line    time.Duration
	part    float64 // of the stage loop done at the last line

	shown, since time.Duration // time of the last update of a Screen, and of the first update in the loop
	loop         int
	from         float64 // part of the loop done at since
	ran, elapsed float64 // CPU seconds of all ranks, and elapsed seconds of the run, at shown
}

const (
	// Lines are at least LineEvery apart. If the number of stages is known, they are also at
	// least linePart of the loop apart.
	LineEvery = 30 * time.Second
	linePart  = 0.05

	// A Screen is updated after screenAfter, and then every screenEvery.
	screenAfter = 2 * time.Second
	screenEvery = time.Second
)

// Enters reports whether an entry of the record is due, and assumes that the caller enters it.
func (t *Teller) Enters(wall time.Duration) bool {
	if wall-t.entered <= max(time.Second, wall/1000) {
		return false
	}
	t.entered = wall
	return true
}

// Tell updates log if it is a Screen, and otherwise prints a line if one is due. log may be nil.
func (t *Teller) Tell(log io.Writer, book *ledger.Account, p *ledger.Progress, wall time.Duration) {
	if screen, is := log.(Screen); is {
		t.show(screen, book, p, wall)
	} else if log != nil && t.due(wall, p.Part()) {
		fmt.Fprintf(log, "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), book.Run().Program, tell.Headline(book, p, wall))
	}
}

// show updates a Screen with the progress of the program, the time to go if the number of
// stages is known, and the efficiency since the last update. It has no effect after a loop of
// stages has ended.
func (t *Teller) show(screen Screen, book *ledger.Account, p *ledger.Progress, wall time.Duration) {
	if t.loop > 0 && p.Stage == p.Stages {
		return // no loop is active: the program may print
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

// due reports whether a line is due when part of the loop is done, and assumes that the caller
// prints it.
func (t *Teller) due(wall time.Duration, part float64) bool {
	if wall < t.line+LineEvery || part > t.part && part-t.part < linePart {
		return false
	}
	t.line, t.part = wall, part
	return true
}
