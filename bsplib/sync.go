package bsplib

import (
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/mpi"
)

// Sync ends the superstep: when it returns, all processes have called it and
// all communication of the superstep has taken effect (bsp_sync).
//
// Order: Gets read; Gets write; Puts write, by sender's pid and program order;
// messages arrive in the same order; registrations and Pops take effect.
//
// Errors: if some processes end, or registered other things, the run ends.
//
// BSP cost: max over the processes of max(sent, received) * g + l.
//
//go:noinline
func (p *Proc) Sync() { p.sync(site.OfCall()) }

func (p *Proc) sync(site uintptr) {
	if p.at != 0 {
		site = p.at
	}
	p.meet(site, flagSync)
}

// meet ends the superstep for the process, with Sync or as the end of a stage.
func (p *Proc) meet(site uintptr, how mpi.Flags) {
	r, now := p.rank, p.rank.now
	if now.closed || p.failure != nil || p.gone || p.leaving || p.data.Computing {
		p.mustNotCompute("Sync, or the end of a stage,")
		panic(leave{})
	}
	p.end(site, how)
	if len(r.crew.procs) == 1 {
		now.inline = true
		now.failure = r.barrier()
		now.inline = false
		if now.failure != nil {
			now.closed = true
			panic(leave{})
		}
		if p.gone {
			panic(leave{})
		}
		if !now.rearranged {
			p.resumed()
			return
		}
	}
	if r.crew.many {
		p.suspended()
	}
	if !p.yield(struct{}{}) {
		panic(leave{})
	}
	p.resumed()
}
