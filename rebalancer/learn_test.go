package rebalancer

import "testing"

func TestTrust(t *testing.T) {
	tests := []struct {
		name    string
		trust   float64
		outcome *Outcome
		want    float64
	}{
		{"unknown", 0.5, nil, 0.5},
		{"none remembered", 0, nil, 1},
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
		if _, trust := learn(v, nil, test.outcome); trust != test.want {
			t.Errorf("%s: %g, want %g", test.name, trust, test.want)
		}
	}
}

func TestLearnStartsFromWhatIsRemembered(t *testing.T) {
	v := plainView(repeat(2, 1), []int32{0, 1}, []float64{3, 1})
	v.Learned.Speeds = []float64{0, 2}
	speeds, _ := learn(v, nil, nil)
	if speeds[0] != 3 || speeds[1] != 2 {
		t.Errorf("%v, want [3 2]", speeds)
	}
	speeds[1] = 9
	if v.Learned.Speeds[1] != 2 {
		t.Error("learn gave its memory away")
	}
}

func TestLearnKeepsSpeedsInRange(t *testing.T) {
	for _, test := range []struct{ slower, want float64 }{{1e9, 0.01}, {1e-9, 100}} {
		v, p := guardRun{slower: test.slower, growth: 1}.play()
		if speeds, _ := learn(v, p, nil); !near(speeds[1], test.want) {
			t.Errorf("slower by %g: speed %g, want %g", test.slower, speeds[1], test.want)
		}
	}
}

func TestLearnIsRobust(t *testing.T) {
	const pids, alpha = 12, 8
	where := make([]int32, pids)
	work := make([][]float32, pids)
	p := &Pending{Call: 1, Step: 50}
	for pid := range work {
		took := 2.0 // on rank 1, for a second on rank 0
		switch {
		case pid == 0:
			took = 50 // an outlier
		case pid >= 5:
			took = 1
		}
		if pid < 5 {
			where[pid] = 1
			p.Moves = append(p.Moves, Move{Pid: pid, From: 0, To: 1})
			p.Work = append(p.Work, 1)
		}
		for c := range 2 * alpha {
			x := 1.0
			if c >= alpha {
				x = took
			}
			work[pid] = append(work[pid], float32(x))
		}
	}
	v := plainView(work, where, []float64{1, 1})
	v.Snapshot.Step = p.Step + alpha
	for pid := range work {
		v.Snapshot.Processes[pid].Work = float64(work[pid][alpha])
		v.Snapshot.Processes[pid].Time = float64(work[pid][alpha])
	}
	speeds, _ := learn(v, p, nil)
	if want := 0.7071067811865476; !near(speeds[1], want) {
		t.Errorf("speed %g, want %g", speeds[1], want)
	}
}

func TestLearnSaysNothingOfTurns(t *testing.T) {
	v, p := guardRun{slower: 1, growth: 1}.play()
	for c := range v.Snapshot.Processes[3].RecentWork {
		v.Snapshot.Processes[3].RecentWork[c] = float32(c % 2 * 2)
	}
	if speeds, _ := learn(v, p, nil); speeds[1] != 1 {
		t.Errorf("speed %g learned from a process that takes turns", speeds[1])
	}
}

func TestTrendIsFollowedBack(t *testing.T) {
	work := make([][]float32, 3)
	for pid := range work {
		for c := range 8 {
			work[pid] = append(work[pid], float32(18+c)) // 10 to 17 in the eight before
		}
	}
	v := plainView(work, []int32{0, 1, 1}, []float64{1, 1})
	m := newCostModel(v)
	p := &Pending{Step: v.Snapshot.Step - 8, Moves: []Move{{Pid: 1, From: 0, To: 1}}}
	if got, sure := m.trendSince(p, m.firstSince(p.Step)); sure || !near(got, 21.5/13.5) {
		t.Errorf("%g, sure %v, want %g and not sure", got, sure, 21.5/13.5)
	}
}

// A process that waited for its turn before it moved, or waits now, says nothing about the
// ranks.
func TestLearnSaysNothingOfWaiting(t *testing.T) {
	for _, turn := range []struct{ before, since float32 }{{0.01, 1}, {1, 0.01}} {
		v, p := guardRun{slower: 1, growth: 1}.play()
		moved := v.Snapshot.Processes[2]
		v.Where[2] = 1
		for c := range moved.RecentWork {
			moved.RecentWork[c] = turn.since
		}
		v.Snapshot.Processes[2].Work, v.Snapshot.Processes[2].Time = float64(turn.since), float64(turn.since)
		p.Moves = append(p.Moves, Move{Pid: 2, From: 0, To: 1})
		p.Work = append(p.Work, float64(turn.before))
		if speeds, _ := learn(v, p, nil); !near(speeds[1], 1) {
			t.Errorf("work %g and then %g: speed %g, want 1", turn.before, turn.since, speeds[1])
		}
		m := newCostModel(v)
		if factors := m.corrected(p, m.firstSince(p.Step)); len(factors) != 1 || !near(factors[3], 1) {
			t.Errorf("work %g and then %g: corrected by %v, want process 3 by 1", turn.before, turn.since, factors)
		}
	}
}
