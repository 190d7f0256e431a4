package search

import (
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/params"
	"github.com/migbsp/migbsp/rebalancer/platform"
)

// instanceOf is an instance of processes with given work by column, all on the first of
// some ranks of speed 1.
func instanceOf(work [][]float32, ranks int) *Instance {
	p := platform.Uniform(ranks, platform.Link{Latency: 1e-4, PerByte: 1e-8})
	rates, n := make([]float64, ranks), len(work)
	in := &Instance{
		Work: work, Horizon: 100, Trust: 1, Set: &params.Default.Search,
		Home: make([]int32, n), Pinned: make([]bool, n), State: make([]int64, n), Free: make([]int64, ranks), Usable: make([]bool, ranks),
	}
	for r := range rates {
		rates[r], in.Free[r], in.Usable[r] = 1, -1, true
	}
	in.Cost = &cost.Model{Platform: &p, Rates: rates, Shared: cost.NewSharing(&p, rates, func(int) bool { return false })}
	return in
}

func TestPhasesJoinWhatIsAlike(t *testing.T) {
	tests := []struct {
		name string
		work [][]float32
		want int
	}{
		{"same", [][]float32{{1, 1, 1, 1}, {1, 1, 1, 1}}, 1},
		{"shrinking", [][]float32{{4, 3, 2, 1}, {4, 3, 2, 1}}, 1},
		{"turns", [][]float32{{1, 0, 1, 0}, {0, 1, 0, 1}}, 2},
		{"noise", [][]float32{{1, 1.02, 0.99, 1}, {1, 0.98, 1.01, 1.03}}, 1},
		{"one stands out", [][]float32{{1, 9}, {1, 1}}, 2},
		{"idle", [][]float32{{1, 0, 0}, {1, 0, 0}}, 2},
	}
	for _, test := range tests {
		if got := newInstance(instanceOf(test.work, 1)).phases; got != test.want {
			t.Errorf("%s: %d phases, want %d", test.name, got, test.want)
		}
	}
}

// Two processes of 3 and three of 2 on two equal ranks: no single move or swap of a list
// schedule evens them out, but 3+3 against 2+2+2 does.
func TestChooseFindsTheBestPartition(t *testing.T) {
	in := instanceOf([][]float32{{3}, {3}, {2}, {2}, {2}}, 2)
	choice := Choose(in, 0.02, 1)
	load := [2]float32{12, 0}
	for _, move := range choice.Moves {
		load[0] -= in.Work[move.Pid][0]
		load[1] += in.Work[move.Pid][0]
	}
	if load != [2]float32{6, 6} {
		t.Errorf("%v: loads %v, want 6 each", choice.Moves, load)
	}
}

// Of three ranks that are equally busy, with two processes each, none gets a process off in one change that makes the
// superstep shorter; one after the other they do.
func TestRanksThatAreEquallyBusyAreRelievedInTurn(t *testing.T) {
	in := instanceOf([][]float32{{1}, {1}, {1}, {1}, {1}, {1}}, 6)
	copy(in.Home, []int32{0, 0, 1, 1, 2, 2})
	search := improver{plan: newPlan(newInstance(in), in.Home), budget: 1000}
	search.run()
	for rank, members := range search.plan.members {
		if len(members) != 1 {
			t.Errorf("rank %d has %d processes, want one", rank, len(members))
		}
	}
}

// Processes are on slow ranks. Nearby ranks are several times as fast; others, behind a slow link,
// are faster still. No single move saves anything, and moving all to the fastest ranks
// takes longer than it saves. The search must find the mapping onto the nearby Set.
func TestChooseWeighsSpeedAgainstTransfers(t *testing.T) {
	for _, test := range []struct {
		name      string
		near, far float64 // speeds; the slow ranks have 1
		seconds   float64 // for a state over the slow link; a tenth of it to the ranks nearby
		horizon   int
		talk      int64 // bytes from each process to the next one
	}{
		{"a little faster", 4, 6, 100, 12, 0},
		{"much faster", 2, 20, 100, 12, 0},
		{"with messages", 4, 6, 100, 12, 1000},
		{"few supersteps", 3, 8, 100, 4, 0},
		{"many supersteps", 4, 6, 1000, 100, 1000},
	} {
		const procs, state = 12, 1 << 20
		in := instanceOf(make([][]float32, procs), 3*procs)
		in.Work, in.Horizon = make([][]float32, procs), test.horizon
		near, far := test.seconds/10/state, test.seconds/state
		p := platform.Platform{
			Sets:  []platform.Set{{Name: "slow"}, {Name: "near", Manager: procs}, {Name: "far", Manager: 2 * procs}},
			Ranks: make([]platform.Rank, 3*procs), Links: [][]platform.Link{
				{{PerByte: near}, {PerByte: near}, {PerByte: far}}, {{PerByte: near}, {PerByte: near}, {PerByte: far}}, {{PerByte: far}, {PerByte: far}, {PerByte: far}},
			},
		}
		for r := range p.Ranks {
			p.Ranks[r].Set = r / procs
			in.Cost.Rates[r] = []float64{1, test.near, test.far}[r/procs]
		}
		partners := make([][]platform.Traffic, procs)
		nearby := make([]int32, procs)
		for pid := range procs {
			in.Work[pid], in.Home[pid], in.State[pid], nearby[pid] = []float32{60}, int32(pid), state, int32(procs+pid)
			if test.talk > 0 {
				partners[(pid+1)%procs] = []platform.Traffic{{Pid: pid, Bytes: test.talk}}
			}
		}
		in.Cost.Platform, in.Cost.Partners = &p, partners
		in.Cost.Shared = cost.NewSharing(&p, in.Cost.Rates, func(int) bool { return false })
		where := make([]int32, procs)
		copy(where, in.Home)
		for _, move := range Choose(in, 0.02, 1).Moves {
			where[move.Pid] = int32(move.To)
		}
		if total, least := NewPlan(in, where).Total(), NewPlan(in, nearby).Total(); total > least*1.001 {
			t.Errorf("%s: %v takes %.4g s, and nearby %.4g s", test.name, where, total, least)
		}
	}
}

// If a faster rank would finish a process sooner but for the cost of the move, the reason states
// that cost, so that users do not suspect a wrong speed.
func TestDearMovesAreSaidToBe(t *testing.T) {
	for state, want := range map[int64]string{1 << 40: RuleDear, 0: ""} {
		in := instanceOf([][]float32{{1}, {1}}, 2)
		in.State = []int64{state, state}
		in.Affordable = func(paid, saved float64, _ []int32) bool { return saved > paid }
		for _, v := range Choose(in, 0.02, 1).Verdicts {
			if want != "" && (v.Moves || v.Rule != want) || want == "" && v.Rule == RuleDear {
				t.Errorf("state of %d bytes: %+v", state, v)
			}
		}
	}
}
