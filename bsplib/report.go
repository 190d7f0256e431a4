package bsplib

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// printBanner says what the reader must know before the first figure: that
// times are not this machine's.
func (app *application) printBanner(cfg Config) {
	if app.lead && cfg.emulates() && !app.flags.quiet {
		fmt.Fprintf(os.Stderr, "EMULATED platform %s: %d ranks in %d Sets; times are those of the platform, not of this machine.\n",
			filepath.Base(cfg.Platform.Name), len(app.comms), len(cfg.Platform.Sets))
	}
}

// watchSignals ends the program on an interrupt or a request to terminate. The
// result function stops watching.
func (app *application) watchSignals() func() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	start := time.Now()
	go func() {
		s, ok := (<-signals).(syscall.Signal)
		if !ok {
			return
		}
		what := "without a result"
		if app.ended.Load() != nil {
			what = "with a result, without its account"
		}
		fmt.Fprintf(app.stderr(), "%s: ended by signal %d (%v) after %s, %s\n",
			app.name, int(s), s, ledger.Seconds(time.Since(start)), what)
		app.breakRecord(exitSignal+int(s), fmt.Sprintf("ended by signal %d (%v)", int(s), s))
		os.Exit(exitSignal + int(s))
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
