package bsplib

import (
	"time"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// betweenSupersteps may move processes, where all of them have ended a stage.
func (r *rank) betweenSupersteps(all mpi.Flags) *Error {
	if c := r.checkpoint; c != nil && (c.periodic || all&flagCheckpoint != 0) {
		if err := r.checkpointBetween(all); err != nil {
			return err
		}
	}
	if all&flagStage == 0 || all&(flagSync|flagEnd) != 0 {
		return nil
	}
	due := r.balance != nil && r.balance.endStage(r, all)
	switch asked := all&flagCall != 0; {
	case r.shake:
		return r.migrate(r.shaken())
	case r.scatter != nil:
		return r.migrate(r.scattered())
	case asked, due:
		return r.reschedule(asked)
	}
	return nil
}

// shaken moves every process to some other rank, by turns to all.
func (r *rank) shaken() []rebalancer.Move {
	size := r.comm.Size()
	moves := make([]rebalancer.Move, r.n)
	for pid, from := range r.where {
		ahead := 1 + (pid+r.step)%max(1, size-1)
		moves[pid] = rebalancer.Move{Pid: pid, From: int(from), To: (int(from) + ahead) % size}
	}
	return moves
}

// scattered moves some processes to some ranks, for tests.
func (r *rank) scattered() []rebalancer.Move {
	var moves []rebalancer.Move
	for pid, from := range r.where {
		if to := r.scatter.IntN(2 * r.comm.Size()); to < r.comm.Size() {
			moves = append(moves, rebalancer.Move{Pid: pid, From: int(from), To: to})
		}
	}
	return moves
}

// reschedule makes a call and carries out what it decides. asked is true if processes
// have asked for something, or ranks because stages have become slow.
func (r *rank) reschedule(asked bool) *Error {
	if r.balance == nil {
		r.balance = newBalance(rebalancer.Spec{}, r.platform, r.where)
	}
	b := r.balance
	if err := r.ship(); err != nil {
		return err
	}
	sounding := r.now()
	if err := r.soundAgain(); err != nil {
		return err
	}
	begun := r.now()
	d, err := r.call(asked)
	if err != nil {
		return err
	}
	decided, moved := r.now(), time.Duration(0)
	if len(d.Moves) > 0 {
		if err := r.migrate(d.Moves); err != nil {
			return err
		}
		moved = r.now() - decided
	}
	r.noteCall(&d, sounding, decided-sounding, moved)
	b.called(r, decided-begun, moved, len(d.Moves))
	return nil
}

// defaultLink stands for links that nobody has measured.
var defaultLink = rebalancer.Link{Latency: 10e-6, PerByte: 1e-9}
