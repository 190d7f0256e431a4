package balance

import (
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// opened is what a manager tells another one first in a call that is decided within Sets, and
// figured and chosen what it tells next: see rebalancer.Region.
type opened struct {
	Opening rebalancer.Opening
	Guests  []rebalancer.Guests
}

type figured struct {
	Figures rebalancer.Figures
	Leavers []rebalancer.Leaver
}

type chosen struct {
	Choice  rebalancer.Choice
	Traffic Traffic // of its Set so far, and its own
}

// whole is what managers tell each other instead, where they must know all.
type whole struct {
	Report  rebalancer.Report
	Traffic Traffic
}

// flagWhole asks for that, with the first exchange of the managers.
const flagWhole mpi.Flags = 1

// within is a manager's part in a call that is decided within Sets; other ranks have none, but
// take part in the exchanges.
type within struct {
	b       *Balancer
	set     int
	council *rebalancer.Council
	region  *rebalancer.Region
}

// decideWithin makes the part of a call that managers make within their Sets, from the reports of
// this one's.
func (b *Balancer) decideWithin(reports []rebalancer.Report) (d rebalancer.Decision, told notice, err error) {
	w := &within{b: b, set: b.settings.Platform.Ranks[b.settings.Rank].Set}
	for i := range reports {
		if reports[i].Ranks[0].Rank != b.settings.Rank {
			b.traffic.count(1, reports[i].Size())
		}
	}
	openings, guests, flags, err := w.open(reports)
	if err != nil {
		return d, told, err
	}
	if flags&flagWhole != 0 {
		return w.decideWhole()
	}
	figures, come, err := w.share(openings, guests)
	if err != nil {
		return d, told, err
	}
	choices, err := w.choose(figures, come)
	if err != nil || !b.managing() {
		return d, told, err
	}
	b.settings.Clock.Decide(func() { d = w.council.Conclude(choices) })
	told, err = b.noticeOf(&d, w.council.Ranks(), func(int) bool { return false })
	return d, told, err
}

// send gives each manager a message, and counts those to others.
func send[T any](w *within, messageTo func(set int) T) error {
	for set := range w.b.settings.Platform.Sets {
		m := messageTo(set)
		if set != w.set {
			w.b.traffic.count(1, wire.Size(&m))
		}
		if err := control.Send(w.b.settings.Calls, w.b.manager(set), &m); err != nil {
			return err
		}
	}
	return nil
}

// open begins the call at each manager and exchanges what they open with.
func (w *within) open(reports []rebalancer.Report) (openings []rebalancer.Opening, guests []rebalancer.Guests, flags mpi.Flags, err error) {
	openings = make([]rebalancer.Opening, len(w.b.settings.Platform.Sets))
	if w.b.managing() {
		var opening rebalancer.Opening
		var of [][]rebalancer.Guests
		w.b.settings.Clock.Decide(func() {
			w.council = w.b.controller.Council()
			if w.region, err = w.council.Region(w.set, w.b.trigger.Observations(), w.b.trigger.Barriers(), reports...); err == nil {
				opening, of = w.region.Open()
			}
		})
		if err == nil {
			err = send(w, func(set int) opened { return opened{opening, of[set]} })
		}
		if err != nil {
			return nil, nil, 0, err
		}
		if opening.Whole {
			flags = flagWhole
		}
	}
	if flags, err = w.b.settings.Calls.Exchange(flags); err != nil {
		return nil, nil, 0, err
	}
	err = control.Each(w.b.settings.Calls, func(_ int, m *opened) error {
		openings[m.Opening.Set] = m.Opening
		guests = append(guests, m.Guests...)
		return nil
	})
	return openings, guests, flags, err
}

// share exchanges figures of all Sets, and the processes that leave one for another.
func (w *within) share(openings []rebalancer.Opening, guests []rebalancer.Guests) (figures []rebalancer.Figures, come []rebalancer.Leaver, err error) {
	figures = make([]rebalancer.Figures, len(openings))
	if w.b.managing() {
		var mine rebalancer.Figures
		var leavers [][]rebalancer.Leaver
		w.b.settings.Clock.Decide(func() {
			w.council.Meet(openings)
			mine, leavers = w.region.Share(guests)
		})
		if err := send(w, func(set int) figured { return figured{mine, leavers[set]} }); err != nil {
			return nil, nil, err
		}
	}
	if _, err := w.b.settings.Calls.Exchange(0); err != nil {
		return nil, nil, err
	}
	err = control.Each(w.b.settings.Calls, func(_ int, m *figured) error {
		figures[m.Figures.Set] = m.Figures
		come = append(come, m.Leavers...)
		return nil
	})
	return figures, come, err
}

// choose has each manager choose a mapping of its Set's processes, and exchanges them.
func (w *within) choose(figures []rebalancer.Figures, come []rebalancer.Leaver) (choices []rebalancer.Choice, err error) {
	choices = make([]rebalancer.Choice, len(figures))
	if w.b.managing() {
		var choice rebalancer.Choice
		w.b.settings.Clock.Decide(func() {
			w.council.Settle(figures)
			choice = w.region.Choose(come)
		})
		own := w.b.traffic
		if err := send(w, func(int) chosen { return chosen{choice, own} }); err != nil {
			return nil, err
		}
	}
	if _, err := w.b.settings.Calls.Exchange(0); err != nil {
		return nil, err
	}
	w.b.traffic = Traffic{}
	others := len(choices) - 1
	err = control.Each(w.b.settings.Calls, func(_ int, m *chosen) error {
		choices[m.Choice.Set] = m.Choice
		w.b.traffic.count(int(m.Traffic.Messages)+others, int(m.Traffic.Bytes)+others*wire.Size(m))
		return nil
	})
	return choices, err
}

// decideWhole exchanges the reports of all Sets, which leave nothing out, and decides as who knows
// all.
func (w *within) decideWhole() (d rebalancer.Decision, told notice, err error) {
	if w.b.managing() {
		own := w.b.traffic
		if err := send(w, func(int) whole { return whole{w.region.Whole(), own} }); err != nil {
			return d, told, err
		}
	}
	if _, err := w.b.settings.Calls.Exchange(0); err != nil {
		return d, told, err
	}
	w.b.traffic = Traffic{}
	var all []rebalancer.Report
	others := len(w.b.settings.Platform.Sets) - 1
	err = control.Each(w.b.settings.Calls, func(_ int, m *whole) error {
		all = append(all, m.Report)
		w.b.traffic.count(int(m.Traffic.Messages)+others, int(m.Traffic.Bytes)+others*wire.Size(m))
		return nil
	})
	if err != nil || !w.b.managing() {
		return d, told, err
	}
	return w.b.decide(func() (rebalancer.Snapshot, error) { return rebalancer.Merge(w.b.trigger.Observations(), all...) })
}
