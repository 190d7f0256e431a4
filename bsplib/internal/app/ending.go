package app

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// lossPatience is the time for which a rank that cannot communicate waits for the report of a lost
// rank. Without such a report it reports its own failure.
const lossPatience = time.Second

// askedPatience is the time for which a rank waits for the report of a lost rank after the launcher
// has asked it to end. When all ranks have ended the launcher forwards no more output.
const askedPatience = 3 * time.Second

// endIfLost reports whether a rank is lost. The caller then ends without a message of its own.
func endIfLost(w *watch.Watch, record *recording, patience time.Duration) bool {
	report, lost := w.Lost(patience)
	if lost {
		record.breakRecord(ExitLost, report)
	}
	return lost
}

// explainMemory starts a process that prints the cause if this Go program ends because it is out of
// memory. It starts none if memory has no limit, because such ends are then too rare.
func explainMemory(program string) *watch.Alone {
	m, limits := probe.ThisMemory(probe.Root()), watch.Limits{}
	if m.Space != probe.Unlimited {
		limits.Space = fmt.Sprintf("a process may have %s of addresses (ulimit -v)", ledger.Bytes(m.Space))
	}
	if m.Group > 0 {
		limits.Group = fmt.Sprintf("the control group may have %s", ledger.Bytes(m.Group))
	}
	if limits == (watch.Limits{}) {
		return nil
	}
	return watch.StartAlone(program, limits)
}

// adviseRestart sets the command that continues the run after a lost rank, from its newest
// checkpoint, written at the given time, before a superstep. newest is "" without a checkpoint.
func (app *application) adviseRestart(newest string, written time.Time, superstep int) {
	c := app.conf.plan.Checkpoint
	r := loss.Restart{Directory: c.Dir, Checkpoint: newest, Written: written.UTC(), Procs: app.conf.plan.Procs, Superstep: superstep, First: app.conf.firstStep()}
	if newest != "" {
		r.Command = slices.Concat([]string{os.Args[0]}, without(c.Caller.Args, "restart"), []string{"-restart", newest})
		_, r.Launcher = mpi.Launched()
	}
	app.watch.Advise(r)
}

// shareRecord sends the directory of the run's record to the watchers of all nodes. All ranks call
// it.
func (app *application) shareRecord() int {
	comm := app.conf.plan.Comm
	if comm == nil || app.conf.section || app.conf.flags.runDir == "" {
		return ExitOK
	}
	dir := ""
	if r := app.record.recorder.Load(); r != nil {
		dir, _ = filepath.Abs(r.Dir()) // watchers have another working directory
	}
	if err := control.Broadcast(control.New(comm), 0, &dir); err != nil {
		return app.conf.say.refuse(ExitFailed, err)
	}
	app.watch.Record(dir)
	return ExitOK
}

// Several ranks may fail in the same manner, each alone. They cannot agree on a reporter, because
// others are far from a barrier. On a node the first rank that fails reports it, and the others wait.
// Nodes report one after the other, by number: the reporting rank aborts all ranks, so that nodes
// with higher numbers end before they report.
const (
	turnOfNode  = 250 * time.Millisecond
	mostTurns   = 8
	silenceEnds = 3 * time.Second // then a rank that waits reports too: the first one may be lost
)

// letOthersSpeak waits until it is this rank's turn to report its failure. Another rank may abort it
// meanwhile.
func letOthersSpeak(w *watch.Watch, comm mpi.Comm, e *failure.Error) {
	if comm == nil {
		return
	}
	// The same failure is at the same line of the program on all ranks.
	h := fnv.New64a()
	if e.Site != "" {
		fmt.Fprint(h, e.Kind, e.Site)
	} else {
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
