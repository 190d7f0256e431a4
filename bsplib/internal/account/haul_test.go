package account

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// turns is a program in which another process sends in each superstep: to all others, or to
// some, as many bytes as before or fewer and fewer.
type turns struct {
	platform rebalancer.Platform
	home     []int32
	order    []int // in which processes send, again and again
	reach    int   // how many receive
	shrinks  bool
	steps    int
}

// newTurns draws one on hosts in two Sets, whose lines differ by up to ten times.
func newTurns(random *rand.Rand) *turns {
	ranks := 4 + random.IntN(6)
	w := &turns{steps: 100 + random.IntN(200), shrinks: random.IntN(2) == 0}
	near, far := rebalancer.Link{Latency: 1e-4, PerByte: 1e-8}, rebalancer.Link{Latency: 1e-3, PerByte: 1e-8 + 4e-8*random.Float64()}
	w.platform = rebalancer.Uniform(ranks, near)
	w.platform.Sets = append(w.platform.Sets, rebalancer.Set{Name: "far", Manager: ranks / 2})
	w.platform.Links = [][]rebalancer.Link{{near, far}, {far, near}}
	for rank := range ranks {
		w.platform.Ranks[rank].Set = min(1, rank/(ranks/2))
		w.platform.Ranks[rank].Host = fmt.Sprint("host", rank)
		w.platform.Lines = append(w.platform.Lines, 1e-8*math.Pow(10, random.Float64()))
	}
	procs := 2 * ranks
	for pid := range procs {
		w.home = append(w.home, int32(pid/2))
	}
	w.order = random.Perm(procs)
	w.reach = procs/2 + random.IntN(procs/2)
	return w
}

// sent calls f for the messages of a superstep.
func (w *turns) sent(step int, f func(from, to int, bytes int64)) (h int64) {
	from, bytes := w.order[step%len(w.order)], int64(20000)
	if w.shrinks {
		bytes = bytes * int64(w.steps+20-step) / int64(w.steps)
	}
	for k := range w.reach {
		f(from, (from+1+k)%len(w.home), bytes)
	}
	return bytes * int64(w.reach)
}

// takes is what the messages of a superstep take with a mapping, and the most that a process sends.
func (w *turns) takes(step int, where []int32) (seconds float64, h int64) {
	flow := w.platform.NewFlow()
	h = w.sent(step, func(from, to int, bytes int64) {
		w.platform.Add(&flow, int(where[from]), int(where[to]), bytes)
	})
	return w.platform.Time(&flow), h
}

// shadow runs the program, with one to six moves after so many supersteps, and returns what the
// shadow says of what the communication would have taken without them, and what is true.
func (w *turns) shadow(random *rand.Rand, before int, hauls bool) (said, true float64) {
	where := append([]int32(nil), w.home...)
	for range 1 + random.IntN(6) {
		where[random.IntN(len(where))] = int32(random.IntN(len(w.platform.Ranks)))
	}
	where[0] = w.home[len(w.home)-1]
	ranks := len(w.platform.Ranks)
	speeds := make([]float64, ranks)
	for rank := range speeds {
		speeds[rank] = 1
	}
	s := newShadow(speeds, slowest(&w.platform))
	late, lateAtHome := 0.0, 0.0 // half of the bytes are still under way in the next superstep
	for n := range w.steps {
		mapping, moved := w.home, n >= before
		if moved {
			mapping = where
		}
		seconds, h := w.takes(n, mapping)
		haul, _ := w.takes(n, w.home)
		true += haul/2 + lateAtHome
		seconds, late = seconds/2+late, seconds/2
		lateAtHome = haul / 2
		if !hauls {
			haul = unknown
		}
		if n == before {
			s.called()
		}
		s.superstep(&ledger.Step{
			First: n + 1, Last: n + 1, Count: 1, Site: "x", H: h, Ranks: ranks,
			Work: make([]time.Duration, ranks), Total: time.Duration(1e9 * seconds),
		}, make([]float64, ranks), haul, moved)
	}
	return s.saving().Unmoved, true
}

// Where another process sends in each superstep, the shadow knows whose line each of them is
// held up by, be it one that has not sent before the moves. Bytes alone do not tell.
func TestShadowWhereSendersAlternate(t *testing.T) {
	const runs = 200
	var sums [2]float64
	for seed := range uint64(runs) {
		for i, hauls := range []bool{true, false} {
			random := rand.New(rand.NewPCG(seed, 7))
			w := newTurns(random)
			before := 4 + random.IntN(len(w.order)/2)
			said, true := w.shadow(random, before, hauls)
			off := math.Abs(math.Log(said / true))
			sums[i] += off / runs
			if hauls && off > 0.4 {
				t.Errorf("seed %d: the shadow took %.4f s, want %.4f: %d processes on %d ranks, %d receive, %d of %d supersteps before the moves",
					seed, said, true, len(w.home), len(w.platform.Ranks), w.reach, before, w.steps)
			}
		}
	}
	if sums[0] > 0.1 || sums[0] > sums[1]/2 {
		t.Errorf("the shadow is %.3f off on average, and %.3f by bytes alone, want at most 0.1 and half of that", sums[0], sums[1])
	}
}

