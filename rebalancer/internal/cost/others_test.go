package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

// talking is a model of processes that are dealt to ranks and of which one has told all others
// something, and the mapping.
func talking(procs, ranks int) (*Model, []int32) {
	p := platform.Uniform(ranks, platform.Link{PerByte: 1e-6})
	rates := make([]float64, ranks)
	where := make([]int32, procs)
	m := &Model{Platform: &p, Rates: rates, Partners: make([][]platform.Traffic, procs)}
	for r := range rates {
		rates[r] = 1
	}
	m.Shared = NewSharing(&p, rates, func(int) bool { return false })
	for pid := range where {
		where[pid] = int32(pid % ranks)
		if pid > 0 {
			m.Partners[pid] = []platform.Traffic{{Pid: 0, Bytes: 1000}}
		}
	}
	return m, where
}

// Where others talk each time, to change places gains nothing; to be all in one place does.
func TestOthersTalkNext(t *testing.T) {
	m, where := talking(12, 4)
	seen := m.Communication(where)
	m.Others = NewOthers(m, where)
	if got := m.Communication(where); got != seen {
		t.Errorf("%g s for what took %g s", got, seen)
	}
	swapped := append([]int32(nil), where...)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	if got := m.Communication(swapped); got < seen*(1-1e-12) {
		t.Errorf("two that change places make %g s of %g s", got, seen)
	}
	if got := m.Communication(make([]int32, len(where))); got != 0 {
		t.Errorf("all in one place: %g s", got)
	}
}

// While processes move, the time is that of the mapping as it is.
func TestGatheringFollowsMoves(t *testing.T) {
	m, where := talking(12, 4)
	o := NewOthers(m, where)
	g, random := o.Gathering(where), rand.New(rand.NewPCG(7, 8))
	for range 200 {
		pid, to := random.IntN(len(where)), random.IntN(4)
		g.Move(int(where[pid]), to)
		where[pid] = int32(to)
		if got, want := g.Time(), o.time(where); math.Abs(got-want) > 1e-12*want {
			t.Fatalf("%v: %g, want %g", where, got, want)
		}
	}
}

func TestNoOthersWithoutTraffic(t *testing.T) {
	m, where := talking(4, 2)
	m.Partners = nil
	if o := NewOthers(m, where); o != nil || o.time(where) != 0 {
		t.Errorf("%v where nobody talks", o)
	}
}
