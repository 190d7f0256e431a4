package bsplib

import (
	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/site"
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
	p.mustNotCompute("Sync, or the end of a stage,")
	p.process.Meet(site, driver.FlagSync)
}

// endStage ends a stage, at a line of the program.
func (p *Proc) endStage(site uintptr) {
	p.mustNotCompute("Sync, or the end of a stage,")
	p.process.Meet(site, p.process.StageFlags())
}
