package app

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// watchSignals ends the program on an interrupt or a request to terminate. The
// result function stops watching.
func (app *application) watchSignals() (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	start := time.Now()
	go func() {
		s, ok := (<-signals).(syscall.Signal)
		if !ok {
			return
		}
		if app.endIfLost(0) || app.watch.Asked() && app.endIfLost(askedPatience) {
			os.Exit(ExitLost)
		}
		app.console.close()
		if app.watch.Spoken() {
			os.Exit(ExitFailed) // what the launcher ends the program for has been printed
		}
		what := "without a result"
		if app.ended.Load() != nil {
			what = "with a result, without its account"
		}
		fmt.Fprintf(app.stderr(), "%s: ended by signal %d (%v) after %s, %s\n",
			app.name, int(s), s, ledger.Seconds(time.Since(start)), what)
		if app.OnSignal != nil {
			app.OnSignal()
		}
		app.breakRecord(exitSignal+int(s), fmt.Sprintf("ended by signal %d (%v)", int(s), s))
		os.Exit(exitSignal + int(s))
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
