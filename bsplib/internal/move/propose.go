package move

import (
	"errors"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// flagFailed announces, in the exchange of the decision, that a proposed transfer failed or that
// a process requesting a move was not proposed.
const flagFailed mpi.Flags = 1

func (m *Mover) withCall() carrier { return carrier{m.settings.Calls, true} }

// Propose sends a process that requests a move with the reports of the call that decides about
// it.
func (m *Mover) Propose(p *process.Process, to int) {
	if m.pack(p, to, m.withCall()) != nil {
		m.Withhold()
	}
}

// Withhold records that a process of this rank requests a move but is not proposed.
func (m *Mover) Withhold() { m.proposed = failed }

// Begin starts the transfers of the proposed processes.
func (m *Mover) Begin() error {
	err := m.receive(m.withCall())
	m.startRuns()
	return err
}

// Finish completes the transfers. It sends the relocations, or returns flagFailed after a failure.
func (m *Mover) Finish() (mpi.Flags, error) {
	m.began = m.settings.Clock.Now()
	if err := m.transfer(nil); err != nil {
		if _, of := errors.AsType[*Error](err); !of {
			return 0, err
		}
		m.proposed = failed
	}
	if m.proposed == failed {
		return flagFailed, nil
	}
	return 0, m.publish(m.withCall())
}

// Received records the relocations and failures of other ranks.
func (m *Mover) Received(all mpi.Flags) error {
	if all&flagFailed != 0 {
		m.proposed = failed
	}
	err := m.receiveRelocations(m.withCall())
	m.took = m.settings.Clock.Now() - m.began
	return err
}

// Decided completes the proposed moves if the call has no others. It transfers the histories of
// moving processes before the decision is adopted, because they date from before the decision.
func (m *Mover) Decided(d *balance.Decided) error {
	if m.proposed == failed || !d.Requested || len(d.Moves) == 0 {
		return nil
	}
	m.proposed = accepted
	m.dropUnless(d.Moves)
	for i := range m.departures {
		if _, err := m.settings.Balance().Depart(m.departures[i].process.Data.Pid); err != nil {
			return err
		}
	}
	return m.compare()
}

// Drop discards all proposals.
func (m *Mover) Drop() {
	m.dropUnless(nil)
	*m = *New(m.settings)
}

// dropUnless discards the proposals of processes that are not in moves.
func (m *Mover) dropUnless(moves []rebalancer.Move) {
	goes := func(p *process.Process) bool {
		return p != nil && slices.ContainsFunc(moves, func(x rebalancer.Move) bool { return x.Pid == p.Data.Pid })
	}
	m.departures = slices.DeleteFunc(m.departures, func(d departure) bool { return !goes(d.process) })
	m.arrivals = slices.DeleteFunc(m.arrivals, func(a arrival) bool {
		if goes(a.process) {
			return false
		}
		if a.process != nil {
			a.process.Release()
		}
		return true
	})
}

// Took returns the time to complete the proposed moves and announce them after the managers had
// decided, or 0 if the proposals were not accepted.
func (m *Mover) Took() time.Duration {
	if m.proposed != accepted {
		return 0
	}
	return m.took
}
