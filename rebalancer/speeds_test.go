package rebalancer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// speedRun is a call with moves, and the processes' times before and after them. The ranks' true
// speeds are the declared ones times a factor.
type speedRun struct {
	factors []float64 // true over declared speed, by rank; 1 is declared
	where   []int32   // before the moves
	moves   []Move
	work    func(step, pid int) float64
	after   int // supersteps since
}

const beforeMoves = 8 // supersteps of a speedRun

// play returns the view of a call after the moves.
func (r speedRun) play() (v View, l *LastMoves) {
	rates := slices.Repeat([]float64{1}, len(r.factors))
	seen := func(from, steps int, where []int32) [][]float32 {
		rows := make([][]float32, len(where))
		for pid := range rows {
			for step := from; step < from+steps; step++ {
				rows[pid] = append(rows[pid], float32(r.work(step, pid)/r.factors[where[pid]]))
			}
		}
		return rows
	}
	before := seen(0, beforeMoves, r.where)
	first := plainView(before, r.where, rates)
	for pid := range first.Snapshot.Processes {
		first.Snapshot.Processes[pid].SinceMove = beforeMoves
	}
	l = lastMoves(first, r.moves)
	where := costMoved(r.where, r.moves)
	rows := seen(beforeMoves, r.after, where)
	for pid := range rows {
		rows[pid] = append(before[pid], rows[pid]...)
	}
	v = plainView(rows, where, rates)
	v.Snapshot.Step = first.Snapshot.Step + r.after
	for pid := range v.Snapshot.Processes {
		p := &v.Snapshot.Processes[pid]
		p.SinceMove = beforeMoves + r.after
		if where[pid] != r.where[pid] {
			p.SinceMove = r.after
		}
	}
	return v, l
}

// learned returns the result of learnSpeeds for all the evidence; nil without evidence.
func learned(v View, l *LastMoves) (speeds []float64, told *ToldSpeeds, wrong bool) {
	heard := l.evidence(v)
	if heard == nil {
		return nil, nil, false
	}
	if speeds, told, _ = learnSpeeds(v, l, heard); told == nil {
		return nil, nil, true
	}
	return speeds, told, false
}

func steadyWork(int, int) float64 { return 1 }

// twelve has six processes on each of two ranks. Some leave the first rank.
func twelve(factor float64, leave int, work func(step, pid int) float64) speedRun {
	r := speedRun{factors: []float64{1, factor}, where: make([]int32, 12), work: work, after: 8}
	for pid := 6; pid < 12; pid++ {
		r.where[pid] = 1
	}
	for pid := range leave {
		r.moves = append(r.moves, Move{Pid: pid, From: 0, To: 1})
	}
	return r
}

func TestSpeedsAreLearnedFromMoves(t *testing.T) {
	for _, factor := range []float64{0.2, 0.25, 0.5, 0.8, 1, 1.5, 4} {
		for _, growth := range []float64{0.5, 1, 3} {
			v, l := twelve(factor, 3, func(step, _ int) float64 {
				if step >= beforeMoves {
					return growth
				}
				return 1
			}).play()
			speeds, told, _ := learned(v, l)
			if got := speeds[1] / speeds[0]; math.Abs(math.Log(got/factor)) > 0.03 {
				t.Errorf("work grows %g times: rank 1 is %g times as fast as rank 0, want %g", growth, got, factor)
			}
			if math.Abs(math.Log(speeds[0]*speeds[1]/factor)) > math.Abs(math.Log(factor))+1e-9 {
				t.Errorf("speeds %v: neither is as declared", speeds)
			}
			if told.Doubts[0] >= speedPrior || told.Doubts[1] >= speedPrior {
				t.Errorf("doubts %v: no less than %g before", told.Doubts, speedPrior)
			}
		}
	}
}

// Ranks that exchanged no processes are compared through other ranks.
func TestSpeedsOfAllRanksAreBroughtInLine(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		r := speedRun{work: steadyWork, after: 6}
		for rank := range int32(8) {
			r.factors = append(r.factors, math.Exp(0.5*random.NormFloat64()))
			for range 4 {
				r.where = append(r.where, rank)
			}
			r.moves = append(r.moves, Move{Pid: int(4 * rank), From: int(rank), To: int(rank+1) % 8})
		}
		speeds, _, _ := learned(r.play())
		for rank, speed := range speeds {
			if got, want := math.Log(speed/speeds[0]), math.Log(r.factors[rank]/r.factors[0]); math.Abs(got-want) > 0.05+0.1*math.Abs(want) {
				t.Errorf("seed %d: rank %d is exp(%.2f) times as fast as rank 0, want exp(%.2f)", seed, rank, got, want)
			}
		}
	}
}

