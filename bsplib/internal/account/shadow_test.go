package account

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// world is a machine whose truth is known: what each process computes, what each rank gets,
// and what communication takes.
type world struct {
	speeds, shares []float64
	work           []float64 // seconds at speed 1, by process
	noise          float64   // by which a rank's time varies, up and down
	comm           func(site string, h float64) float64
	h              func(step int) float64
	site           func(step int) string
	late           bool // bytes take 300 ns each in the superstep after theirs
	random         *rand.Rand
}

func newWorld() *world {
	return &world{
		speeds: []float64{1, 1, 1, 2}, shares: []float64{1, 0.5, 0.1, 0.25}, work: []float64{.010, .012, .008, .010, .011, .009, .010, .010},
		comm: func(string, float64) float64 { return 0.002 }, h: func(int) float64 { return 1000 }, site: func(int) string { return "x" },
		random: rand.New(rand.NewPCG(1, 2)),
	}
}

// superstep gives s a superstep with the processes on the given ranks, at times of a mapping
// that the messages take differently on, and returns what it takes.
func (w *world) superstep(s *shadow, n int, where, home []int, faster float64) float64 {
	ranks := len(w.speeds)
	cpu, span := make([]float64, ranks), make([]time.Duration, ranks)
	clear(s.home)
	moved := false
	for pid, work := range w.work {
		cpu[where[pid]] += work / w.speeds[where[pid]]
		s.home[home[pid]] += work
		moved = moved || where[pid] != home[pid]
	}
	step := &ledger.Step{First: n, Last: n, Count: 1, Site: w.site(n), H: int64(w.h(n)), Ranks: ranks}
	for rank := range cpu {
		span[rank] = time.Duration(1e9 * cpu[rank] / w.shares[rank] * (1 + w.noise*(2*w.random.Float64()-1)))
		step.WorkMax = max(step.WorkMax, span[rank])
	}
	step.Work = span
	comm := w.comm(step.Site, w.h(n))
	if w.late && step.Site == "compute" {
		comm = 0.001 + 3e-7*w.h(n-1)
	}
	step.Total = step.WorkMax + time.Duration(1e9*comm*faster)
	s.superstep(step, cpu, unknown, moved)
	return step.Total.Seconds()
}

var (
	atHome  = []int{0, 0, 1, 1, 2, 2, 3, 3}
	spread8 = []int{0, 0, 0, 0, 0, 1, 3, 3} // nothing on the slowest
)

// compare runs steps of the world at home, then with the processes elsewhere, and the same
// without moves, and returns what the shadow says and what is true.
func (w *world) compare(before, after int, where []int, faster float64) (said *ledger.Saving, unmoved, seen float64) {
	return w.compareWith(before, after, where, faster, func() {})
}

// compareWith is compare where something disturbs both in the same way before each superstep.
func (w *world) compareWith(before, after int, where []int, faster float64, disturb func()) (said *ledger.Saving, unmoved, seen float64) {
	s, truth := newShadow(w.speeds, rebalancer.Link{Latency: 1e-3, PerByte: 1e-6}), newShadow(w.speeds, rebalancer.Link{Latency: 1e-3, PerByte: 1e-6})
	for n := 1; n <= before+after; n++ {
		disturb()
		unmoved += w.superstep(truth, n, atHome, atHome, 1)
		if n == before+1 {
			s.called()
		}
		if n <= before {
			seen += w.superstep(s, n, atHome, atHome, 1)
		} else {
			seen += w.superstep(s, n, where, atHome, faster)
		}
	}
	return s.saving(), unmoved, seen
}

