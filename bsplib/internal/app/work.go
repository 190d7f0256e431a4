package app

import (
	"fmt"
	"os"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

// longRun is the number of seconds above which a run is announced. The first progress line comes
// after the same time.
const longRun = 30

// announce prints the expected time of a long run. It is an estimate for a usual core, which may be
// wrong by a factor of three.
func announce(conf *configuration) {
	if conf.program.Work == nil || !conf.say.lead || conf.flags.quiet {
		return
	}
	ranks := max(1, min(float64(len(conf.plan.Comms)), probe.CoresOf(probe.Root()).Usable()))
	if conf.plan.Comm != nil {
		ranks = float64(conf.plan.Comm.Size())
	}
	if text := conf.program.Work(conf.plan.Procs).announcement(int(ranks)); text != "" {
		fmt.Fprintf(os.Stderr, "%s: %s\n", conf.say.name, text)
	}
}

// announcement returns the line for long work, "" for short work.
func (w Work) announcement(ranks int) string {
	seconds := w.Amount / w.PerSecond / float64(ranks)
	if !(seconds >= longRun) {
		return ""
	}
	return fmt.Sprintf("%.2g %s are to be done: roughly %s on %s; Ctrl-C ends it", w.Amount, w.Unit, roughly(seconds), ledger.Count(ranks, "rank"))
}

// roughly formats a time in the largest unit that yields at least two.
func roughly(seconds float64) string {
	for _, u := range []struct {
		seconds float64
		name    string
	}{{365 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}} {
		if seconds >= 2*u.seconds {
			return fmt.Sprintf("%.2g %s", seconds/u.seconds, u.name)
		}
	}
	return fmt.Sprintf("%.2g seconds", seconds)
}
