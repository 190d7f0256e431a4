package bsplib

import (
	"github.com/migbsp/migbsp/ledger/decided"
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
	if r.balance != nil {
		r.balance.endStage(r, all)
	}
	switch asked := all&flagCall != 0; {
	case r.shake:
		return r.migrate(r.shaken())
	case r.scatter != nil:
		return r.migrate(r.scattered())
	case asked, r.balance != nil && r.balance.due(all):
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

// reschedule makes a call and carries out what it decides. asked tells whether
// processes have asked for something, or ranks for their alarm.
func (r *rank) reschedule(asked bool) *Error {
	if r.balance == nil {
		r.balance = newBalance(rebalancer.Spec{}, r.platform, r.where)
	}
	b := r.balance
	if err := r.ship(); err != nil {
		return err
	}
	entered := r.clock.Now()
	if err := r.remeasureLinks(); err != nil {
		return err
	}
	begun := r.clock.Now()
	b.sounded = (begun - entered).Seconds()
	d, err := r.call(asked)
	if err != nil {
		return err
	}
	ended := r.clock.Now()
	b.called, b.moved = (ended - begun).Seconds(), 0
	b.fruitless++
	if len(d.Moves) > 0 {
		b.fruitless = 0
		if err := r.migrate(d.Moves); err != nil {
			return err
		}
		b.moved = (r.clock.Now() - ended).Seconds()
	}
	if r.why != nil {
		d.Why(r.why, &b.platform)
	}
	r.account.Call(&d, decided.Costs{
		Step: r.step - 1, At: entered.Seconds(), Took: b.sounded + b.called, Move: b.moved, Messages: b.talk.messages, Talk: b.talk.bytes,
	})
	b.alarm.heed(len(d.Moves) > 0)
	b.restart(r)
	return nil
}

// defaultLink stands for links that nobody has measured.
var defaultLink = rebalancer.Link{Latency: 10e-6, PerByte: 1e-9}
