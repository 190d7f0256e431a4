package app

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/ledger"
)

// watchDrains tells the run which hosts to leave, for as long as it goes on. The result
// function stops that.
func (app *application) watchDrains() (stop func()) {
	if !app.lead {
		return func() {}
	}
	w := drain.Watcher{
		Record: app.recorder.Load(), Slurm: app.leaveDrained, Ranks: func() []ledger.Rank { return app.book.Run.Ranks },
		Movable: app.runner.Movable, Tell: app.runner.Drain,
		Silent: func(err error) {
			if !app.flags.quiet {
				app.warn(fmt.Sprintf("%s: Slurm does not say which nodes are drained, and is asked again: %v", app.written("leave-drained"), err))
			}
		},
	}
	return w.Start()
}

// readLeaveDrained finds out how often Slurm is to be asked.
func (app *application) readLeaveDrained() error {
	text := app.flags.leaveDrained
	if text == "off" {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < drain.LeastSlurm {
		return fmt.Errorf("%s: expected how often to ask, as 1m, at least %v, or off", app.written("leave-drained"), drain.LeastSlurm)
	}
	app.leaveDrained = d
	return nil
}
