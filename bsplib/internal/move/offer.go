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

// flagVain announces, in the exchange of the decision, that an offered transfer failed or that
// a process requesting a move was not offered.
const flagVain mpi.Flags = 1

func (m *Mover) withCall() carrier { return carrier{m.settings.Calls, true} }

// Offer sends a process that requests a move with the reports of the call that decides about
// it.
func (m *Mover) Offer(p *process.Process, to int) {
	if m.pack(p, to, m.withCall()) != nil {
		m.Withhold()
	}
}

// Withhold records that a process of this rank requests a move but is not offered.
func (m *Mover) Withhold() { m.offered = vain }

// Reported starts the transfers of the offered processes.
func (m *Mover) Reported() error {
	err := m.receive(m.withCall())
	m.startRuns()
	return err
}

// Telling completes the transfers. It sends the relocations, or returns flagVain after a failure.
func (m *Mover) Telling() (mpi.Flags, error) {
	m.began = m.settings.Clock.Now()
	if err := m.transfer(nil); err != nil {
		if _, of := errors.AsType[*Error](err); !of {
			return 0, err
		}
		m.offered = vain
	}
	if m.offered == vain {
		return flagVain, nil
	}
	return 0, m.publish(m.withCall())
}

// Told records the relocations and failures of other ranks.
func (m *Mover) Told(all mpi.Flags) error {
	if all&flagVain != 0 {
		m.offered = vain
	}
	err := m.hear(m.withCall())
	m.took = m.settings.Clock.Now() - m.began
	return err
}

// Decided completes the offered moves if the call has no others. It transfers the histories of
// moving processes before the decision is adopted, because they date from before the decision.
func (m *Mover) Decided(d *balance.Decided) error {
	if m.offered == vain || !d.Wished || len(d.Moves) == 0 {
		return nil
	}
	m.offered = taken
	m.dropUnless(d.Moves)
	for i := range m.departures {
		if _, err := m.settings.Balance().Depart(m.departures[i].process.Data.Pid); err != nil {
			return err
		}
	}
	return m.compare()
}

// Drop discards all offers.
func (m *Mover) Drop() {
	m.dropUnless(nil)
	*m = *New(m.settings)
}

// dropUnless discards the offers of processes that are not in moves.
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

// Took returns the time to complete the offered moves and announce them after the managers had
// decided, or 0 if the offers were not taken.
func (m *Mover) Took() time.Duration {
	if m.offered != taken {
		return 0
	}
	return m.took
}