// Many moves tell speeds that are wrong by a factor of two, though work differs by a third from superstep to superstep and
// hardly a process stays.
func TestSpeedsAreLearnedUnderNoise(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		r := speedRun{after: 4, work: func(int, int) float64 { return max(0.05, 1+0.3*random.NormFloat64()) }}
		for rank := range 9 {
			r.factors = append(r.factors, math.Exp(0.7*random.NormFloat64()))
			for range 4 {
				if to := random.IntN(9); to != rank {
					r.moves = append(r.moves, Move{Pid: len(r.where), From: rank, To: to})
				}
				r.where = append(r.where, int32(rank))
			}
		}
		speeds, _, wrong := learned(r.play())
		var before, after moments // only ratios of ranks' speeds matter
		for rank, factor := range r.factors {
			before.add(math.Log(factor))
			if speeds != nil {
				after.add(math.Log(speeds[rank] / factor))
			}
		}
		if wrong || speeds == nil || after.variance() > before.variance()/4 {
			t.Errorf("seed %d: speeds %.2f for factors %.2f, wrong %v", seed, speeds, r.factors, wrong)
		}
	}
}

// The evidence of a single call may be chance. Consistent evidence of several calls is not, and is
// used.
func TestWhatMovesTellAddsUp(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 4))
	run := twelve(0.6, 2, func(int, int) float64 { return max(0.05, 1+0.5*random.NormFloat64()) })
	believed := []float64{1, 1}
	var before *ToldSpeeds
	for call := range 12 {
		v, l := run.play()
		if before != nil {
			l.Before = *before
		}
		v.Learned.Speeds = believed
		speeds, told, wrong := learned(v, l)
		if wrong {
			t.Fatalf("call %d: nothing is told", call)
		}
		if call == 0 && math.Abs(math.Log(speeds[1]/speeds[0])) > 0.1 {
			t.Errorf("speeds %.2f after moves of two processes whose work differs by half from superstep to superstep", speeds)
		}
		believed, before = speeds, told
	}
	if got := before.Speeds[1] / before.Speeds[0]; math.Abs(got-0.6) > 0.1 {
		t.Errorf("%.2f times as fast is told after twelve calls, want 0.6", got)
	}
	if got := believed[1] / believed[0]; !(got > 0.55 && got < 0.85) {
		t.Errorf("%.2f times as fast is believed after twelve calls, want most of the way from 1 to 0.6", got)
	}
}

// Work that changes only as processes move is no evidence of speeds, and revokes earlier estimates.
func TestWorkThatFollowsMovesTakesSpeedsBack(t *testing.T) {
	run := twelve(1, 3, func(step, pid int) float64 {
		if step >= beforeMoves && (pid < 2 || pid > 8) {
			return 16
		}
		return 1
	})
	v, l := run.play()
	c := New(*v.Platform, run.where, Spec{})
	l.Before = ToldSpeeds{Speeds: []float64{3, 0.3}, Doubts: []float64{speedFloor, speedFloor}}
	c.last.Learned.Speeds, c.last.Learned.LastMoves = l.Before.Speeds, l
	d := &Decision{Learned: c.last.Learned}
	v.Learned = &d.Learned
	if c.learn(&v, v.Snapshot, d, func() bool { return false }) || d.Learned.LastMoves != nil || d.Learned.Told != nil || !d.Learned.LearnsNoMore {
		t.Errorf("learned %+v", d.Learned)
	}
	if !slices.Equal(d.Learned.Speeds, []float64{1, 1}) {
		t.Errorf("speeds %v, want those declared", d.Learned.Speeds)
	}
}

// Random changes of work do not affect the speeds of ranks that are as declared.
func TestNoiseIsNoSpeed(t *testing.T) {
	for _, deviation := range []float64{0.05, 0.3, 0.6} {
		far := 0
		for seed := range uint64(100) {
			random := rand.New(rand.NewPCG(seed, 2))
			v, l := twelve(1, 3, func(int, int) float64 { return max(0.05, 1+deviation*random.NormFloat64()) }).play()
			speeds, _, _ := learned(v, l)
			if speeds != nil && math.Abs(math.Log(speeds[1]/speeds[0])) > 0.1 {
				far++
			}
		}
		if far > 3 {
			t.Errorf("deviation %g: speeds are learned in %d of 100 runs", deviation, far)
		}
	}
}

