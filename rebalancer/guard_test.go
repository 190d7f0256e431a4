package rebalancer

import "testing"

// guardRun is a run of two calls: a move from rank 0 to rank 1, whose speed is assumed to be equal,
// and a call at which rank 1 is known to be slower by a factor. Work may grow.
type guardRun struct {
	slower, growth float64
}

func (g guardRun) play() (v View, p *Pending) {
	const alpha = 8
	before := plainView(repeat(6, 1, 1, 1, 1, 1, 1, 1, 1), []int32{0, 0, 0, 0, 1, 1}, []float64{1, 1})
	for r := range before.Snapshot.Ranks {
		before.Snapshot.Ranks[r].Elapsed, before.Snapshot.Ranks[r].Steps = 4*alpha, alpha
	}
	moves := []Move{{Pid: 3, From: 0, To: 1, Bytes: 1000}}
	p = &Pending{Call: 1, Step: before.Snapshot.Step, Moves: moves, Forecast: forecastOf(before, moves)}
	after := costMoved(before.Where, moves)
	work := make([][]float32, 6)
	for pid := range work {
		for c := range 2 * alpha {
			x := 1.0
			if c >= alpha {
				x = g.growth
			}
			work[pid] = append(work[pid], float32(x))
		}
	}
	v = plainView(work, after, []float64{1, 1 / g.slower})
	v.Snapshot.Step += alpha
	step := 3 * g.slower * g.growth
	for pid := range v.Snapshot.Processes {
		now := float64(work[pid][2*alpha-1])
		v.Snapshot.Processes[pid].Work, v.Snapshot.Processes[pid].Time = now, now
	}
	for r := range v.Snapshot.Ranks {
		v.Snapshot.Ranks[r].Elapsed, v.Snapshot.Ranks[r].Steps, v.Snapshot.Ranks[r].Moved = step*alpha, alpha, 0.1*float64(r+1)
	}
	return v, p
}

// A move that pays stays and a move that does not is reverted, also if work grows.
func TestGuardJudgesMoves(t *testing.T) {
	for _, c := range []struct{ slower, growth, realised, trust float64 }{
		{1, 1, 8, 0.75}, {1, 2, 16, 0.75}, {1, 0.5, 4, 0.75}, {4, 1, -32, 0.25}, {4, 2, -64, 0.25},
	} {
		v, p := guardRun{slower: c.slower, growth: c.growth}.play()
		o := outcomeOf(v, p)
		if o == nil || o.Call != 1 || o.Steps != 8 || !near(o.Predicted, 8) || !near(o.Realised, c.realised) || !near(o.Cost, 0.2) {
			t.Fatalf("%+v: outcome %+v, want 8 s predicted", c, o)
		}
		moves := undo(v, p, o)
		if back := (Move{Pid: 3, From: 1, To: 0, Bytes: 1000}); c.realised > 0 && moves != nil ||
			c.realised < 0 && (len(moves) != 1 || Move{Pid: moves[0].Pid, From: moves[0].From, To: moves[0].To, Bytes: moves[0].Bytes} != back) {
			t.Errorf("%+v: taken back %v", c, moves)
		}
		v.Learned.Trust = 0.5
		if trust := trustAfter(v, o); trust != c.trust {
			t.Errorf("%+v: trust %g", c, trust)
		}
	}
}

func TestGuardUndoesOnlyWhatCan(t *testing.T) {
	tests := []struct {
		name   string
		change func(v *View, p *Pending, o *Outcome)
	}{
		{"no rate, as of one that is drained", func(v *View, _ *Pending, _ *Outcome) { v.Rates = []float64{0, 1} }},
		{"gone", func(v *View, _ *Pending, _ *Outcome) { v.Where[3] = 0 }},
		{"hardly lost", func(_ *View, _ *Pending, o *Outcome) { o.Realised = -0.9 }},
		{"too dear", func(v *View, _ *Pending, _ *Outcome) { v.Snapshot.Processes[3].State = 1e12 }},
		{"nothing left", func(v *View, _ *Pending, _ *Outcome) { v.Snapshot.Ranks[1].Remaining = 0 }},
	}
	for _, test := range tests {
		v, p := guardRun{slower: 4, growth: 1}.play()
		o := outcomeOf(v, p)
		test.change(&v, p, o)
		if moves := undo(v, p, o); len(moves) > 0 {
			t.Errorf("%s: %v taken back", test.name, moves)
		}
	}
	v, p := guardRun{slower: 4, growth: 1}.play()
	if undo(v, nil, &Outcome{}) != nil || undo(v, p, nil) != nil {
		t.Error("something taken back without a call or an outcome")
	}
}

func TestTrust(t *testing.T) {
	tests := []struct {
		name    string
		trust   float64
		outcome *Outcome
		want    float64
	}{
		{"unknown", 0.5, nil, 0.5},
		{"came true", 0.5, &Outcome{Predicted: 4, Realised: 4}, 0.75},
		{"came true in part", 1, &Outcome{Predicted: 4, Realised: 1}, 1},
		{"recovers no further", 0.9, &Outcome{Predicted: 4, Realised: 4}, 1},
		{"failed", 1, &Outcome{Predicted: 4, Realised: 0.9}, 0.5},
		{"lost", 0.5, &Outcome{Predicted: 4, Realised: -9}, 0.25},
		{"fails no further", 1.0 / 16, &Outcome{Predicted: 4}, 1.0 / 16},
		{"nothing was promised", 0.5, &Outcome{Predicted: -1, Realised: -1}, 0.5},
	}
	for _, test := range tests {
		v := plainView(repeat(2, 1), []int32{0, 1}, []float64{1, 1})
		v.Learned.Trust = test.trust
		if trust := trustAfter(v, test.outcome); trust != test.want {
			t.Errorf("%s: %g, want %g", test.name, trust, test.want)
		}
	}
}
