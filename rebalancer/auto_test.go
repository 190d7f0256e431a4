package rebalancer

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// plainView is an instance of processes with given work by phase on ranks of
// given rates in one Set.
func plainView(work [][]float32, where []int32, rates []float64) View {
	p := Uniform(len(rates), Link{Latency: 1e-4, PerByte: 1e-8})
	s := &Snapshot{Step: 50, Ranks: make([]RankState, len(rates))}
	for r, rate := range rates {
		p.Ranks[r].Speed = rate
		s.Ranks[r] = RankState{Rank: r, Available: 1, Free: -1, Remaining: 100}
	}
	for pid, phases := range work {
		q := Process{Pid: pid, Rank: int(where[pid]), State: 1000, Request: -1, RecentWork: phases}
		for _, x := range phases {
			q.Work += float64(x) / float64(len(phases))
		}
		q.Time = q.Work / rates[where[pid]]
		s.Processes = append(s.Processes, q)
	}
	s.Classes = make([]int, len(work[0]))
	return View{Platform: &p, Snapshot: s, Where: where, Rates: rates, Learned: &Learned{Trust: 1}, Call: 1}
}

// repeat is n processes with the same work in all phases.
func repeat(n int, phases ...float32) [][]float32 {
	work := make([][]float32, n)
	for pid := range work {
		work[pid] = phases
	}
	return work
}

// cyclic deals n processes to ranks.
func cyclic(n, ranks int) []int32 {
	where := make([]int32, n)
	for pid := range where {
		where[pid] = int32(pid % ranks)
	}
	return where
}

func TestAutoLeavesEqualLoadsAlone(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 8, 40} {
		v := plainView(repeat(ranks*5, 1, 1, 1), cyclic(ranks*5, ranks), slices.Repeat([]float64{1}, ranks))
		if moves := chooseAuto(v, 0); len(moves) > 0 {
			t.Errorf("%d ranks: %d moves of equal processes", ranks, len(moves))
		}
	}
}

func TestAutoIgnoresNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	work := make([][]float32, 80)
	for pid := range work {
		for range 16 {
			work[pid] = append(work[pid], float32(1+0.02*rng.NormFloat64()))
		}
	}
	v := plainView(work, cyclic(80, 8), slices.Repeat([]float64{1}, 8))
	if moves := chooseAuto(v, 0.02); len(moves) > 0 {
		t.Errorf("%d moves for noise of 2 %%", len(moves))
	}
}

func TestAutoSpreadsTurns(t *testing.T) {
	const turns, ranks = 4, 4
	work := make([][]float32, 16)
	for pid := range work {
		work[pid] = make([]float32, turns)
		work[pid][pid%turns] = 1
	}
	v := plainView(work, cyclic(len(work), ranks), slices.Repeat([]float64{1}, ranks)) // a turn, a rank
	after := costMoved(v.Where, chooseAuto(v, 0.02))
	for turn := range turns {
		seen := map[int32]bool{}
		for pid := turn; pid < len(work); pid += turns {
			seen[after[pid]] = true
		}
		if len(seen) != ranks {
			t.Errorf("turn %d: its 4 processes share %d ranks", turn, len(seen))
		}
	}
}

func TestAutoSwapsOnUnequalRanks(t *testing.T) {
	work := [][]float32{{4}, {1}, {3}, {2}}
	v := plainView(work, []int32{0, 1, 2, 3}, []float64{1, 4, 2, 3})
	moves := chooseAuto(v, 0.02)
	if step := newCostModel(v).compute(costMoved(v.Where, moves), []float64{1}, nil); step > 1.000001 {
		t.Errorf("a superstep takes %.3f with moves %v, 1 is possible", step, moves)
	}
}

func TestAutoMovesNoMoreThanNeeded(t *testing.T) {
	where := []int32{0, 0, 0, 0, 0, 0, 1, 1} // two moves make it even
	v := plainView(repeat(8, 1), where, []float64{1, 1})
	if moves := chooseAuto(v, 0.02); len(moves) != 2 {
		t.Errorf("%d moves, 2 are enough", len(moves))
	}
}

func TestAutoStaysIfMovingCostsMore(t *testing.T) {
	v := plainView(repeat(4, 1), []int32{0, 0, 0, 1}, []float64{1, 1})
	for pid := range v.Snapshot.Processes {
		v.Snapshot.Processes[pid].State = 20_000_000_000 // 200 s, for a saving of 100
	}
	if moves := chooseAuto(v, 0); len(moves) > 0 {
		t.Errorf("moves %v cost more than they save", moves)
	}
	v.Snapshot.Processes[1].State = 1000
	if moves := chooseAuto(v, 0); len(moves) != 1 || moves[0].Pid != 1 {
		t.Errorf("moves %v, want that of the only light process", moves)
	}
}