// Without noise the shadow of a run takes what the run without moves takes: for ranks of
// different speed and share, with messages that take as long as before the moves, whatever
// the moves have made of that, at several places and with h that changes.
func TestShadowIsExact(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"a plain loop": func(*world) {},
		"two places": func(w *world) {
			w.site = func(n int) string { return []string{"a", "b"}[n%2] }
			w.comm = func(site string, h float64) float64 { return map[string]float64{"a": 0.001, "b": 0.030}[site] }
		},
		"h that shrinks": func(w *world) {
			w.h = func(n int) float64 { return float64(1000 * (100 - n)) }
			w.comm = func(_ string, h float64) float64 { return 0.001 + 1e-6*h }
		},
		"few supersteps before the moves, of a kind whose bytes arrive in the next": func(w *world) {
			w.site = func(n int) string { return []string{"send", "compute"}[n%2] }
			w.h = func(n int) float64 { return float64(n%2) * float64(100-n/2) * 1e4 }
			w.comm = func(string, float64) float64 { return 0.001 }
			w.late = true
		},
		"no messages": func(w *world) {
			w.h = func(int) float64 { return 0 }
			w.comm = func(string, float64) float64 { return 0 }
		},
		"supersteps of an hour": func(w *world) {
			for pid := range w.work {
				w.work[pid] *= 360000
			}
		},
	} {
		w := newWorld()
		change(w)
		said, unmoved, seen := w.compare(20, 60, spread8, 0.5)
		if math.Abs(said.Unmoved-unmoved) > 0.005*unmoved || math.Abs(said.Seen-seen) > 1e-9*seen || said.Step != 80 {
			t.Errorf("%s: the shadow took %.4f s, want %.4f; seen %.4f of %.4f s after superstep %d", name, said.Unmoved, unmoved, said.Seen, seen, said.Step)
		}
		if said.Gross() <= 0 || said.Gross() > said.Unmoved {
			t.Errorf("%s: %g s saved of %g", name, said.Gross(), said.Unmoved)
		}
		if !(said.Error > 0) || said.Error > 0.05*unmoved {
			t.Errorf("%s: an error of %g s of %g", name, said.Error, unmoved)
		}
	}
}

// Supersteps shorter than a clock's tick have a shadow too.
func TestShadowOfNothing(t *testing.T) {
	w := newWorld()
	for pid := range w.work {
		w.work[pid] = 1e-10
	}
	w.comm = func(string, float64) float64 { return 200e-9 }
	said, unmoved, _ := w.compare(1000, 1000, spread8, 1)
	if math.Abs(said.Unmoved-unmoved) > 0.01*unmoved || math.IsNaN(said.Error) {
		t.Errorf("%+v, want %g s", said, unmoved)
	}
}

// As long as nothing is moved the shadow is the run, to the nanosecond, and so it is again
// when all processes are back.
func TestShadowOfAnUnmovedRun(t *testing.T) {
	w := newWorld()
	w.noise = 0.5
	s := newShadow(w.speeds, rebalancer.Link{Latency: 1e-3, PerByte: 1e-6})
	for n := 1; n <= 100; n++ {
		w.superstep(s, n, atHome, atHome, 1)
	}
	if v := s.saving(); v.Unmoved != v.Seen || v.Error != 0 || v.Step != 100 {
		t.Errorf("%+v", v)
	}
	for n := 101; n <= 110; n++ {
		w.superstep(s, n, spread8, atHome, 1)
	}
	then := s.saving()
	for n := 111; n <= 200; n++ {
		w.superstep(s, n, atHome, atHome, 1)
	}
	if now := s.saving(); math.Abs(now.Gross()-then.Gross()) > 1e-9 || then.Gross() <= 0 {
		t.Errorf("%g s saved when all are back, %g s before that", now.Gross(), then.Gross())
	}
}

// Hosts whose time varies make the barrier wait for the one that is late: the shadow knows,
// and its error bar, of three standard errors, has the truth.
func TestShadowOfNoisyHosts(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld()
		w.shares = []float64{0.3, 0.25, 0.25, 0.15}
		w.noise, w.random = 0.4, rand.New(rand.NewPCG(seed, 0))
		said, unmoved, _ := w.compare(12, 200, []int{0, 0, 0, 0, 1, 1, 2, 3}, 1)
		if off := math.Abs(said.Unmoved - unmoved); off > 0.12*unmoved || off > 4*said.Error {
			t.Errorf("seed %d: the shadow took %.3f s, error %.3f, want %.3f", seed, said.Unmoved, said.Error, unmoved)
		}
	}
}

