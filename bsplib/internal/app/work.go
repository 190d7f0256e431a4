package app

import (
	"fmt"
	"os"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

// longRun is the number of seconds from which on a run is announced: as many as pass
// before the first line on its progress.
const longRun = 30

// announce says how much there is to do, if that is going to take long. What ranks take is
// estimated from a usual core, so that it is right to a factor of some.
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

// announcement is what is said of long work, "" of other.
func (w Work) announcement(ranks int) string {
	seconds := w.Amount / w.PerSecond / float64(ranks)
	if !(seconds >= longRun) {
		return ""
	}
	return fmt.Sprintf("%.2g %s are to be done: roughly %s on %s; Ctrl-C ends it", w.Amount, w.Unit, roughly(seconds), ledger.Count(ranks, "rank"))
}

// roughly is a time in the largest unit of which there are two.
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
