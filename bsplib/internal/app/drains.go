package app

import (
	"fmt"

	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/ledger"
)

// watchDrains tells the run which hosts to leave, for as long as it goes on. The result
// function stops that.
func watchDrains(conf *configuration, record *recording, runner Runner) (stop func()) {
	if !conf.say.lead {
		return func() {}
	}
	w := drain.Watcher{
		Record: record.recorder.Load(), Slurm: conf.leaveDrained, Ranks: func() []ledger.Rank { return record.book.Run().Ranks },
		Movable: runner.Movable, Tell: runner.Drain,
		Silent: func(err error) {
			if !conf.flags.quiet {
				conf.say.warn(fmt.Sprintf("%s: Slurm does not say which nodes are drained, and is asked again: %v", conf.written("leave-drained"), err))
			}
		},
	}
	return w.Start()
}