func TestSpeedsAreNotLearnedFrom(t *testing.T) {
	tests := []struct {
		name string
		work func(step, pid int) float64
	}{
		{"work that takes turns", func(step, pid int) float64 {
			if step/4%4 == pid%4 {
				return 1
			}
			return 0.001
		}},
		{"work that begins where it goes", func(step, pid int) float64 {
			if step >= beforeMoves && pid < 3 {
				return 100
			}
			return 1
		}},
		{"one process that grows", func(step, pid int) float64 {
			if step >= beforeMoves && pid == 7 || step > beforeMoves && pid == 1 {
				return 3
			}
			return 1
		}},
	}
	for _, test := range tests {
		v, l := twelve(1, 3, test.work).play()
		if speeds, _, _ := learned(v, l); speeds != nil && math.Abs(math.Log(speeds[1]/speeds[0])) > 0.05 {
			t.Errorf("%s: speeds %v", test.name, speeds)
		}
	}
	v, l := twelve(0.5, 3, steadyWork).play()
	v.Snapshot.Step = l.Step
	if speeds, _, _ := learned(v, l); speeds != nil {
		t.Errorf("speeds %v before a superstep has followed", speeds)
	}
}

// Work measured on an earlier rank is scaled by the learned speed of that rank.
func TestWorkFollowsLearnedSpeeds(t *testing.T) {
	v, l := twelve(0.5, 3, steadyWork).play()
	speeds, _, _ := learned(v, l)
	c := New(*v.Platform, v.Where, Spec{})
	for _, move := range l.Moves {
		c.cameFrom[move.Pid] = int32(move.From)
	}
	c.last.Learned.Speeds = l.Before.Speeds
	audits := []Audit{{Rank: 1, Wall: []float32{2}, Parts: []HomeWork{{Work: []float32{1}}}}}
	snapshot := *v.Snapshot
	snapshot.Audits = audits
	c.relearnAll(&snapshot, speeds)
	for _, p := range snapshot.Processes {
		for c, work := range p.RecentWork {
			if want := speeds[0]; math.Abs(float64(work)/want-1) > 0.03 {
				t.Fatalf("process %d, superstep %d: work %g, want %g as on rank 0", p.Pid, c, work, want)
			}
		}
	}
	if got := snapshot.Audits[0].Parts[0].Work[0]; got != float32(speeds[1]) || audits[0].Parts[0].Work[0] != 1 {
		t.Errorf("audited work %g, want %g, and what was reported unchanged: %g", got, speeds[1], audits[0].Parts[0].Work[0])
	}
}

// The bank uses the lower of the declared and the learned speed only to the extent of the uncertainty.
func TestDoubtOfSpeedsShrinks(t *testing.T) {
	v := plainView(repeat(2, 1), []int32{0, 1}, []float64{1, 1})
	v.Learned.Speeds = []float64{2, 0.5}
	for _, test := range []struct{ doubt, least, most float64 }{{speedPrior, 1, 2}, {speedPrior / 2, math.Sqrt2, 2}, {speedFloor, 1.99, 2}} {
		v.Learned.Told = &ToldSpeeds{Doubts: []float64{test.doubt, test.doubt}}
		least, most := speedRange(&v, 0)
		if math.Abs(least-test.least) > 0.01 || most != test.most {
			t.Errorf("doubt %g: speed between %g and %g, want %g and %g", test.doubt, least, most, test.least, test.most)
		}
	}
}

// Work that is balanced at the present speeds is not made uneven by the evidence of a few
// moved processes: their work depends on the rank. Uneven work may become more so.
func TestWorkThatIsAlikeSaysThatSpeedsAreRight(t *testing.T) {
	l := &LastMoves{Before: ToldSpeeds{Speeds: []float64{1, 2, 4, 2}}, Moves: []Move{{Pid: 0, From: 0, To: 3}}, Took: []float64{1, 0.5, 0.25, 0.5, 1, 0.5, 0, 0}}
	v := View{Where: []int32{3, 1, 2, 3, 0, 1, 2, 3}}
	for _, c := range []struct {
		shift  []float64
		longer float64 // excess time of the processes of rank 1
		want   bool
	}{
		{[]float64{0, 0, 0, 0}, 1, false},
		{[]float64{0.3, -0.3, 0, 0}, 1, false},
		{[]float64{2, -2, 0, 0}, 1, true},
		{[]float64{0, -2, 0, 0}, math.Exp(2), false},
		{[]float64{1, -1, 0, 0}, math.Exp(2), false},
	} {
		long := *l
		long.Took = slices.Clone(l.Took)
		long.Took[1], long.Took[5] = l.Took[1]*c.longer, l.Took[5]*c.longer
		if got := long.unlike(v, speedFit{shift: c.shift}); got != c.want {
			t.Errorf("%v where work is %.3g times as much on rank 1: %v, want %v", c.shift, c.longer, got, c.want)
		}
	}
}
