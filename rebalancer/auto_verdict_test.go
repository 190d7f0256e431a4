package rebalancer

import (
	"math"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/search"
)

func TestAutoVerdicts(t *testing.T) {
	v := plainView(repeat(6, 1), []int32{0, 0, 0, 0, 0, 1}, []float64{1, 1})
	v.Snapshot.Processes[0].Pinned = true
	moves, verdicts := newAutoStrategy(nil).Choose(v)
	if len(moves) != 2 {
		t.Fatalf("moves %v, want 2", moves)
	}
	if !slices.IsSortedFunc(verdicts, func(a, b Verdict) int { return a.Pid - b.Pid }) {
		t.Error("verdicts are not by pid")
	}
	counts := map[string]int{}
	for _, x := range verdicts {
		counts[x.Rule]++
		moved := slices.ContainsFunc(moves, func(m Move) bool { return m.Pid == x.Pid })
		if x.Moves != moved {
			t.Errorf("verdict on %d says moves %v", x.Pid, x.Moves)
		}
		if moved && (math.Abs(x.T1-5) > 1e-9 || x.T2 < 3 || x.T2 > 3.001) {
			t.Errorf("process %d: times %.4f and %.4f, want 5 and 3 with a little for the move", x.Pid, x.T1, x.T2)
		}
	}
	want := map[string]int{search.RuleRelieves: 2, search.RulePinned: 1, search.RuleEnough: 2}
	for rule, n := range want {
		if counts[rule] != n {
			t.Errorf("%d verdicts %q, want %d", counts[rule], rule, n)
		}
	}
}

func TestAutoExplainsNoMoreThanAHundredThatStay(t *testing.T) {
	v := plainView(repeat(300, 1), make([]int32, 300), []float64{1})
	_, verdicts := newAutoStrategy(nil).Choose(v)
	if len(verdicts) != search.VerdictStays {
		t.Errorf("%d verdicts, want %d", len(verdicts), search.VerdictStays)
	}
	for _, x := range verdicts {
		if x.To != -1 || x.Moves || x.Rule != search.RuleNoRank {
			t.Fatalf("verdict %+v on a process that has nowhere to go", x)
		}
	}
}
