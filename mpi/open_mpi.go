//go:build mpi && cgo

package mpi

/*
#include "exchange.h"
#include "signals.h"
*/
import "C"

import (
	"errors"
	"os"

	gompi "github.com/sbromberger/gompi"

	_ "github.com/migbsp/migbsp/mpi/internal/header"
)

// Open starts MPI and returns the Comm of this process among the processes that a launcher started,
// or nil if it has no others: the ranks are then goroutines of this process (InProcess). It is
// called once. In a program that has begun MPI itself, Open is On for all ranks.
//
// Environment variables select the method: MIGBSP_SHM=off makes every rank its own node,
// MIGBSP_NODE_SIZE=k makes nodes of at most k ranks, MIGBSP_WAIT=spin, yield or nap sets how ranks
// wait (by default each decides from its observations), MIGBSP_DIRECT=off, pieces or on sets how
// memory goes between nodes, MIGBSP_ATTACH=off disables copies from the ordinary memory of other
// ranks of the node, and MIGBSP_RADIX=k sets the radix of the rounds between nodes (by default it
// follows from the measured cost of messages).
//
// quota is the number of cores that the control group of this process may use at a time, 0 if it is
// not limited. Ranks that have less than a core each do not spend it on waiting.
//
// The error is a *LaunchError if MPI sees fewer processes than were started.
func Open(quota float64) (Comm, error) {
	l := launchOf(os.Getenv)
	if l.tasks == 0 || l.tasks == 1 {
		return nil, nil
	}
	if err := CheckLaunch(); err != nil {
		return nil, err
	}
	if gompi.IsOn() && !opened {
		return On(Handle(C.mb_world()), quota)
	}
	setting, err := settingFromEnv()
	if err != nil {
		return nil, err
	}
	if opened {
		return nil, errors.New("mpi: Open was called before")
	}
	opened = true
	C.mb_signals_save()
	gompi.Start(true)
	C.mb_signals_repair()
	switch size := gompi.WorldSize(); {
	case size == 1 && l.tasks == SeveralTasks:
		gompi.Stop()
		return nil, nil
	case size < l.tasks:
		err := l.unfit(Library(), size)
		gompi.Stop()
		return nil, err
	}
	return open(Handle(C.mb_world()), false, setting, quota)
}

// EndAll ends all processes of MPI's world with an exit code. It returns if MPI does not run.
func EndAll(code int) {
	if gompi.IsOn() {
		drainOutput()
		communicatorOf(Handle(C.mb_world())).Abort(code)
	}
}

// opened reports whether Open has started MPI.
var opened bool

func open(on Handle, lent bool, setting setting, quota float64) (Comm, error) {
	p, err := newProcess(on, setting, quota)
	if err != nil {
		return nil, err
	}
	p.lent = lent
	return p.all()
}