// A host that becomes slow while processes are elsewhere is slow in the shadow too, as soon
// as its rank shows it; one that looks fast because it has little to do is not.
func TestShadowFollowsHosts(t *testing.T) {
	w := newWorld()
	s := newShadow(w.speeds, rebalancer.Link{Latency: 1e-3, PerByte: 1e-6})
	for n := 1; n <= 50; n++ {
		w.superstep(s, n, atHome, atHome, 1)
	}
	slow := s.paces[2].share()
	w.shares[2] = 1 // in what follows rank 2 has little to do, and a quota saves up
	few := []int{0, 0, 1, 1, 2, 3, 3, 3}
	w.work[4] /= 10
	for n := 51; n <= 100; n++ {
		w.superstep(s, n, few, atHome, 1)
	}
	if now := s.paces[2].share(); now != slow || math.Abs(slow-0.1) > 0.01 {
		t.Errorf("a rank with little to do gets %.3f of its core, %.3f when it had work", now, slow)
	}
	w.shares[0] = 0.02
	for n := 101; n <= 110; n++ {
		w.superstep(s, n, few, atHome, 1)
	}
	if now := s.paces[0].share(); math.Abs(now-0.02) > 0.008 {
		t.Errorf("a host that has become slow gives %.3f, want 0.02", now)
	}
}

// A host that becomes slow and is left at once stays slow in the shadow, however long it was fast,
// and so does one whose quota is lowered then: the run has gained.
func TestShadowOfAHostThatIsLeft(t *testing.T) {
	for name, slower := range map[string]func(w *world, s *shadow){
		"shown by its work": func(w *world, _ *shadow) { w.shares[0] = 0.02 },
		"told by its quota": func(_ *world, s *shadow) { s.paces[0].quota = 0.02 },
	} {
		w := newWorld()
		s := newShadow(w.speeds, rebalancer.Link{Latency: 1e-3, PerByte: 1e-6})
		for n := 1; n <= 200; n++ {
			w.superstep(s, n, atHome, atHome, 1)
		}
		slower(w, s)
		for n := 201; n <= 203; n++ {
			w.superstep(s, n, atHome, atHome, 1)
		}
		s.called()
		for n := 204; n <= 300; n++ {
			w.superstep(s, n, []int{1, 1, 1, 3, 2, 3, 3, 3}, atHome, 1)
		}
		said, want := s.saving(), 97*(0.022/0.02+0.002)
		if got := said.Unmoved - said.Seen; got < 0.7*want || got > want {
			t.Errorf("%s: saved %.3f s, want a little less than %.3f", name, got, want)
		}
	}
}

// Without a superstep before the first move quotas are all there is to go by, and the error
// says so.
func TestShadowOfMovesAtOnce(t *testing.T) {
	w := newWorld()
	s := newShadow(w.speeds, rebalancer.Link{Latency: 1e-3, PerByte: 1e-6})
	for rank, share := range w.shares {
		s.paces[rank].quota = share
	}
	for n := 1; n <= 10; n++ {
		w.superstep(s, n, spread8, atHome, 1)
	}
	if v := s.saving(); v.Unmoved < 10*0.19 || v.Unmoved > 10*0.22 || v.Error < v.Unmoved/2 {
		t.Errorf("%+v, want 10 supersteps of 0.2 s and a large error", v)
	}
}

