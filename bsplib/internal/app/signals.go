package app

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/ledger"
)

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
