package decided

import (
	"reflect"
	"testing"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// A call follows the outcome of an earlier call and precedes its moves; verdicts of moving processes
// come first.
func TestEntries(t *testing.T) {
	d := &rebalancer.Decision{
		Call: 3, Balanced: true,
		Before: rebalancer.Pace{Alpha: 4, D: 0.5}, After: rebalancer.Pace{Alpha: 8},
		Outcome:  &rebalancer.Outcome{Call: 2, Steps: 7},
		Moves:    []rebalancer.Move{{Pid: 5, From: 0, To: 1, Bytes: 10, Reason: "so"}, {Pid: 6, From: 0, To: 1, Bytes: 20}},
		Forecast: rebalancer.Forecast{Horizon: 9, Before: 5, After: 3, Cost: 1},
		Verdicts: []rebalancer.Verdict{
			{Pid: 1, To: -1, Potential: rebalancer.Potential{Comp: 1}}, {Pid: 2, To: -1, Potential: rebalancer.Potential{Comp: 9}},
			{Pid: 5, To: 1, Moves: true}, {Pid: 6, To: 1, Moves: true},
		},
	}
	all := Entries(d, Costs{Step: 12, At: 1, Took: 2, Move: 3, Messages: 4, Talk: 5})
	if len(all) != 4 {
		t.Fatalf("%d entries", len(all))
	}
	if o, ok := all[0].(*ledger.Outcome); !ok || o.Call != 2 || o.Steps != 7 {
		t.Errorf("%+v", all[0])
	}
	c := *all[1].(*ledger.Call)
	var pids []int
	for _, v := range c.Verdicts {
		pids = append(pids, v.Pid)
	}
	c.Verdicts = nil
	want := ledger.Call{
		Number: 3, Step: 12, At: 1, AlphaBefore: 4, AlphaAfter: 8, D: 0.5, Balanced: true, Moved: 2, Bytes: 30, Took: 2, Move: 3,
		Messages: 4, Talk: 5, Horizon: 9, Forecast: 2, Cost: 1, Considered: 4,
	}
	if !reflect.DeepEqual(c, want) || !reflect.DeepEqual(pids, []int{5, 6, 2, 1}) {
		t.Errorf("%+v, verdicts on %v", c, pids)
	}
	if m := all[2].(*ledger.Move); *m != (ledger.Move{Call: 3, Step: 12, Pid: 5, From: 0, To: 1, Bytes: 10, Reason: "so"}) {
		t.Errorf("%+v", m)
	}
}

// A call without moves keeps few of many verdicts.
func TestFewVerdictsOfIdleCalls(t *testing.T) {
	d := &rebalancer.Decision{Call: 1, Verdicts: make([]rebalancer.Verdict, 5000)}
	for moves, most := range map[int]int{0: mostIdle, 1: mostVerdicts} {
		d.Moves = make([]rebalancer.Move, moves)
		if c := Entries(d, Costs{})[0].(*ledger.Call); len(c.Verdicts) != most || c.Considered != 5000 {
			t.Errorf("%d moves: %d of %d verdicts", moves, len(c.Verdicts), c.Considered)
		}
	}
}

func TestPlatform(t *testing.T) {
	p := rebalancer.Platform{
		Ranks: []rebalancer.Rank{{Host: "a", Set: 0, Speed: 1}, {Host: "b", Set: 1, Speed: 0.5}},
		Sets:  []rebalancer.Set{{Name: "A", Manager: 0}, {Name: "B", Manager: 1}},
		Links: [][]rebalancer.Link{{{Latency: 1, PerByte: 2}, {Latency: 3, PerByte: 4}}, {{Latency: 5, PerByte: 6}, {Latency: 7, PerByte: 8}}},
	}
	run := ledger.Run{Ranks: []ledger.Rank{{Host: "of an earlier run"}}}
	Platform(&run, &p)
	want := ledger.Run{
		Ranks: []ledger.Rank{{Host: "a", Set: 0, Speed: 1}, {Host: "b", Set: 1, Speed: 0.5}},
		Sets:  []ledger.Set{{Name: "A", Manager: 0}, {Name: "B", Manager: 1}},
		Links: [][]ledger.Link{{{Latency: 1, PerByte: 2}, {Latency: 3, PerByte: 4}}, {{Latency: 5, PerByte: 6}, {Latency: 7, PerByte: 8}}},
	}
	if !reflect.DeepEqual(run, want) {
		t.Errorf("%+v", run)
	}
}
