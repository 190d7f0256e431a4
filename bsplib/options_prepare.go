package bsplib

import (
	"errors"
	"fmt"
	"os"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// prepare makes the ranks and checks what the program needs.
func (app *application) prepare() error {
	app.config.Procs, app.config.Ranks = app.flags.procs, app.flags.ranks
	if err := app.prepareCheckpoint(); err != nil {
		return err
	}
	procs, ranks := app.config.sizes()
	if err := app.config.checkSize(); err != nil {
		return fmt.Errorf("%s: %w", app.sizeSetting(), err)
	}
	app.config.Procs = procs
	if err := app.checkProgram(procs); err != nil {
		return err
	}
	if err := app.checkMemory(procs); err != nil {
		return err
	}
	app.comms = []mpi.Comm{app.config.Comm}
	if app.config.Comm == nil {
		app.comms = mpi.InProcess(ranks)
	}
	return nil
}

// sizeSetting is the setting that says how large the run is.
func (app *application) sizeSetting() string {
	f := &app.flags
	switch {
	case f.procs > 0 && f.procs >= f.ranks:
		return app.written("procs")
	case f.ranks > 0:
		return app.written("ranks")
	case f.hosts != "":
		return app.written("hosts")
	}
	return app.written("procs")
}

// errSaid is an error that another rank has reported, or this one has.
var errSaid = errors.New("this has been said already")

// checkProgram has the program look at what it was asked for. Under MPI each rank does, as
// files need not be everywhere; the first that finds something wrong says so, and all end.
func (app *application) checkProgram(procs int) error {
	if app.check == nil {
		return nil
	}
	wrong, c := app.check(procs), app.config.Comm
	if c == nil {
		return wrong
	}
	first := []int64{int64(c.Size())}
	if wrong != nil {
		first[0] = int64(c.Rank())
	}
	if err := c.Combine(mpi.Min, first); err != nil {
		return err
	}
	switch first[0] {
	case int64(c.Size()):
		return nil
	case 0:
		app.refuse(ExitUsage, wrong)
	case int64(c.Rank()):
		host, _ := os.Hostname()
		fmt.Fprintf(os.Stderr, "%s: rank %d on %s: %v\n", app.name, c.Rank(), host, wrong)
	}
	// Nobody ends before it has been said: launchers end all with the first.
	if err := c.Combine(mpi.Max, []int64{0}); err != nil {
		return err
	}
	return errSaid
}

// checkMemory compares what the processes of this node need with what it has.
// Under MPI all ranks learn of the node with the least to spare.
func (app *application) checkMemory(procs int) error {
	if app.need == nil {
		return nil
	}
	need, have := app.need(procs), probe.AvailableMemory()
	if c := app.config.Comm; c != nil {
		need = need / int64(c.Size()) * int64(ranksHere(c))
		worst := []int64{have - need, have}
		if err := c.Combine(mpi.Min, worst); err != nil {
			return err
		}
		have, need = worst[1], worst[1]-worst[0]
	}
	if have > 0 && need > have {
		return fmt.Errorf("this run needs %s of memory, but only %s are available on a node; use more nodes or a smaller problem",
			ledger.Bytes(need), ledger.Bytes(have))
	}
	return nil
}
