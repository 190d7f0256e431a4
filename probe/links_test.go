package probe

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

func TestTournamentPairsEachOnce(t *testing.T) {
	for n := 1; n < 12; n++ {
		met := map[[2]int]int{}
		for i, round := range tournament(n) {
			busy := map[int]bool{}
			for _, p := range round {
				if p[0] == p[1] || busy[p[0]] || busy[p[1]] {
					t.Errorf("n %d, round %d: %v", n, i, round)
				}
				busy[p[0]], busy[p[1]] = true, true
				met[p]++
			}
		}
		if len(met) != n*(n-1)/2 {
			t.Errorf("n %d: %d pairs of %d", n, len(met), n*(n-1)/2)
		}
		for p, times := range met {
			if times != 1 {
				t.Errorf("n %d: %v meet %d times", n, p, times)
			}
		}
	}
}

// modelled is a Comm on which messages take a known time, by clocks of the ranks' own: nothing else
// takes time.
type modelled struct {
	mpi.Comm
	ways  func(from, to int) Way
	burst int // bytes of a message that take no time
	asks  int // length of the shortest message with an additional trip, if not 0
	clock time.Time

	bounded bool // the meter is
}

func (m *modelled) now() time.Time { return m.clock }

func (m *modelled) Give(dst int, on mpi.Channel, data []byte, copied bool) error {
	at, _ := m.clock.MarshalBinary()
	if err := m.Comm.Give(dst, on, at, true); err != nil {
		return err
	}
	return m.Comm.Give(dst, on, data, copied)
}

func (m *modelled) Take(src int, on mpi.Channel, data []byte) mpi.Run {
	return &modelledRun{m, src, data, on}
}

// modelledRun is taken when it is waited for.
type modelledRun struct {
	*modelled
	src  int
	data []byte
	on   mpi.Channel
}

func (r *modelledRun) Landed(n int) error {
	at, _ := r.clock.MarshalBinary()
	if err := r.Comm.Take(r.src, r.on, at).Landed(len(at)); err != nil {
		return err
	}
	var sent time.Time
	if err := sent.UnmarshalBinary(at); err != nil {
		return err
	}
	way := r.ways(r.src, r.Rank())
	seconds := way.Latency + float64(max(0, len(r.data)-r.burst))*way.PerByte
	if r.asks > 0 && len(r.data) >= r.asks {
		seconds += 2 * way.Latency
	}
	if arrives := sent.Add(time.Duration(seconds * 1e9)); arrives.After(r.clock) {
		r.clock = arrives
	}
	return r.Comm.Take(r.src, r.on, r.data).Landed(n)
}

func (r *modelledRun) Drop() error { return nil }

// measured returns the measurements of all in-process ranks of the given Sets, and the longest time
// that they took.
func measured(t *testing.T, sets, managers []int, budget time.Duration, burst int, ways func(from, to int) Way) ([][]Way, time.Duration) {
	t.Helper()
	return measuredOn(t, sets, managers, budget, modelled{ways: ways, burst: burst})
}

// measuredOn is measured on a given Comm.
func measuredOn(t *testing.T, sets, managers []int, budget time.Duration, on modelled) ([][]Way, time.Duration) {
	t.Helper()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	comms := mpi.InProcess(len(sets))
	results := make([][][]Way, len(sets))
	failures := make([]error, len(sets))
	took := make([]time.Duration, len(sets))
	var all sync.WaitGroup
	for rank, comm := range comms {
		all.Go(func() {
			m := new(on)
			m.Comm, m.clock = comm, start
			meter := NewLinkMeter(nodes{m, 1}, sets, managers, new(Watchdog), time.Minute)
			meter.now, meter.bounded = m.now, m.bounded
			results[rank], failures[rank] = meter.Measure(budget)
			took[rank] = m.clock.Sub(start)
		})
	}
	all.Wait()
	for rank, err := range failures {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
		if !reflect.DeepEqual(results[rank], results[0]) {
			t.Errorf("rank %d has %v, rank 0 %v", rank, results[rank], results[0])
		}
	}
	return results[0], slices.Max(took)
}

