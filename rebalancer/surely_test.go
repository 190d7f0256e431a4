package rebalancer

import (
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// leaping is a run of eight processes on two ranks, all on the first, of work that differs from
// superstep to superstep by a part; columns were seen, and 1000 supersteps are to come.
func leaping(columns int, noise float32) View {
	work := make([][]float32, 8)
	for pid := range work {
		for c := range columns {
			off := noise
			if c%2 == 0 {
				off = -noise
			}
			work[pid] = append(work[pid], 1+off)
		}
	}
	v := plainView(work, []int32{0, 0, 0, 0, 0, 0, 0, 0}, []float64{1, 1})
	v.Snapshot.Step, v.Learned.Trust = columns, 1
	for rank := range v.Snapshot.Ranks {
		v.Snapshot.Ranks[rank].Remaining = 1000
	}
	for pid := range v.Snapshot.Processes {
		v.Snapshot.Processes[pid].State = 1e8 // a second
	}
	return v
}

// The lower bound of the saving falls with the variance of supersteps and rises with their number;
// without variance it is the whole saving. For a single superstep it is 0.
func TestSurely(t *testing.T) {
	to := []int32{0, 0, 0, 0, 1, 1, 1, 1}
	if got := func() float64 { v := leaping(8, 0); return surely(v, to) }(); !near(got, 4000) {
		t.Errorf("equal supersteps: %g s are sure, want 4000", got)
	}
	few, many := surely(leaping(4, 0.5), to), surely(leaping(32, 0.5), to)
	if !(few < many && many < 4000 && many > 0) {
		t.Errorf("supersteps that differ: %g s are sure after 4, %g s after 32", few, many)
	}
	if got := surely(leaping(1, 0), to); got != 0 {
		t.Errorf("one superstep: %g s are sure", got)
	}
	apart := leaping(4, 0)
	apart.Snapshot.Classes = []int{0, 1, 2, 3}
	if got := surely(apart, to); !near(got, 4000) {
		t.Errorf("supersteps of four classes: %g s are sure, want 4000", got)
	}
}

// Moves whose saving may be chance are not made: a process with much work in one superstep may
// have little in the next.
func TestMovesThatPayByChance(t *testing.T) {
	for long, want := range map[int]bool{1: false, 2: true, 4: true, 8: true} {
		v := leaping(8, 0)
		v.Where = []int32{0, 0, 0, 0, 1, 1, 1, 1}
		for pid := range v.Snapshot.Processes {
			p := &v.Snapshot.Processes[pid]
			p.Rank, p.State = int(v.Where[pid]), 1
			for c := range long {
				p.RecentWork[c] += 8 * float32(1-v.Where[pid])
			}
		}
		v.Bank = &Bank{start: slices.Clone(v.Where), allowance: 1}
		c := New(*v.Platform, v.Where, must.Get(Parse("auto"))(t))
		moves := v.between(v.Where, []int32{0, 0, 1, 1, 0, 0, 1, 1})
		v.coming = newCostModel(v).Series
		m := newForecastModel(v)
		f := m.forecast(moves)
		if got := c.refusal(v, new(Decision), moves, f, m.byChance(costMoved(v.Where, moves))) == ""; got != want {
			t.Errorf("moves save in %d supersteps of 8, %g s for %g s: %v, want %v", long, f.Before-f.After, f.Cost, got, want)
		}
	}
}

// A leap waits until it would have saved a part of its cost, and the next call is for when it
// will have.
func TestALeapWaitsUntilItIsRipe(t *testing.T) {
	to := []int32{0, 0, 0, 0, 1, 1, 1, 1}
	for _, c := range []struct {
		step, cost int
		want       bool
		ripe       int
	}{{4, 10, true, 0}, {4, 100, false, 5}, {8, 100, true, 0}} {
		v := leaping(4, 0)
		v.Snapshot.Step = c.step
		v.Bank = &Bank{expected: 3500, risk: 0.7, start: slices.Clone(v.Where)}
		if got := v.allows(float64(c.cost), 4000, to); got != c.want || v.Bank.ripe != c.ripe {
			t.Errorf("%d s after superstep %d: %v, to be asked again after superstep %d; want %v, %d", c.cost, c.step, got, v.Bank.ripe, c.want, c.ripe)
		}
	}
	// A saving that may be chance is tested again after twice as many supersteps.
	v := leaping(4, 0.9)
	v.Bank = &Bank{expected: 3500, risk: 0.7, start: slices.Clone(v.Where)}
	if v.allows(1000, 4000, to) || v.Bank.ripe != 8 {
		t.Errorf("a leap by chance is to be asked for again after superstep %d, want 8", v.Bank.ripe)
	}
}

// The expected saving of a leap must be a quarter above the cost of both directions, and its lower
// bound at least that cost.
func TestALeapIsSureToSaveBothWays(t *testing.T) {
	to := []int32{0, 0, 0, 0, 1, 1, 1, 1}
	for both, want := range map[float64]bool{0.8: true, 0.95: true, 1.05: false} {
		v := leaping(32, 0.5)
		v.Snapshot.Step = 500
		v.Bank = &Bank{start: slices.Clone(v.Where), risk: 0.7}
		sure := surely(v, to)
		cost := both*sure - v.homeward(to)
		v.Bank.expected = 4 * cost
		if got := v.allows(cost, 1.3*both*sure, to); got != want {
			t.Errorf("both ways cost %g of the %g s that are sure: %v, want %v", both, sure, got, want)
		}
	}
}

// If the bank's budget is too small for moves that would pay, the reason states their saving and cost.
func TestWhatIsTooDearIsSaid(t *testing.T) {
	const dear = "4 moves would save 4e+03 s and cost 1.2e+03 s, more than may be risked for that"
	for _, c := range []struct {
		step int
		risk float64
		want string
	}{{80, 0.7, ""}, {8, 0.7, dear + " before superstep 61"}, {80, 0, dear}} {
		v := leaping(8, 0)
		v.Snapshot.Step = c.step
		for pid := range v.Snapshot.Processes {
			v.Snapshot.Processes[pid].State = 3e10 // five minutes
		}
		v.Bank = &Bank{expected: 8000, risk: c.risk, start: slices.Clone(v.Where)}
		s := autoStrategy{least: 0.02, effort: 1}
		if s.Choose(v); s.dear != c.want {
			t.Errorf("risk %g after superstep %d: %q, want %q", c.risk, c.step, s.dear, c.want)
		}
	}
}

// Until a larger leap is ripe, a smaller one is made only if it saves about as much, the less the longer it would have to
// wait, or pays for itself before.
func TestASmallerLeapWaitsForALargerOne(t *testing.T) {
	to := []int32{0, 0, 0, 0, 1, 1, 1, 1}
	for _, c := range []struct {
		larger       float64 // cost
		ripe         int
		cost, saving float64
		want         bool
	}{
		{200, 10, 95, 3800, false},
		{200, 10, 95, 3850, true},
		{200, 10, 95, 2000, false},
		{200, 10, 5, 2000, false},
		{200, 10, 3, 2000, true},
		{1000, 50, 150, 2600, true},
		{1000, 50, 150, 2500, false},
	} {
		v := leaping(4, 0)
		v.Snapshot.Step = 8
		v.Bank = &Bank{expected: 3500, risk: 0.7, start: slices.Clone(v.Where)}
		if v.allows(c.larger, 4000, to) || v.Bank.ripe != c.ripe {
			t.Fatalf("the larger leap is ripe after superstep %d, want %d", v.Bank.ripe, c.ripe)
		}
		if got := v.allows(c.cost, c.saving, to); got != c.want {
			t.Errorf("%g s to save %g, %g a few supersteps later to save 4000: %v, want %v", c.cost, c.saving, c.larger, got, c.want)
		}
	}
}

// A return to the initial mapping relies on the measured time of supersteps there,
// exchanges included, and not on the lower bound.
func TestHomeIsAsItWasSeen(t *testing.T) {
	for _, c := range []struct {
		home float64 // with exchanges as they took there
		want bool
	}{{1, true}, {1.5, true}, {2.5, false}} {
		b := Bank{Steps: 10, Here: -0.5, Gain: -0.01, Saved: -1, home: c.home, here: 2}
		if got := b.retreats(1, 100); got != c.want {
			t.Errorf("from supersteps of 2 s to such of %g s: %v, want %v", c.home, got, c.want)
		}
	}
}

// A small loss does not justify an expensive return.
func TestTheWayHomeDeservesALook(t *testing.T) {
	for _, c := range []struct {
		here float64
		want bool
	}{{-0.05, false}, {-0.2, true}} {
		b := Bank{Steps: 10, Here: c.here, Gain: -0.01, Saved: -1, home: 1, here: 2}
		if got := b.retreats(1, 100); got != c.want {
			t.Errorf("after a loss of %g s on the spot: %v, want %v", -c.here, got, c.want)
		}
	}
}

// A mapping that saves much and that the bank cannot pay for because a leap is not earned back is looked for again when it
// will be.
func TestTheNextLeapWaitsUntilOneIsEarnedBack(t *testing.T) {
	for _, c := range []struct {
		name           string
		saved, here    float64
		leap           float64
		remaining      int
		ripe           int // 0: none is waited for
		nothing, broke bool
	}{
		{"ten seconds are earned in five supersteps, thirty are missing", -30, 10, 1, 1000, 80 + 15, false, true},
		{"the last moves lose", -30, -10, 1, 1000, 0, true, true},
		{"no leap was made", -30, 10, 0, 1000, 0, true, true},
		{"next to nothing is earned", -30, 1e-300, 1, 1000, 80 + 1e9, false, true},
		{"a part of what is missing may be spent", -1, 10, 1, 1000, 80 + 1, false, false},
	} {
		v := leaping(8, 0)
		v.Snapshot.Step = 80
		for pid := range v.Snapshot.Processes {
			v.Snapshot.Processes[pid].State = 3e10 // five minutes
		}
		v.Bank = &Bank{expected: 8000, risk: 0.7, start: slices.Clone(v.Where), Saved: c.saved, allowance: 2, Here: c.here, Steps: 5, Leap: c.leap}
		if v.Bank.broke() != c.broke {
			t.Fatalf("%s: broke is %t", c.name, !c.broke)
		}
		s := autoStrategy{least: 0.02, effort: 1}
		if moves, _ := s.Choose(v); len(moves) > 0 {
			t.Errorf("%s: %d moves", c.name, len(moves))
		}
		if v.Bank.ripe != c.ripe || v.Bank.Hope > 0 != (c.ripe > 0) || (s.dear == "") != c.nothing {
			t.Errorf("%s: the next is looked for after superstep %d in the hope of %g s, want %d; said is %q", c.name, v.Bank.ripe, v.Bank.Hope, c.ripe, s.dear)
		}
	}
}
