package move

import (
	"errors"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// flagVain says, in the exchange of the decision, that a process that asks to move was not
// brought.
const flagVain mpi.Flags = 1

func (m *Mover[P, H]) withCall() carrier { return carrier{m.settings.Calls, true} }

// Offer sends a process that asks to move with the reports of the call that decides about it.
func (m *Mover[P, H]) Offer(p P, to int) {
	if m.pack(p, to, m.withCall()) != nil {
		m.Withhold()
	}
}

// Withhold says that a process of this rank asks to move and does not go with the reports.
func (m *Mover[P, H]) Withhold() { m.offered = vain }

// Reported begins to bring the processes that were offered.
func (m *Mover[P, H]) Reported() error {
	err := m.receive(m.withCall())
	m.startRuns()
	return err
}

// Telling ends that, and tells what has come of it.
func (m *Mover[P, H]) Telling() (mpi.Flags, error) {
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
func (m *Mover[P, H]) Told(all mpi.Flags) error {
	if all&flagVain != 0 {
		m.offered = vain
	}
	err := m.hear(m.withCall())
	m.took = m.settings.Clock.Now() - m.began
	return err
}

// Decided makes the moves those of the call, if it has no others. What goes is given up here
// and what comes taken in before the decision is adopted, for histories are as before it.
func (m *Mover[P, H]) Decided(d *balance.Decided) error {
	if m.offered == vain || !d.Wished || len(d.Moves) == 0 {
		return nil
	}
	m.offered = taken
	m.dropUnless(d.Moves)
	for i := range m.departures {
		if _, err := m.settings.Balance().Depart(m.departures[i].process.Data().Pid); err != nil {
			return err
		}
	}
	return m.compare()
}

// Drop ends what was offered.
func (m *Mover[P, H]) Drop() {
	m.dropUnless(nil)
	*m = Mover[P, H]{settings: m.settings}
}

// dropUnless ends what was offered but for the processes that move.
func (m *Mover[P, H]) dropUnless(moves []rebalancer.Move) {
	goes := func(p P) bool {
		return !none(p) && slices.ContainsFunc(moves, func(x rebalancer.Move) bool { return x.Pid == p.Data().Pid })
	}
	m.departures = slices.DeleteFunc(m.departures, func(d departure[P]) bool {
		if !goes(d.process) {
			m.withdraw(&d)
			return true
		}
		return false
	})
	m.arrivals = slices.DeleteFunc(m.arrivals, func(a arrival[P]) bool {
		if goes(a.process) {
			return false
		}
		if !none(a.process) {
			m.settings.Images.Release(a.process)
		}
		return true
	})
}

// Took returns how long it took to bring processes, and to tell of them, once their managers
// had decided; 0 if the call has moved none that was offered.
func (m *Mover[P, H]) Took() time.Duration {
	if m.offered != taken {
		return 0
	}
	return m.took
}
