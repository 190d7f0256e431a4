package app

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// requests passes requests for a checkpoint on to the runner.
type requests struct {
	runner Runner
	asked  atomic.Bool // a checkpoint was requested, and the end of the run
	saves  atomic.Bool // a checkpoint can be written
}

// ask requests a checkpoint, and then the end of the run. Any goroutine may call it at any time.
func (r *requests) ask() {
	r.asked.Store(true)
	r.runner.Request()
}

// askFirst requests a checkpoint if one can be written and none was requested before, and reports
// whether it has.
func (r *requests) askFirst() bool {
	if !r.saves.Load() || r.asked.Swap(true) {
		return false
	}
	r.runner.Request()
	return true
}

// watchSignals handles SIGINT and SIGTERM until stop is called. The first one requests a checkpoint
// if the program has a directory for it; another signal, or the first after SIGUSR1, ends the program.
func (app *application) watchSignals() (stop func()) {
	app.requests.saves.Store(app.conf.plan.Checkpoint.Dir != "")
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	start := time.Now()
	go func() {
		for s := range signals {
			app.handle(s.(syscall.Signal), time.Since(start))
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// handle handles a signal that asks for the end of the program.
func (app *application) handle(s syscall.Signal, ran time.Duration) {
	if app.watch.Asked() && endIfLost(app.watch, app.record, askedPatience) {
		os.Exit(ExitLost)
	}
	if app.watch.Spoken() {
		os.Exit(ExitFailed) // the cause has already been printed
	}
	if app.requests.askFirst() {
		if app.conf.say.lead {
			fmt.Fprintf(&app.conf.say.console, "%s: signal %d (%v): the run ends when it has written a checkpoint; another signal ends it at once\n", app.conf.say.name, int(s), s)
		}
		return
	}
	app.conf.say.console.close()
	what := "without a result"
	if app.record.ended.Load() != nil {
		what = "with a result, without its account"
	}
	fmt.Fprintf(app.conf.say.stderr(), "%s: ended by signal %d (%v) after %s, %s\n",
		app.conf.say.name, int(s), s, ledger.Seconds(ran), what)
	if app.conf.program.OnSignal != nil {
		app.conf.program.OnSignal()
	}
	app.record.breakRecord(exitSignal+int(s), fmt.Sprintf("ended by signal %d (%v)", int(s), s))
	os.Exit(exitSignal + int(s))
}
