package account

import (
	"cmp"
	"io"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/rebalancer"
)

// After some thousand supersteps, short supersteps are entered in groups by site. All sums are
// exact, even if the slowest rank changes with every superstep. If a table is printed, or no
// superstep is short, each is entered.
func TestShortSuperstepsAreEnteredTogether(t *testing.T) {
	const us = time.Microsecond
	const steps = alone + 8*batchSteps
	for _, c := range []struct {
		name   string
		took   time.Duration
		table  bool
		record bool
		places int // where supersteps end, 0: two
		most   int // maximum number of entries after the first ones
	}{
		{name: "of 10 us", took: 10 * us, most: 8 * batchSteps / 10 * 12 / 10},
		{name: "of 10 us at many places", took: 10 * us, places: 20, most: 8 * batchSteps},
		{name: "recorded", took: 10 * us, record: true, most: 8 * batchSteps / 10 * 2},
		{name: "of a nanosecond", took: 1, most: 8 * 3},
		{name: "of 600 us", took: 600 * us, most: steps},
		{name: "in a table", took: 10 * us, table: true, most: steps},
	} {
		book := new(ledger.Account)
		if c.record {
			book, _ = newRecord()
		}
		if c.table {
			book.Table = text.NewStepTable(io.Discard, text.TableSpec{}, "csv", nil, text.Display{})
		}
		places := cmp.Or(c.places, 2)
		// A speed of 0 is unknown, and counts as 1.
		r := run{speeds: []float64{1, 0}, where: []int32{0, 1}, book: book, set: Settings{Loads: loads.Settings{StateBytes: noStates.StateBytes, Least: 64}}}
		r.do(t, Facts{}, func(m *member) {
			for step := 1; step <= steps; step++ {
				m.Begin(time.Duration(step)*c.took, 0)
				s, works := m.samples[0], [2]time.Duration{3, 5}
				s.Work = works[(step+m.rank)%2] // another rank is slowest each time
				if step%4 == 0 {
					s.Sent = 100
				}
				m.Worked(s, 0)
				m.Close(step, uintptr(1+step%places), clock.Superstep{Took: c.took, Barrier: 2}, m.samples, false, nil)
				if m.Full() {
					m.must(m.Ship(step + 1))
				}
			}
			m.must(m.Stop(steps + 1))
		})
		w := book.Whole()
		if w.Step.Count != steps || w.Step.Last != steps || w.Step.WorkMax != 5*steps || w.Step.WorkMin != 3*steps || w.Step.WorkSum != 8*steps ||
			w.Step.H != 100*steps/4 || w.Step.Talks != steps/4 || w.Step.Comm != 2*steps || w.Step.Total != steps*c.took || w.Step.Longest != 5 || w.Step.Work[0] != 4*steps || w.Step.Least != 5*steps {
			t.Errorf("%s: %+v", c.name, w)
		}
		if n := len(book.Sites()); n != places {
			t.Errorf("%s: supersteps end at %d places, want %d", c.name, n, places)
		}
		for _, s := range book.Sites() {
			if n := s.Step.Count; n < steps/places || n > steps/places+1 || places == 2 && s.Step.H != int64(s.Step.First-1)*w.Step.H || int64(s.Step.WorkSum) != 8*int64(n) {
				t.Errorf("%s: %+v", c.name, s)
			}
		}
		entries, last := 0, 0
		for _, w := range book.Windows() {
			entries++
			if w.Step.First > last+2 || w.Step.Last < last || w.Step.Count > batchSteps {
				t.Errorf("%s: an entry of %d supersteps from %d to %d after %d", c.name, w.Step.Count, w.Step.First, w.Step.Last, last)
			}
			last = w.Step.Last
		}
		if more := entries - alone; more < 0 || more > c.most || c.most == steps && entries != steps {
			t.Errorf("%s: %d supersteps are entered in %d pieces", c.name, steps, entries)
		}
	}
}

// If rank 0 has no processes, another rank's superstep may begin before rank 0's last superstep
// or call has ended. The overlap counts once.
func TestTimeCountsOnce(t *testing.T) {
	book := new(ledger.Account)
	r := run{speeds: []float64{1, 1}, where: []int32{0, 1}, book: book}
	r.do(t, Facts{}, func(m *member) {
		superstep := func(step int, begun time.Duration) {
			m.Begin(begun, 0)
			m.Close(step, 1, clock.Superstep{Took: 10}, m.samples, false, nil)
			m.must(m.Ship(step + 1))
		}
		superstep(1, 0)
		if m.rank == 0 { // it skips the second superstep
			m.must(m.Ship(3))
		} else {
			superstep(2, 6)
		}
		m.clock.now = 20
		m.Call(new(rebalancer.Decision), decided.Costs{})
		if m.rank == 0 {
			m.must(m.Ship(4))
		} else {
			superstep(3, 17)
		}
		m.must(m.Stop(4))
	})
	if w := book.Whole(); w.Step.Count != 3 || w.Step.Total != 10+6+7 {
		t.Errorf("%d supersteps of %v", w.Step.Count, w.Step.Total)
	}
}
