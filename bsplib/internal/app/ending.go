package app

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/ledger"
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
func adviseRestart(w *watch.Watch, c *checkpoint.Settings, newest string) {
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

// Ranks that fail alone cannot agree on who says so: others are far from a barrier. Those of a
// node leave it to the first of them that fails in the same way. Nodes speak in turn, by their
// number: who has spoken aborts all, so that those later in turn end before they do.
const (
	turnOfNode  = 250 * time.Millisecond
	mostTurns   = 8
	silenceEnds = 3 * time.Second // of a rank that leaves it to another: that may be lost
)

// letOthersSpeak returns when this rank is to report its failure, unless another one has ended it
// by then.
func letOthersSpeak(w *watch.Watch, comm mpi.Comm, e *failure.Error) {
	if comm == nil {
		return
	}
	// Ranks that find the same wrong have the same line of the program. In collectives that do not
	// match each finds it at its own.
	h := fnv.New64a()
	switch {
	case e.Kind == failure.CollectiveMismatch:
		io.WriteString(h, "collectives")
	case e.Site != "":
		fmt.Fprint(h, e.Kind, e.Site)
	default:
		io.WriteString(h, e.Text)
	}
	turn := comm.Engine().Nodes[comm.Rank()]
	if w == nil {
		turn = comm.Rank()
	}
	wait := time.Duration(min(turn, mostTurns)) * turnOfNode
	if !w.Speaks(h.Sum64() | 1) {
		wait = silenceEnds
	}
	time.Sleep(wait)
}

// watchSignals ends the program on an interrupt or a request to terminate. The
// result function stops watching.
func watchSignals(conf *configuration, record *recording, w *watch.Watch) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	start := time.Now()
	go func() {
		s, ok := (<-signals).(syscall.Signal)
		if !ok {
			return
		}
		if endIfLost(w, record, 0) || w.Asked() && endIfLost(w, record, askedPatience) {
			os.Exit(ExitLost)
		}
		conf.say.console.close()
		if w.Spoken() {
			os.Exit(ExitFailed) // what the launcher ends the program for has been printed
		}
		what := "without a result"
		if record.ended.Load() != nil {
			what = "with a result, without its account"
		}
		fmt.Fprintf(conf.say.stderr(), "%s: ended by signal %d (%v) after %s, %s\n",
			conf.say.name, int(s), s, ledger.Seconds(time.Since(start)), what)
		if conf.program.OnSignal != nil {
			conf.program.OnSignal()
		}
		record.breakRecord(exitSignal+int(s), fmt.Sprintf("ended by signal %d (%v)", int(s), s))
		os.Exit(exitSignal + int(s))
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
