package rebalancer

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/wire"
)

// country is a run of many processes on ranks of four speeds in some Sets, with a controller of
// all of them: each host has ten processes, which form a ring, with uneven work.
type country struct {
	platform Platform
	c        *Controller
	work     []float64
	where    []int32
	step     int
	detail   Detail
	random   *rand.Rand
}

func newCountry(t testing.TB, strategy string, processes, sets int) *country {
	t.Helper()
	spec, err := Parse(strategy)
	if err != nil {
		t.Fatal(err)
	}
	s := &country{detail: Detail{State: 1_000_000, Request: -1}, random: rand.New(rand.NewPCG(1, uint64(processes)))}
	ranks := processes / 10 / sets * sets
	near, far := Link{Latency: 50e-6, PerByte: 8e-9}, Link{Latency: 2e-3, PerByte: 0.8e-9}
	for set := range sets {
		s.platform.Sets = append(s.platform.Sets, Set{Manager: set * (ranks / sets)})
		row := make([]Link, sets)
		for other := range row {
			if row[other] = far; other == set {
				row[other] = near
			}
		}
		s.platform.Links = append(s.platform.Links, row)
	}
	for rank := range ranks {
		s.platform.Ranks = append(s.platform.Ranks, Rank{Set: rank / (ranks / sets), Speed: []float64{1, 0.5, 0.8, 2}[rank%4]})
	}
	for pid := range processes {
		s.where = append(s.where, int32(pid*ranks/processes))
		s.work = append(s.work, 0.1*math.Exp(0.75*s.random.NormFloat64()))
	}
	s.c = New(s.platform, s.where, spec)
	return s
}

// observe lets supersteps pass.
func (s *country) observe(steps int) {
	o := Observation{Count: 1, Processes: make([]Measure, len(s.work))}
	from := make([]Traffic, len(s.work))
	for pid := range s.work {
		from[pid] = Traffic{Pid: (pid + len(s.work) - 1) % len(s.work), Bytes: 100_000}
		speed := s.platform.Ranks[s.c.where[pid]].Speed
		o.Processes[pid] = Measure{Pid: pid, Time: s.work[pid] / speed, Received: from[pid : pid+1]}
	}
	for range steps {
		s.step++
		o.Step = s.step
		s.c.Observe(o)
	}
}

// slowest is what a superstep computes for with a mapping.
func (s *country) slowest(where []int32) (slowest float64) {
	busy := make([]float64, len(s.platform.Ranks))
	for pid, rank := range where {
		busy[rank] += s.work[pid] / s.platform.Ranks[rank].Speed
		slowest = max(slowest, busy[rank])
	}
	return slowest
}

func (s *country) states(of func(rank int) bool) (all []RankState) {
	took := s.slowest(s.c.where)
	for rank := range s.platform.Ranks {
		if of(rank) {
			all = append(all, RankState{Rank: rank, Available: 1, Free: -1, Elapsed: took * 8, Steps: 8, Remaining: 1000})
		}
	}
	return all
}

func (s *country) detailOf(int) Detail { return s.detail }

// central is the decision of one who knows all.
func (s *country) central(t testing.TB) Decision {
	t.Helper()
	snapshot, err := s.c.Merge(s.step, s.c.Report(s.states(func(int) bool { return true }), s.detailOf))
	if err != nil {
		t.Fatal(err)
	}
	return s.c.Decide(snapshot)
}

// traveled is a message that went through its bytes.
func traveled[T any](t testing.TB, v T) (back T) {
	t.Helper()
	b, err := wire.Append(nil, &v)
	if err == nil {
		err = wire.Read(b, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// within is the decision of managers of whom each knows its own Set, and how long the busiest of
// them computed for it. All of them must come to the same.
func (s *country) within(t testing.TB) (Decision, time.Duration) {
	t.Helper()
	sets := len(s.platform.Sets)
	regions := make([]*Region, sets)
	took := make([]time.Duration, sets)
	timed := func(set int, f func()) {
		began := time.Now()
		f()
		took[set] += time.Since(began)
	}
	council := s.c.Council()
	councils := make([]*Council, sets) // of which each manager has its own
	openings, guests := make([]Opening, sets), make([][][]Guests, sets)
	for set := range regions {
		report := traveled(t, s.c.Report(s.states(func(rank int) bool { return s.platform.Ranks[rank].Set == set }), s.detailOf))
		timed(set, func() {
			councils[set] = new(Council)
			*councils[set] = *council
			var err error
			if regions[set], err = councils[set].Region(set, s.step, 1, report); err != nil {
				t.Fatal(err)
			}
			openings[set], guests[set] = regions[set].Open()
		})
		openings[set], guests[set] = traveled(t, openings[set]), traveled(t, guests[set])
	}
	figures, leavers := make([]Figures, sets), make([][][]Leaver, sets)
	for set, r := range regions {
		var mine []Guests
		for from := range guests {
			mine = append(mine, guests[from][set]...)
		}
		timed(set, func() {
			r.council.Meet(openings)
			figures[set], leavers[set] = r.Share(mine)
		})
		figures[set], leavers[set] = traveled(t, figures[set]), traveled(t, leavers[set])
	}
	choices := make([]Choice, sets)
	for set, r := range regions {
		var come []Leaver
		for from := range leavers {
			come = append(come, leavers[from][set]...)
		}
		timed(set, func() {
			r.council.Settle(figures)
			choices[set] = r.Choose(come)
		})
		choices[set] = traveled(t, choices[set])
	}
	var first Decision
	var text []byte
	for set, r := range regions {
		var d Decision
		timed(set, func() { d = r.council.Conclude(choices) })
		b, _ := d.AppendBinary(nil)
		if set == 0 {
			first, text = d, b
		} else if !bytes.Equal(b, text) {
			t.Fatalf("the manager of Set %d decides differently", set)
		}
	}
	return first, slices.Max(took)
}

// Decided within Sets, supersteps take no more than 2 % longer than as one decides who knows
// all, with even and with uneven Sets.
func TestDecisionsWithinSets(t *testing.T) {
	for _, uneven := range []float64{1, 3} {
		s := newCountry(t, "auto,central=0", 4000, 20)
		for pid := range s.work {
			if s.where[pid]%200 < 20 {
				s.work[pid] *= uneven // that of a tenth of the Sets
			}
		}
		s.observe(8)
		before := s.slowest(s.where)
		whole := s.slowest(costMoved(s.where, s.central(t).Moves))
		d, took := s.within(t)
		within := s.slowest(costMoved(s.where, d.Moves))
		t.Logf("uneven %v: %.4f s before, central %.4f, within Sets %.4f (predicted %.4f to %.4f, bound %.4f), %d moves, %v at most for a manager; %s",
			uneven, before, whole, within, d.Forecast.Before/1000, d.Forecast.After/1000, d.Bound.Least, len(d.Moves), took, d.WhyNone)
		if within > 1.02*whole || len(d.Moves) == 0 {
			t.Errorf("uneven %v: %v s within Sets, %v by who knows all", uneven, within, whole)
		}
	}
}
