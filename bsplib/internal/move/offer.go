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

// flagVain says, in the exchange of the decision, that a process that asks to move was not
// brought.
const flagVain mpi.Flags = 1

func (m *Mover) withCall() carrier { return carrier{m.settings.Calls, true} }

// Offer sends a process that asks to move with the reports of the call that decides about it.
func (m *Mover) Offer(p *process.Process, to int) {
	if m.pack(p, to, m.withCall()) != nil {
		m.Withhold()
	}
}

// Withhold says that a process of this rank asks to move and does not go with the reports.
func (m *Mover) Withhold() { m.offered = vain }

// Reported begins to bring the processes that were offered.
func (m *Mover) Reported() error {
	err := m.receive(m.withCall())
	m.startRuns()
	return err
}

// Telling ends that, and tells what has come of it.
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

// Told hears what has come of it on other ranks.
func (m *Mover) Told(all mpi.Flags) error {
	if all&flagVain != 0 {
		m.offered = vain
	}
	err := m.hear(m.withCall())
	m.took = m.settings.Clock.Now() - m.began
	return err
}

// Decided makes the moves those of the call, if it has no others. What goes is given up here
// and what comes taken in before the decision is adopted, for histories are as before it.
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

// Drop ends what was offered.
func (m *Mover) Drop() {
	m.dropUnless(nil)
	*m = *New(m.settings)
}

// dropUnless ends what was offered but for the processes that move.
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

// Took returns how long it took to bring processes, and to tell of them, once their managers
// had decided; 0 if the call has moved none that was offered.
func (m *Mover) Took() time.Duration {
	if m.offered != taken {
		return 0
	}
	return m.took
}
