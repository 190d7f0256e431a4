package rebalancer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// crowded distributes the ranks of a View in blocks over hosts with the given numbers of cores.
func crowded(v View, cores ...float64) View {
	p := *v.Platform
	p.Ranks = append([]Rank(nil), p.Ranks...)
	n := len(p.Ranks)
	for r := range p.Ranks {
		host := r * len(cores) / n
		p.Ranks[r].Host, p.Ranks[r].Cores = fmt.Sprint("host", host), cores[host]
	}
	v.Platform = &p
	s := *v.Snapshot
	available := available(&p, &s, shareOf)
	v.Rates = append([]float64(nil), v.Rates...)
	for r := range v.Rates {
		v.Rates[r] *= available[r]
	}
	learned := *v.Learned
	learned.Available = available
	v.Learned = &learned
	return v
}

// A host computes for the longer of two times: the total work of its ranks on its cores, and the work
// of its longest rank alone.
func TestCrowdedHostComputesTogether(t *testing.T) {
	work := [][]float32{{4}, {1}, {1}, {2}, {3}, {5}}
	v := plainView(work, []int32{0, 1, 2, 3, 4, 5}, []float64{1, 1, 1, 1, 1, 1})
	for _, c := range []struct {
		cores []float64
		where []int32
		want  float64
	}{
		{[]float64{6}, []int32{0, 1, 2, 3, 4, 5}, 5},       // cores enough
		{[]float64{2}, []int32{0, 1, 2, 3, 4, 5}, 8},       // (4+1+1+2+3+5)/2
		{[]float64{2}, []int32{0, 0, 0, 0, 0, 5}, 11},      // a rank uses one core
		{[]float64{1, 2}, []int32{0, 1, 2, 3, 4, 5}, 6},    // 4+1+1 and (2+3+5)/2
		{[]float64{0.5, 3}, []int32{0, 1, 2, 3, 4, 5}, 12}, // half a core
	} {
		v := crowded(v, c.cores...)
		m := newCostModel(v)
		if got := m.compute(c.where); !near(got, c.want) {
			t.Errorf("%v cores, ranks %v: %g s, want %g", c.cores, c.where, got, c.want)
		}
		if bound := boundOf(v); bound.Least > m.compute(c.where)+1e-9 {
			t.Errorf("%v cores, ranks %v: the bound %g s is beaten by %g", c.cores, c.where, bound.Least, c.want)
		}
	}
}

// The ranks of a crowded host share the cores that other programs leave. The share that each rank got
// only shows how many of them had work.
func TestCrowdedRanksShareWhatIsLeft(t *testing.T) {
	p := Uniform(6, Link{})
	for r := range p.Ranks {
		p.Ranks[r].Host, p.Ranks[r].Cores = "a", 2
	}
	p.Ranks[5] = Rank{Host: "b", Speed: 1, Cores: 2}
	state := func(shares ...float64) *Snapshot {
		s := new(Snapshot)
		for r, share := range shares {
			s.Ranks = append(s.Ranks, RankState{Rank: r, Available: share})
		}
		return s
	}
	for _, c := range []struct {
		s    *Snapshot
		want float64
	}{
		{state(0.4, 0.4, 0.4, 0.4, 0.4, 0.7), 0.4},
		{state(1, 1, 0.4, 0.4, 0.4, 0.7), 0.4},
		{state(0.2, 0.2, 0.2, 0.2, 0.2, 0.7), 0.2},
	} {
		got := available(&p, c.s, shareOf)
		for r := range 5 {
			if !near(got[r], c.want) {
				t.Errorf("%v: rank %d has %g, want %g", c.s.Ranks, r, got[r], c.want)
			}
		}
		if got[5] != 0.7 {
			t.Errorf("the rank with a core of its own has %g, want 0.7", got[5])
		}
	}
	drained := state(0.4, 0.4, 0.4, 0.4, 0.4, 1)
	drained.Ranks[0].Drained = true
	if got := available(&p, drained, shareOf); !near(got[1], 0.5) {
		t.Errorf("with a rank that is left by all, each other one has %g, want 0.5", got[1])
	}
}

// No strategy moves a process within a host whose cores are all busy, with or without the guard,
// regardless of the ranks' loads.
func TestNothingMovesWithinACrowdedHost(t *testing.T) {
	for _, spec := range allSpecs() {
		for seed := range uint64(4) {
			random := rand.New(rand.NewPCG(seed, 5))
			s := oneSet(t, 16)
			for rank := range s.ranks {
				for range 4 {
					s.tell(t, fmt.Sprintf("process %d state=%d", rank, random.IntN(1000)))
				}
			}
			for rank := range s.platform.Ranks {
				s.platform.Ranks[rank].Host, s.platform.Ranks[rank].Cores = "a", 2
			}
			s.tell(t, "run "+spec)
			for call := range 6 {
				var work strings.Builder
				for range s.detail {
					fmt.Fprintf(&work, " %g", 0.5+random.Float64())
				}
				s.tell(t, "observe 5"+work.String())
				d, err := s.decide()
				if err != nil || len(d.Moves) > 0 {
					t.Fatalf("%s, seed %d, call %d: moves %+v, %v", spec, seed, call, d.Moves, err)
				}
			}
		}
	}
}

// A rank with more work than one core can do in the time of its host is relieved within the host as
// well.
func TestOneRankIsRelievedWithinACrowdedHost(t *testing.T) {
	v := crowded(plainView(repeat(12, 1), make([]int32, 12), []float64{1, 1, 1}), 2)
	before := newCostModel(v).compute(v.Where)
	after := newCostModel(v).compute(costMoved(v.Where, chooseAuto(v, 0)))
	if before != 12 || !near(after, 6) {
		t.Errorf("%g s, and %g after the moves; want 12 and 6", before, after)
	}
}

// Hosts get work in proportion to their cores, regardless of their number of ranks.
func TestHostsGetWorkByTheirCores(t *testing.T) {
	uneven := cyclic(60, 20)
	for pid := range 30 { // the even ranks of the first host are empty
		uneven[pid] = int32(1 + 2*(pid%5))
	}
	for i, spec := range []string{"auto", "percent", "pub-global", "automig", "auto", "percent", "pub-global", "automig"} {
		where := [][]int32{cyclic(60, 20), uneven}[i/4]
		v := crowded(plainView(repeat(60, 1), slices.Clone(where), slices.Repeat([]float64{1}, 20)), 1, 4)
		strategy := must.Get(Parse(spec))(t)
		for call := range 60 {
			for i := range v.Snapshot.Processes {
				v.Snapshot.Processes[i].Rank = int(v.Where[i])
				v.Snapshot.Processes[i].Best = Potential{Set: 0, Comp: v.Snapshot.Processes[i].Time}
			}
			moves, _ := strategy.definition.New(strategy.values).Choose(v)
			for _, m := range moves {
				from, to := v.Platform.Ranks[m.From], v.Platform.Ranks[m.To]
				if from.Host == to.Host {
					t.Errorf("%s, call %d: moves process %d within %s", spec, call, m.Pid, from.Host)
				}
			}
			v.Where = costMoved(v.Where, moves)
		}
		if got := newCostModel(v).compute(v.Where); got > 13.01 {
			t.Errorf("%s: %g s, want 12, or 13 at most", spec, got)
		}
	}
}
