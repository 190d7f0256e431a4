package app

import (
	"os"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/mpi"
)

// lossPatience is how long a rank whose messages do not go waits for the report that
// another is lost. Without one it reports its own failure.
const lossPatience = time.Second

// askedPatience is how long a rank that the launcher asks to end, when another one is lost,
// waits for the report: once all ranks have ended the launcher prints nothing more.
const askedPatience = 3 * time.Second

// endIfLost reports whether a rank is lost. Whoever ends for that says nothing more.
func endIfLost(w *watch.Watch, record *recording, patience time.Duration) bool {
	report, lost := w.Lost(patience)
	if lost {
		record.breakRecord(ExitLost, report)
	}
	return lost
}

// adviseRestart has the report of a lost rank end with what to do: how the run goes on from
// its newest checkpoint, "" if there is none yet.
func adviseRestart(w *watch.Watch, c *Checkpoint, newest string) {
	switch {
	case newest != "":
		line := append([]string{os.Args[0]}, without(c.Caller.Args, "restart")...)
		start := ""
		if _, launcher := mpi.Launched(); launcher != "" {
			start = launcher + " ... "
		}
		w.Advise("; newest checkpoint: " + newest + "; to go on from it:  " + start + shell.QuoteAll(append(line, "-restart", newest)))
	case c.Dir != "":
		w.Advise("; there is no checkpoint yet in " + c.Dir)
	default:
		w.Advise("; there is no checkpoint to go on from (-checkpoint, -checkpoint-every)")
	}
}
