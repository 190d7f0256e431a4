package reschedule

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/move"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/rebalancer"
)

// detail returns the part of a process's report that is not measured.
func (c *Caller) detail(pid int) rebalancer.Detail {
	p := c.settings.Process(pid)
	_, err := c.settings.Rank.Program.Plan()
	return rebalancer.Detail{State: p.Bytes(), Pinned: err != nil || p.Pinned, Request: c.requested(p), Load: p.Load}
}

// requested returns the rank that a process requests to move to, -1 if none.
func (c *Caller) requested(p *process.Process) int {
	return p.Requested(c.settings.Cluster.Emptiest)
}

// propose sends the processes that request a move with the reports of the beginning call, except
// pinned processes, large states, and processes whose last request was refused.
func (c *Caller) propose(processes []*process.Process) {
	mover, me := c.settings.Mover, c.settings.Rank.Comm.Rank()
	for _, p := range processes {
		switch to := c.requested(p); {
		case to < 0 || to == me || p.Pinned:
		case p.Request.Denied || p.Bytes() > move.MaxProposed:
			mover.Withhold()
		default:
			mover.Propose(p, to)
		}
	}
}

// answer stores the call's answers to the requests of this rank's processes, before processes move.
func (c *Caller) answer(processes []*process.Process, d *rebalancer.Decision) {
	me := c.settings.Rank.Comm.Rank()
	for _, p := range processes {
		q := p.Request
		if q == nil {
			continue
		}
		if q.To.Kind != process.Nowhere {
			q.Refused, q.Denied = "", false
			if is := destination(p.Data.Pid, me, d.Moves); is != c.requested(p) {
				q.Denied = true
				q.Refused = fmt.Sprintf("process %d %s %d: %s", p.Data.Pid, staysOrGoes(is == me), is, ruleFor(p.Data.Pid, d.Verdicts))
			}
		}
		q.To, q.Drain = process.Place{}, nil
	}
}

// destination returns the rank of a process after moves, given its present rank.
func destination(pid, rank int, moves []rebalancer.Move) int {
	for _, m := range moves {
		if m.Pid == pid {
			return m.To
		}
	}
	return rank
}

func staysOrGoes(stays bool) string {
	if stays {
		return "stays on rank"
	}
	return "goes to rank"
}

// ruleFor returns the rule of a decision that determined the rank of a process.
func ruleFor(pid int, verdicts []rebalancer.Verdict) string {
	for _, v := range verdicts {
		if v.Pid == pid {
			return v.Rule
		}
	}
	return ""
}