// A node with a slow line is found by both of its neighbours, and these are not blamed.
func TestLinesAreThoseOfNodes(t *testing.T) {
	const ranks = 8
	const slow, usual = 1e-6, 1e-8
	ring := func(n int) [][][2]int { return [][][2]int{{{0, 1}, {2, 3}}, {{1, 2}, {3, 0}}} }
	results := make([][]float64, ranks)
	var all sync.WaitGroup
	for rank, comm := range mpi.InProcess(ranks) {
		all.Go(func() {
			m := &modelled{Comm: comm, ways: func(from, to int) Way {
				if from/2 == 2 || to/2 == 2 {
					return Way{Latency: 1e-4, PerByte: slow}
				}
				return Way{Latency: 1e-4, PerByte: usual}
			}, clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
			meter := NewLinkMeter(nodes{m, 2}, make([]int, ranks), []int{0}, new(Watchdog), time.Minute)
			meter.now, meter.bounded = m.now, m.bounded
			meter.Neighbours(ring)
			var err error
			if results[rank], err = meter.MeasureLines(100 * time.Millisecond); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for rank, lines := range results {
		for other, line := range lines {
			want := usual
			if other/2 == 2 {
				want = slow
			}
			if math.Abs(line/want-1) > 0.02 {
				t.Errorf("rank %d has found a line of %g s for rank %d, want %g", rank, line, other, want)
			}
		}
	}
}

// unlike returns costs that differ for each pair and direction.
func unlike(from, to int) Way {
	return Way{Latency: float64(1+from) * 1e-4, PerByte: float64(1+from+10*to) * 1e-9}
}

func TestLinksAreMeasuredBothWaysAndWithinSets(t *testing.T) {
	sets, managers := []int{0, 1, 2, 0, 2}, []int{0, 1, 2}
	mates := []int{3, -1, 4}
	ways, took := measured(t, sets, managers, time.Second, 6000, unlike)
	for a, row := range ways {
		for b, got := range row {
			from, to := managers[a], managers[b]
			if a == b {
				to = mates[a]
			}
			if to < 0 {
				if got.Measured() {
					t.Errorf("within Set %d: %+v, but it has one rank", a, got)
				}
				continue
			}
			latency := (unlike(from, to).Latency + unlike(to, from).Latency) / 2
			if perByte := unlike(from, to).PerByte; math.Abs(got.Latency/latency-1) > 1e-3 || math.Abs(got.PerByte/perByte-1) > 0.02 {
				t.Errorf("from Set %d to Set %d: %+v, want %g and %g", a, b, got, latency, perByte)
			}
		}
	}
	if took > time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestSlowLinksTakeFewMessages(t *testing.T) {
	slow := Way{Latency: 0.05, PerByte: 1e-4}
	ways, took := measured(t, []int{0, 1}, []int{0, 1}, time.Millisecond, 0, func(int, int) Way { return slow })
	for _, got := range []Way{ways[0][1], ways[1][0]} {
		if math.Abs(got.Latency/slow.Latency-1) > 0.05 || math.Abs(got.PerByte/slow.PerByte-1) > 0.2 {
			t.Errorf("%+v, want %+v", got, slow)
		}
	}
	if took > 5*time.Second {
		t.Errorf("it took %v, with 4 messages of 8 KiB that need 0.9 s each and some short ones", took)
	}
}

// A link so long that it hides the time of short messages' bytes, between ranks that are kept from
// their cores now and then.
func TestBytesShowOnLongWays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	slow := Way{Latency: 0.002, PerByte: 4e-7}
	for range 20 {
		ways, took := measured(t, []int{0, 1}, []int{0, 1}, 40*time.Millisecond, 3200, func(int, int) Way {
			mu.Lock()
			defer mu.Unlock()
			if random.IntN(4) == 0 {
				return Way{Latency: slow.Latency + 0.005*random.Float64(), PerByte: slow.PerByte}
			}
			return slow
		})
		for _, got := range []Way{ways[0][1], ways[1][0]} {
			if !(got.PerByte > 0.6*slow.PerByte && got.PerByte < 2*slow.PerByte) {
				t.Errorf("%+v, want about %+v", got, slow)
			}
		}
		if took > time.Second {
			t.Errorf("it took %v", took)
		}
	}
}

// A message delayed by a rank without its core, for any time, is no measurement of the link: sizes
// grow until bytes show.
func TestDelayedMessagesAreNoRate(t *testing.T) {
	for delayed := range 12 {
		words := 0
		way := Way{Latency: 0.0015, PerByte: 1.6e-7}
		ways, took := measured(t, []int{0, 1}, []int{0, 1}, 40*time.Millisecond, 6000, func(from, to int) Way {
			if from == 1 { // rank 0 waits for answers, first those of four trips, and messages
				if words++; words == 4+delayed {
					return Way{Latency: way.Latency + 0.085, PerByte: way.PerByte}
				}
			}
			return way
		})
		for _, got := range []Way{ways[0][1], ways[1][0]} {
			if math.Abs(got.PerByte/way.PerByte-1) > 0.02 {
				t.Errorf("with message %d late: %+v, want %+v", delayed, got, way)
			}
		}
		if took > 400*time.Millisecond {
			t.Errorf("with message %d late it took %v", delayed, took)
		}
	}
}

// The trip by which MPI asks for room before it sends a long message is not part of its bytes'
// time.
func TestAskingIsNoPartOfBytes(t *testing.T) {
	far := Way{Latency: 0.02, PerByte: 1.6e-7}
	ways, took := measuredOn(t, []int{0, 1}, []int{0, 1}, 40*time.Millisecond, modelled{ways: func(int, int) Way { return far }, asks: 64 << 10})
	for _, got := range []Way{ways[0][1], ways[1][0]} {
		if math.Abs(got.PerByte/far.PerByte-1) > 0.1 {
			t.Errorf("%+v, want %+v", got, far)
		}
	}
	if took > 1500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

// Between distant Sets several nodes measure at once, each of which gets a part of the rate;
// between near Sets only their managers do.
func TestNodesOfFarSetsMeasureTogether(t *testing.T) {
	sets, managers := []int{0, 0, 1, 1, 1}, []int{0, 2}
	for latency, pairs := range map[float64]float64{0.02: 2, 0.002: 1} {
		way := Way{Latency: latency, PerByte: 4e-7}
		ways, _ := measured(t, sets, managers, 40*time.Millisecond, 0, func(int, int) Way { return way })
		for _, got := range []Way{ways[0][1], ways[1][0]} {
			if math.Abs(got.Latency/latency-1) > 0.05 || math.Abs(got.PerByte/(way.PerByte/pairs)-1) > 0.1 {
				t.Errorf("%+v, want %+v of %g pairs", got, way, pairs)
			}
		}
	}
}

func TestBytesThatTakeNothingAreNotKnown(t *testing.T) {
	ways, _ := measured(t, []int{0, 1}, []int{0, 1}, 10*time.Millisecond, 0, func(int, int) Way { return Way{Latency: 0.001} })
	if w := ways[0][1]; w.PerByte != 0 || !w.Measured() {
		t.Errorf("%+v", w)
	}
}

func TestOneRankHasNothingToMeasure(t *testing.T) {
	if ways, took := measured(t, []int{0}, []int{0}, time.Second, 0, unlike); ways[0][0].Measured() || took > 0 {
		t.Errorf("%+v in %v", ways, took)
	}
}

func TestMeasuringEndsWithTheRun(t *testing.T) {
	comms := mpi.InProcess(2)
	done := make(chan error)
	var w Watchdog
	meter := NewLinkMeter(comms[0], []int{0, 1}, []int{0, 1}, &w, time.Minute)
	go func() {
		_, err := meter.Measure(time.Second)
		done <- err
	}()
	for awaited := -1; awaited != 1; {
		w.mu.Lock()
		awaited = w.rank
		w.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	comms[1].Abort(1)
	if err := <-done; err == nil {
		t.Error("there were figures")
	}
}
