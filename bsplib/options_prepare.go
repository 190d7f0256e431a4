package bsplib

import (
	"fmt"

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
	ranks := inProcessRanks(app.config)
	if app.config.Comm != nil {
		ranks = app.config.Comm.Size()
	}
	procs := app.config.Procs
	if procs == 0 {
		procs = ranks
	}
	app.config.Procs = procs
	if app.check != nil {
		if err := app.check(procs); err != nil {
			return err
		}
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

// checkMemory compares what the processes of this node need with what it has.
// Under MPI all ranks learn of the node with the least to spare.
func (app *application) checkMemory(procs int) error {
	if app.need == nil {
		return nil
	}
	need, have := app.need(procs), probe.AvailableMemory()
	if c := app.config.Comm; c != nil {
		here := 0
		for rank := range c.Size() {
			if c.Node(rank) == c.Node(c.Rank()) {
				here++
			}
		}
		need = need / int64(c.Size()) * int64(here)
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