// A time that was denied is divided by what the kernel has counted, and never more of it.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		name  string
		lost  float64 // beside a second of CPU time
		quota float64
		seen  probe.Contention
		r     rivals
		want  ledger.Denied
	}{
		{name: "nothing is known", lost: 3, want: ledger.Denied{Other: 3}},
		{name: "nothing was lost", seen: probe.Contention{Delay: 5, Throttled: 5, Stolen: 1}},
		{name: "less than nothing", lost: -1},
		{name: "a quota", lost: 4, seen: probe.Contention{Delay: 4, Throttled: 4}, r: rivals{programs: 9}, want: ledger.Denied{Throttled: 4}},
		{name: "more than was lost", lost: 2, seen: probe.Contention{Delay: 6, Throttled: 3, Stolen: 1}, r: rivals{ranks: 2, programs: 1},
			want: ledger.Denied{Throttled: 6. / 7, Stolen: 2. / 7, Shared: 4. / 7, Foreign: 2. / 7}},
		{name: "less", lost: 10, seen: probe.Contention{Delay: 4}, r: rivals{ranks: 3, programs: 1}, want: ledger.Denied{Shared: 3, Foreign: 1, Other: 6}},
		{name: "of several ranks of a process", lost: 10, seen: probe.Contention{Delay: 8}, r: rivals{ranks: 1, together: 4}, want: ledger.Denied{Shared: 2, Other: 8}},
		{name: "a quota that is used up while others have the core", lost: 9, quota: 0.1, seen: probe.Contention{Delay: 9, Throttled: 2}, r: rivals{programs: 1},
			want: ledger.Denied{Throttled: 9}},
		{name: "others leave half of a quota", lost: 9, quota: 0.2, seen: probe.Contention{Delay: 9, Throttled: 1}, r: rivals{programs: 1},
			want: ledger.Denied{Throttled: 4, Foreign: 5}},
		{name: "a program that sleeps", lost: 9, quota: 0.5, seen: probe.Contention{Delay: 0.1}, want: ledger.Denied{Throttled: 0.1, Other: 8.9}},
		{name: "a quota that is far away", lost: 1, quota: 0.2, seen: probe.Contention{Delay: 1}, r: rivals{programs: 1}, want: ledger.Denied{Foreign: 1}},
	} {
		got := divide(1+c.lost, 1, c.quota, c.seen, c.r)
		for i, part := range got.Causes() {
			if want := c.want.Causes()[i].Seconds; math.Abs(part.Seconds-want) > 1e-12 {
				t.Errorf("%s: %s %g s, want %g", c.name, part.Name, part.Seconds, want)
			}
		}
	}
}

// A superstep that something else held up says little of what communication takes: of few,
// it is not believed.
func TestShadowOfAHiccup(t *testing.T) {
	w := newWorld()
	n := 0
	w.comm = func(string, float64) float64 {
		if n++; n == 4 {
			return 2
		}
		return 0.1
	}
	said, unmoved, _ := w.compare(10, 200, spread8, 1)
	if math.Abs(said.Unmoved-unmoved) > 0.15*unmoved {
		t.Errorf("the shadow took %.3f s, want %.3f", said.Unmoved, unmoved)
	}
}

// The first supersteps of a run are quicker or slower than what follows: of few, the later
// ones say more. The quick ones are as lbm's were on slow hosts.
func TestShadowOfABeginning(t *testing.T) {
	for name, first := range map[string][]float64{"quick": {0.69, 0.86, 0.91, 0.98}, "slow": {1.8, 1.1, 1.05, 1}} {
		w := newWorld()
		for pid := range w.work {
			w.work[pid] /= 100
		}
		calls := 0 // two in each superstep: of the shadow, and of the truth
		w.comm = func(string, float64) float64 {
			if calls++; calls <= 2*len(first) {
				return 0.007 * first[(calls-1)/2]
			}
			return 0.007
		}
		said, unmoved, _ := w.compare(5, 200, spread8, 0.1)
		if math.Abs(said.Unmoved-unmoved) > 0.12*unmoved {
			t.Errorf("%s: the shadow took %.3f s, want %.3f", name, said.Unmoved, unmoved)
		}
	}
}
