package rebalancer

import (
	"math"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// run is a loop of stages of one superstep each, observed by one rank with one process.
type run struct {
	*Trigger
	now, busy float64
	left      int
	timed     int
	kind      int  // of the next stages
	vote      Vote // at the end of the last stage
}

func newRun(t *testing.T, strategy string, first, left int) *run {
	spec := must.Get(Parse(strategy))(t)
	c := New(Uniform(2, Link{Latency: 10e-6}), []int32{0, 1}, spec)
	return &run{Trigger: NewTrigger(c, first), left: left}
}

// stages runs n stages of the given length; the rank computes for the share work of that. As on an
// emulated platform, a vote does not include its own stage.
func (r *run) stages(n int, length, work float64) {
	for range n {
		r.left--
		r.vote = r.Vote(r.now, r.busy, r.left, r.timed)
		r.now += length
		if r.Watching() {
			r.busy += work * length
		}
		r.Superstep()
		r.Close()
		now := r.now
		if !r.Timed() {
			now = math.NaN()
		}
		r.StageEnded(now, r.kind, r.vote)
	}
}

func (r *run) called(took, moved float64, moves int) {
	r.now += took + moved
	r.busy = 0
	r.Called(r.now, took, moved, moves)
}

func TestStagesThatBecomeSlowCallForHelp(t *testing.T) {
	for _, c := range []struct {
		name     string
		strategy string
		before   int
		slow     []float64
		want     bool
	}{
		{"two in a row", "auto", 20, []float64{1.6, 1.6}, true},
		{"a little slower", "auto", 20, []float64{1.4, 1.4, 1.4}, true},
		{"one by one", "auto", 20, []float64{4, 1, 4, 1, 4, 1}, false},
		{"less than the calls take", "auto", 20, []float64{1.0004, 1.0004}, false},
		{"nothing known before", "auto", 3, []float64{4, 4}, false},
		{"with the guard alone", "percent", 20, []float64{1.6, 1.6}, true},
		{"without the guard", "percent,guard=0", 20, []float64{4, 4, 4}, false},
		{"growing slowly", "auto", 1000, nil, false},
	} {
		r := newRun(t, c.strategy, 0, 100_000)
		r.stages(c.before, 1, 1)
		for _, length := range c.slow {
			r.stages(1, length, 1)
		}
		if c.slow == nil {
			for length := 1.0; length < 10; length *= 1.02 {
				r.stages(1, length, 1)
			}
		}
		r.stages(1, 1, 1) // slow stages request a call at the end of the next
		if r.vote.Alarm != c.want {
			t.Errorf("%s: %+v", c.name, r.vote)
		}
	}
}

// A host whose quota runs out periodically is slow for one stage in several, and never for two in a
// row.
func TestLongStagesAmongShortOnesCallForHelp(t *testing.T) {
	for _, c := range []struct {
		name string
		long float64 // seconds of one stage in four; the others take one second
		want bool
	}{{"as before", 1, false}, {"half as long again in the mean", 3, false}, {"four times as long in the mean", 13, true}} {
		r := newRun(t, "auto", 0, 100_000)
		r.stages(20, 1, 1)
		r.called(2, 0, 0)
		asked := false
		for range 12 {
			r.stages(3, 1, 1)
			asked = asked || r.vote.Alarm
			r.stages(1, c.long, 1)
			asked = asked || r.vote.Alarm
		}
		if asked != c.want {
			t.Errorf("%s: an alarm is %v, want %v", c.name, asked, c.want)
		}
	}
}

func TestAnAlarmCostsLittle(t *testing.T) {
	r := newRun(t, "auto", 0, 100_000)
	r.called(2, 0, 0)
	r.stages(20, 1, 1)
	r.stages(4, 2, 1)
	if r.vote.Alarm {
		t.Error("a call of 2 s is asked for after stages have lost 3 s")
	}
	r.stages(2, 2, 1)
	if !r.vote.Alarm {
		t.Error("a call of 2 s is not asked for after stages have lost 5 s")
	}
	r.called(2, 0, 0)
	r.stages(10, 2, 1)
	r.stages(20, 4, 1)
	if r.vote.Alarm {
		t.Error("another one is asked for after 100 s, though the first moved nothing")
	}
	r.stages(30, 4, 1)
	if !r.vote.Alarm {
		t.Error("another one is not asked for after 220 s")
	}
	r.left = 1
	if r.stages(1, 2, 1); r.vote.Alarm {
		t.Error("a call is asked for at the end of the loop")
	}
}

// Slow stages before a call that came too early for them do not become the usual duration.
func TestACallBeforeTheAlarmDoesNotSilenceIt(t *testing.T) {
	r := newRun(t, "auto", 0, 100_000)
	r.stages(20, 1, 1)
	r.stages(1, 4, 1)
	r.called(0, 0, 0)
	r.stages(2, 4, 1)
	from, slow := r.Since(true)
	if since, _ := r.Since(false); !slow || from != 28 || since != 28 {
		t.Errorf("what counts begins at %g, %v; at %g if nobody asked; want 28, after the first slow stage", from, slow, since)
	}
	if r.stages(1, 4, 1); !r.vote.Alarm {
		t.Error("slow stages that go on after a call are not noticed")
	}
}

// The usual duration excludes the first stage of a live run, which is slow because of memory.
func TestTheFirstStageIsNotUsual(t *testing.T) {
	r := newRun(t, "auto", 1, 1000)
	r.stages(1, 100, 1)
	r.stages(2, 1, 1)
	if s := r.slowdown.usual[0].seconds; s != 1 || r.Observations() != 2 || r.Elapsed(r.now) != 2 {
		t.Errorf("%g s are usual after %d observations in %g s, want 1 s, 2 in 2 s", s, r.Observations(), r.Elapsed(r.now))
	}
}

// A call may take half a percent of the remaining time, and more if the rank is idle, unless calls have
// moved no process; at the end of a loop, a share of the run so far.
func TestCallsAreWorthTheirCost(t *testing.T) {
	for _, c := range []struct {
		name      string
		cost      float64
		work      float64
		fruitless int
		left      int
		want      bool
	}{
		{"cheap", 0.49, 1, 0, 100, true},
		{"dear", 0.51, 1, 0, 100, false},
		{"dear for an idle rank", 2.4, 0, 0, 100, true},
		{"too dear for an idle rank", 2.6, 0, 0, 100, false},
		{"half idle", 1.4, 0.5, 0, 100, true},
		{"idle, but nothing moved", 1.6, 0, 1, 100, false},
		{"idle, and nothing ever moves", 0.51, 0, 100, 100, false},
		{"at the end", 0.14, 1, 0, 0, true},
		{"dear at the end", 0.16, 1, 0, 0, false},
	} {
		r := newRun(t, "auto", 0, 11+c.left)
		for range c.fruitless {
			r.called(0, 0, 0)
		}
		if c.fruitless == 0 {
			r.called(0, 0, 1)
		}
		r.Trigger.called = c.cost
		r.stages(11, 1, c.work)
		if r.vote.Worth != c.want {
			t.Errorf("%s: %+v, want worth %v", c.name, r.vote, c.want)
		}
		free := newRun(t, "auto,guard=0", 0, 11)
		free.called(c.cost, 0, 0)
		if free.stages(1, 1, 1); !free.vote.Worth {
			t.Errorf("%s: without the guard calls are weighed", c.name)
		}
	}
}

// After the last stage of a loop a call is made if moves must be judged, even if it is not due. No
// other call is made, because it could not move a process. Published strategies call by their pace
// alone.
func TestMovesAreJudgedAtTheEndOfALoop(t *testing.T) {
	for _, c := range []struct {
		strategy                  string
		stages                    int
		pending, worth, last, due bool
	}{
		{"auto", 3, true, true, true, true},
		{"auto", 3, true, true, false, false},
		{"auto", 3, true, false, true, false},
		{"auto", 4, false, true, false, true},
		{"auto", 4, false, true, true, false},
		{"auto", 4, true, false, false, false},
		{"percent,guard=0", 3, true, true, true, false},
		{"percent,guard=0", 4, false, true, true, true},
	} {
		r := newRun(t, c.strategy, 0, 100)
		r.stages(c.stages, 1, 1)
		if c.pending {
			r.controller.last.Learned.Pending = &Pending{}
		}
		if got := r.Due(Vote{Worth: c.worth}, c.last); got != c.due {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Supersteps of an alternating program are slow only in comparison with supersteps at the same
// position.
func TestStagesAreComparedWithTheirKind(t *testing.T) {
	r := newRun(t, "auto", 0, 100_000)
	for range 200 {
		r.kind = 0
		r.stages(1, 1, 1)
		r.kind = 1
		if r.stages(1, 0.01, 1); r.vote.Alarm {
			t.Fatal("stages of 1 s that take turns with others of 10 ms are slow")
		}
	}
	r.stages(4, 0.02, 1)
	if !r.vote.Alarm {
		t.Error("stages of twice their usual length are not slow beside much longer ones of another kind")
	}
}

// If stages are short, one in 2, 4, 8 ... is observed, until a call sets the stride.
func TestShortStagesAreSampled(t *testing.T) {
	r := newRun(t, "auto", 0, 1_000_000)
	r.timed = 2
	r.stages(10_000, 1e-6, 1)
	if r.stride != 512 || r.Observations() != 10_000 {
		t.Errorf("one stage in %d is observed after %d, want one in 512: 420 us apart at least", r.stride, r.Observations())
	}
	if stride := r.Trigger.Stride([]RankState{{Elapsed: 1, Steps: 1000}, {}}, 2); stride != 1 {
		t.Errorf("one stage of 1 ms in %d is to be observed", stride)
	}
	if stride := r.Trigger.Stride([]RankState{{Elapsed: 1, Steps: 1_000_000}}, 2); stride != 512 {
		t.Errorf("one stage of 1 us in %d is to be observed, want 512", stride)
	}
	r = newRun(t, "auto", 0, 1_000_000)
	r.stages(10_000, 1e-6, 1)
	if r.stride != 1 {
		t.Errorf("one stage in %d is observed where that takes no time", r.stride)
	}
}

// Recording traffic is suspended while it has taken too large a share of the time.
func TestTrafficIsRecordedWhereThatIsCheap(t *testing.T) {
	r := newRun(t, "auto", 0, 1000)
	r.Recorded(1)
	r.stages(299, 1, 1)
	if r.RecordsTraffic() {
		t.Error("traffic is recorded that has taken one part in 299")
	}
	r.stages(2, 1, 1)
	if !r.RecordsTraffic() {
		t.Error("traffic is not recorded that has taken one part in 301")
	}
	r.Recorded(10)
	r.stages(1, 1, 1)
	resting := !r.RecordsTraffic()
	r.Called(r.now, 0, 0, 1)
	r.stages(1, 1, 1)
	if !resting || !r.RecordsTraffic() {
		t.Error("traffic is not recorded after a call that found it resting")
	}
}

// A call requested for a change has observed two stages of it. If it found no moves, a second call
// follows once its share of the time is small enough for a call that judges moves. No third call
// follows, and without a bank no second: the published strategies call at their own pace.
func TestAChangeIsLookedAtTwice(t *testing.T) {
	for _, c := range []struct {
		strategy string
		bank     *Bank
		want     int
	}{{"auto", &Bank{Limit: 1e9}, 1}, {"percent,guard=0", nil, 0}} {
		r := newRun(t, c.strategy, 0, 100_000)
		r.controller.last.Learned.Bank = c.bank
		r.called(0.05, 0, 0)
		r.stages(200, 1, 1)
		r.stages(2, 2, 1)
		r.controller.last.Forecast = Forecast{Horizon: 1, After: 2} // the new duration of stages is known
		r.called(0.05, 0, 0)
		calls := 0
		for range 40 {
			if r.stages(1, 2, 1); r.vote.Alarm {
				calls++
				r.called(0.05, 0, 0)
			}
		}
		if calls != c.want {
			t.Errorf("%s: %d more calls about a change that nothing can be done about, want %d", c.strategy, calls, c.want)
		}
	}
}

// A first call is expected to take three empty supersteps: if these are long, as between slow hosts, a
// short run makes no call.
func TestTheFirstCallIsExpectedToCostItsBarriers(t *testing.T) {
	for barrier, want := range map[float64]bool{0: true, 6e-3: false} {
		p := Uniform(2, Link{Latency: 1e-3})
		p.Barrier = barrier
		spec := must.Get(Parse("auto"))(t)
		r := &run{Trigger: NewTrigger(New(p, []int32{0, 1}, spec), 0), left: 40}
		if r.stages(6, 0.014, 0.1); r.vote.Worth != want {
			t.Errorf("empty supersteps of %g s: worth a call: %v, want %v", barrier, r.vote.Worth, want)
		}
	}
}

// The first call comes after two supersteps if each takes longer than a call and few remain, with a
// strategy that limits the loss.
func TestTheFirstCallComesEarlyInAShortRun(t *testing.T) {
	for _, c := range []struct {
		strategy string
		left     int
		length   float64
		want     bool
	}{
		{"auto", 40, 1, true}, {"auto", 40, 0.0001, false}, {"auto", 400, 1, false}, {"auto,guard=0", 40, 1, false}, {"percent", 40, 1, false},
	} {
		r := newRun(t, c.strategy, 0, c.left)
		r.stages(1, c.length, 1)
		if r.vote.Alarm {
			t.Errorf("%s with %d stages of %g s left asks for a call after one", c.strategy, c.left, c.length)
		}
		r.stages(1, c.length, 1)
		if r.vote.Alarm != c.want {
			t.Errorf("%s with %d stages of %g s left asks for a call after two: %v, want %v", c.strategy, c.left, c.length, r.vote.Alarm, c.want)
		}
	}
}

// A start by a model is checked after the first observed stage, if the call is cheap compared with a
// stage and the remaining time.
func TestStartByAModelIsChecked(t *testing.T) {
	for _, c := range []struct {
		name     string
		strategy string
		modelled bool
		left     int
		length   float64
		want     bool
	}{
		{"a model", "auto", true, 100_000, 1, true},
		{"few stages", "auto", true, 5, 1, true},
		{"no model", "auto", false, 100_000, 1, false},
		{"stages shorter than a call", "auto", true, 100_000, 20e-6, false},
		{"a call takes most of the rest", "auto", true, 2, 1e-3, false},
		{"another strategy", "percent", true, 100_000, 1, false},
	} {
		r := newRun(t, c.strategy, 1, c.left)
		if c.modelled {
			r.CheckStart()
		}
		r.stages(1, c.length, 1)
		now := r.now + c.length
		if v := r.Vote(now, c.length, r.left, 0); v.Alarm != c.want {
			t.Errorf("%s: a call is requested: %v, want %v", c.name, v.Alarm, c.want)
		}
		r.called(c.length/100, 0, 0)
		r.stages(1, c.length, 1)
		if r.vote.Alarm {
			t.Errorf("%s: a second call is requested", c.name)
		}
	}
}

// A run with an empty bank detects a change as early as others, also soon after the last call: the
// change begins before a call, which cannot see it yet.
func TestAChangeIsNoticedWithAnEmptyBank(t *testing.T) {
	for _, limit := range []float64{1, 0} {
		const most = 4
		r := newRun(t, "auto", 0, 1000)
		r.controller.last.Learned.Bank = &Bank{Limit: limit}
		r.stages(200, 1, 0.3)
		r.called(0.8, 0, 0)
		stages := 0
		for r.vote = (Vote{}); !r.vote.Alarm && stages < 100; stages++ {
			r.stages(1, 2, 0.3)
		}
		if stages > most {
			t.Errorf("with %g s to lose: a call %d stages after the change, want at most %d", limit, stages, most)
		}
	}
}

// A call follows a persistent change at once, regardless of the time of earlier calls, and later calls
// are made as if there had been none.
func TestAChangeRenewsWhatCallsMayTake(t *testing.T) {
	for _, spent := range []float64{0, 1e6} {
		r := newRun(t, "auto", 0, 10_000)
		r.controller.last.Learned.Bank = &Bank{Limit: 1e9}
		r.called(0.5, 0, 0)
		r.spent = spent
		r.stages(200, 1, 0.3)
		if spent > 0 && r.vote.Worth {
			t.Error("a call is worth its cost that found nothing at the price of a whole run")
		}
		asked := 0
		for range 16 {
			if r.stages(1, 2, 0.3); r.vote.Alarm {
				asked++
				r.called(0.5, 0, 0)
			}
		}
		if asked != 2 {
			t.Errorf("%g s spent: %d calls in 16 stages of twice the length, want one at once and one that looks again", spent, asked)
		}
	}
}

// The duration of an observation is the sum of its supersteps. It excludes pauses between them and time
// before the first, such as stages that are not observed, calls, and supersteps outside of stages.
func TestObservationsTakeAsLongAsTheirSupersteps(t *testing.T) {
	r := newRun(t, "auto", 1, 100)
	r.stages(1, 5, 0)
	step := func(now float64) {
		r.Superstep()
		r.Ended(now)
	}
	seconds := func(want float64) {
		t.Helper()
		if o, watched := r.Close(); !watched || o.Seconds != want {
			t.Errorf("observed: %v, %g s, want %g", watched, o.Seconds, want)
		}
	}
	step(6)
	step(8)
	seconds(3)
	step(9)
	seconds(1)
	r.Outside(20)
	step(22)
	r.Pause(1.5)
	seconds(0.5)
	r.StageEnded(23, 0, Vote{})
	r.Called(30, 5, 2, 1)
	step(34)
	seconds(4)
}

// If one stage in four is observed, its duration begins at the end of the stage before it, the only
// other stage whose time counts.
func TestTimeCountsWhereStagesAreObserved(t *testing.T) {
	r := newRun(t, "auto", 1, 100)
	r.Sample(4)
	seen := 0
	for stage := range 20 {
		r.Superstep()
		now := 0.0
		if r.Timed() {
			now = float64(stage + 1)
			r.Ended(now)
		} else if r.Watching() {
			t.Errorf("stage %d is observed, and its time does not count", stage)
		}
		if o, watched := r.Close(); watched {
			if seen++; o.Seconds != 1 {
				t.Errorf("stage %d took %g s, want 1", stage, o.Seconds)
			}
		}
		r.StageEnded(now, 0, Vote{})
	}
	if seen != 4 {
		t.Errorf("%d of 20 stages observed, want 4", seen)
	}
}

// Exchange times are learned without the first stage after a call, in which ranks and lines spend the
// quotas saved up during the call: with real supersteps, and stage by stage.
func TestTheFirstStageAfterACallIsUnlikeOthers(t *testing.T) {
	for _, real := range []bool{false, true} {
		r := newRun(t, "auto", 1, 100)
		r.controller.platform.Leave = real
		r.stages(1, 5, 0)
		for range 2 {
			r.stages(1, 1, 0)
			if s := r.State(r.now, r.left, false); s.Steps != 1 || s.Lately != 0 {
				t.Errorf("real %t: after one stage %d supersteps of late", real, s.Lately)
			}
			r.stages(3, 2, 0)
			r.Pause(0.5)
			s := r.State(r.now+0.5, r.left, false)
			if !near(s.Elapsed, 7) || s.Steps != 4 {
				t.Errorf("%d supersteps in %g s, want 4 in 7", s.Steps, s.Elapsed)
			}
			v := View{Platform: &r.controller.platform, Snapshot: &Snapshot{Ranks: []RankState{s}}}
			want, steps := 7.0/4, 4
			if real {
				want, steps = 2, 3
			}
			if got, n := settledStep(v); !near(got, want) || n != steps {
				t.Errorf("real %t: a superstep takes %g s, by %d, want %g by %d", real, got, n, want, steps)
			}
			r.now += 0.5
			r.called(3, 0, 0)
		}
	}
}