func TestAutoStaysAtTheEnd(t *testing.T) {
	v := plainView(repeat(4, 1), []int32{0, 0, 0, 0}, []float64{1, 1})
	v.Snapshot.Ranks[1].Remaining = 0
	if moves := chooseAuto(v, 0); len(moves) > 0 {
		t.Errorf("moves %v with nothing left to do", moves)
	}
}

func TestAutoTrustsLessWhatFailed(t *testing.T) {
	v := plainView(repeat(4, 1), []int32{0, 0, 0, 1}, []float64{1, 1})
	for pid := range v.Snapshot.Processes {
		v.Snapshot.Processes[pid].State = 2_000_000_000 // 20 s, for a saving of 100
	}
	if len(chooseAuto(v, 0)) == 0 {
		t.Fatal("no move with full trust")
	}
	v.Learned.Trust = 1.0 / 16
	if moves := chooseAuto(v, 0); len(moves) > 0 {
		t.Errorf("moves %v with little trust", moves)
	}
}

func TestAutoKeepsWithinMemory(t *testing.T) {
	tests := []struct {
		name   string
		memory []int64
		free   []int64
		want   int // processes of 1000 bytes that rank 1 ends with
	}{
		{"capacity", []int64{0, 3500}, []int64{-1, -1}, 3},
		{"free", []int64{0, 0}, []int64{-1, 1000}, 2},
		{"both", []int64{0, 3500}, []int64{-1, 1000}, 2},
		{"none", []int64{0, 500}, []int64{-1, 0}, 1},
		{"unknown", []int64{0, 0}, []int64{-1, -1}, 5},
	}
	for _, test := range tests {
		v := plainView(repeat(10, 1), []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, []float64{1, 1})
		for r := range v.Snapshot.Ranks {
			v.Platform.Ranks[r].Memory, v.Snapshot.Ranks[r].Free = test.memory[r], test.free[r]
		}
		n := 0
		for _, r := range costMoved(v.Where, chooseAuto(v, 0)) {
			n += int(r)
		}
		if n != test.want {
			t.Errorf("%s: rank 1 ends with %d processes, want %d", test.name, n, test.want)
		}
	}
}

func TestAutoBringsPartnersTogether(t *testing.T) {
	const n = 8
	v := plainView(repeat(n, 1), cyclic(n, 4), slices.Repeat([]float64{1}, 4))
	fast, slow := Link{Latency: 1e-4, PerByte: 1e-9}, Link{Latency: 1e-2, PerByte: 1e-6}
	v.Platform.Sets = []Set{{Name: "a"}, {Name: "b", Manager: 2}}
	v.Platform.Links = [][]Link{{fast, slow}, {slow, fast}}
	v.Platform.Ranks[2].Set, v.Platform.Ranks[3].Set = 1, 1
	for pid := range n {
		v.Snapshot.Processes[pid].Partners = []Traffic{{Pid: (pid + 2) % n, Bytes: 1_000_000}}
	}
	after := costMoved(v.Where, chooseAuto(v, 0.02))
	for pid, r := range after {
		partner := after[(pid+2)%n]
		if v.Platform.Ranks[r].Set != v.Platform.Ranks[partner].Set {
			t.Errorf("process %d on rank %d is cut off from its partner on rank %d", pid, r, partner)
		}
	}
}

func TestAutoDoesNotDependOnTheOrderOfProcesses(t *testing.T) {
	for seed := range uint64(10) {
		c := autoCase{pids: 40, ranks: 6, phases: 3, unequal: true, talk: 1, sets: 2, state: 1_000_000}
		v := c.view(rand.New(rand.NewPCG(seed, 1)))
		want := chooseAuto(v, 0.02)
		shuffled := *v.Snapshot
		shuffled.Processes = slices.Clone(v.Snapshot.Processes)
		rand.New(rand.NewPCG(seed, 2)).Shuffle(len(shuffled.Processes), func(i, j int) {
			shuffled.Processes[i], shuffled.Processes[j] = shuffled.Processes[j], shuffled.Processes[i]
		})
		v.Snapshot = &shuffled
		if got := chooseAuto(v, 0.02); !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: %d moves after a permutation, %d before, or others", seed, len(got), len(want))
		}
	}
}

func TestAutoChangesNothingItIsGiven(t *testing.T) {
	c := autoCase{pids: 60, ranks: 30, phases: 4, unequal: true, talk: 1, sets: 2, state: 1_000_000}
	v, same := c.view(rand.New(rand.NewPCG(5, 5))), c.view(rand.New(rand.NewPCG(5, 5)))
	if len(chooseAuto(v, 0)) == 0 {
		t.Fatal("nothing moves")
	}
	if !reflect.DeepEqual(v, same) {
		t.Error("Choose changed its view")
	}
}