// Ranks note together what the platform says of each superstep, superstep by superstep and with
// all processes where they began, wherever they are.
func TestHaulsAreOfEachSuperstep(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newTurns(random)
		speeds := make([]float64, len(w.platform.Ranks))
		for rank := range speeds {
			speeds[rank] = 1
		}
		where := append([]int32(nil), w.home...)
		random.Shuffle(len(where), func(i, j int) { where[i], where[j] = where[j], where[i] })
		r := run{speeds: speeds, where: w.home, book: new(ledger.Account), set: Settings{Moves: true, Position: func() Position { return Position{} }}, platform: &w.platform}
		r.do(t, Facts{}, func(m *member) {
			m.samples = nil
			for pid, on := range where {
				if int(on) == m.rank {
					m.samples = append(m.samples, &Sample{Pid: pid})
				}
			}
			for step := 1; step <= 40; step++ {
				if !m.NeedsTraffic() {
					t.Errorf("superstep %d is not noted", step)
				}
				for _, s := range m.samples {
					s.Traffic = s.Traffic[:0]
				}
				w.sent(step, func(from, to int, bytes int64) {
					for _, s := range m.samples {
						if s.Pid == to {
							s.Record(from, int(bytes))
						}
					}
				})
				m.Close(step, 1, clock.Superstep{Took: ms}, m.samples, true)
			}
			m.must(m.Ship(41))
			for i, haul := range m.hauls.times {
				if want, _ := w.takes(i+1, w.home); m.rank == 0 && math.Abs(haul-want) > 1e-5*want {
					t.Errorf("seed %d, superstep %d: a haul of %g s, want %g", seed, i+1, haul, want)
				}
			}
			if m.rank == 0 && len(m.hauls.times) != 40 {
				t.Errorf("%d hauls", len(m.hauls.times))
			}
		})
	}
}

// Of many senders some distances stand for all, with the bytes of all.
func TestThinHauls(t *testing.T) {
	const ranks = 1000
	platform := rebalancer.Uniform(ranks, rebalancer.Link{PerByte: 1})
	flow := platform.NewFlow()
	for to := range int32(ranks) {
		var all []parcel
		for from := range int32(ranks) {
			if from != to {
				all = append(all, parcel{from: from, to: to, bytes: 10})
			}
		}
		kept := thin(all, ranks, sendersTold)
		if len(kept) > sendersTold {
			t.Fatalf("%d parcels of %d", len(kept), len(all))
		}
		for _, p := range kept {
			flow.Sent[p.from] += int64(p.bytes)
		}
	}
	for rank, sent := range flow.Sent {
		if math.Abs(float64(sent)-9990) > 100 {
			t.Fatalf("rank %d sends %d bytes of 9990", rank, sent)
		}
	}
	few := []parcel{{from: 1, to: 2, bytes: 3}}
	if kept := thin(few, ranks, sendersTold); len(kept) != 1 || kept[0] != few[0] {
		t.Errorf("%v", kept)
	}
}

// Where noting takes long beside supersteps, fewer are noted, and the same ones on all ranks.
func TestHaulsTakeLittleTime(t *testing.T) {
	r := run{speeds: []float64{1, 1}, where: []int32{0, 1}, book: new(ledger.Account), set: Settings{Moves: true, Position: func() Position { return Position{} }}}
	counts := make([]int, 2)
	r.do(t, Facts{}, func(m *member) {
		for step := 1; step <= 20000; step++ {
			recorded := m.NeedsTraffic()
			m.clock.wall += 10 * time.Microsecond
			m.Begin(m.clock.wall, m.clock.wall)
			if recorded {
				if step > 10000 {
					counts[m.rank]++
				}
				m.Recorded(time.Microsecond)
			}
			m.Close(step, 1, clock.Superstep{Took: 10 * time.Microsecond}, m.samples, recorded)
			if m.Full() {
				m.must(m.Ship(step + 1))
			}
		}
	})
	if n := counts[0]; n != counts[1] || n < 50 || n > 400 {
		t.Errorf("%v of 10000 supersteps are noted, want the same 50 to 400 on both ranks: a microsecond each is to be 0.2 %% of the time", counts)
	}
}
