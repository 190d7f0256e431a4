package bsplib

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/ledger"
)

// tellCheckpoint says what became of an attempt, on rank 0.
func (r *rank) tellCheckpoint(a *attempt) {
	if r.comm.Rank() != 0 {
		return
	}
	c := r.checkpoint
	c.spent += a.took
	if !a.failed {
		c.failures = 0
		c.written++
		if now := r.clock.Wall(); r.log != nil && !a.stop && (c.spoke == 0 || now > c.spoke+account.LineEvery) {
			c.spoke = now
			fmt.Fprintf(r.log, "%s: checkpoint %s\n", c.caller.Program, a.about(c))
		}
		return
	}
	if c.failures++; bits.OnesCount(uint(c.failures)) > 1 && !a.stop {
		return
	}
	line := "warning: no checkpoint: " + a.failure + "; the run goes on"
	if a.stop {
		line += ", though it was asked to end"
	}
	c.say("%s", line)
	r.account.Warn(line)
}

// about says where a complete checkpoint is and what it took, on rank 0.
func (a *attempt) about(c *checkpointing) string {
	return fmt.Sprintf("%s %s: %s in %s", c.shown(a.Path), whereOf(a.m), ledger.Bytes(a.m.Bytes()), ledger.Seconds(a.took))
}

// whereOf is how far the run had come that a checkpoint is of.
func whereOf(m *checkpoint.Manifest) string {
	return fmt.Sprintf("after %v (superstep %d)", position{m.Loop, m.Stage}, m.Superstep-1)
}

// cost says what checkpoints have cost, on rank 0. On an emulated platform that is
// no part of the run's time.
func (c *checkpointing) cost(emulated bool) []string {
	if c == nil || c.spent == 0 {
		return nil
	}
	part := "part of unexplained"
	if emulated {
		part = "of this machine's time, none of the platform's"
	}
	return []string{fmt.Sprintf("checkpoints: %d written in %s, %s", c.written, ledger.Seconds(c.spent), part)}
}

// say writes a line to Tell.
func (c *checkpointing) say(format string, args ...any) {
	if c.Tell != nil {
		fmt.Fprintf(c.Tell, "%s: %s\n", c.caller.Program, fmt.Sprintf(format, args...))
	}
}

// endCheckpointed ends the account of a run whose checkpoint is complete, and
// the run.
func (r *rank) endCheckpointed(a *attempt) *Error {
	if err := r.stopAccount(); err != nil {
		return err
	}
	e := &Error{Pid: -1, Rank: r.comm.Rank(), Superstep: r.step - 1, Text: ErrCheckpointed.Error(), Err: ErrCheckpointed, known: true}
	if a.m != nil {
		e.Text = "checkpointed: " + a.about(r.checkpoint)
	}
	return e
}

// rest ends an attempt that began at the given time. What it took is nobody's
// work, and no reason to move anything.
func (c *checkpointing) rest(r *rank, begun time.Duration) {
	now := r.clock.Wall()
	c.stages, c.ended, c.told = 0, now, false
	if b := r.balance; b != nil {
		b.Pause(now - begun)
	}
}
