package rebalancer

import (
	"math"

	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// When to ask.
//
// A rescheduling call costs time whether or not it moves anything, and moves pay only
// over the supersteps that are left. This file and slowdown.go hold all of the policy of when calls are
// made. It is driven by events and has no clock: a live run tells it the time on the
// wall, an emulated or simulated one the platform's. The concepts, in the order in which
// a run meets them:
//
//   - An observation is one or more consecutive supersteps of a stage that end at the
//     same place of the program. Pace, waits and horizons count observations, so that a
//     loop of many small supersteps within a stage weighs as one.
//   - Sampling: where stages are short beside what observing them takes, one stage in
//     stride is observed.
//   - A vote is what a rank says with the flags of a stage's last barrier, and so before
//     that barrier: is a call worth its cost, have stages become slow, are they too short
//     to be observed one by one? A barrier combines votes by or: one rank suffices.
//   - A call is due when the pace says so and a rank finds it worth its cost; at the end
//     of a loop if moves have still to be judged, for nothing else is left to do and the
//     next loop is another. A call is asked for when stages have become slow.
//
// The equations. Times are seconds, step is the mean time of an observation since the
// last call, cost the time of the last call or, before the first, of one as expected;
// shares and counts in capitals are those of params.Due, others are below:
//
//	pace    alpha' = alpha' + n if all processes that computed were within D of their mean,
//	        else max(alpha0, alpha' - n), for an observation of n stages;
//	        D = 1.5 D after omega calls in a row that moved nothing        (MigBSP)
//	wait    max(min(alpha', often), cost / (CallShare step)), with the guard, where
//	        often = max(alpha0, horizon / callParts, cost / (cheapShare step));
//	        ProofShare takes the place of CallShare while moves are to be judged
//	worth   cost <= (worthShare + IdleShare idle / (1 + fruitless^2)) remaining;
//	        or cost <= hopeShare (what a leap may save that waits until it is ripe);
//	        after a loop's last stage cost <= endShare (time since the run began)
//	within  with the bank, from the second call on: all calls but the first, or from the first change since moves on
//	        that goes on, <= spentShare (time behind and ahead) + hopeShare (what supersteps were shorter by, and such
//	        a leap may save); or cost <= cheapShare (time since); or moves are to be judged
//	change  (excess of the last long stages, ChangeStages at least) >=
//	        changeCalls (1 + deceived^2) cost: what waiting has cost by now would have paid
//	        for the call; or (what stages take beyond slowFactor times their mean before the last
//	        call, which moved nothing, less what others are shorter by) > owedTimes that
//	dear    the first call, with dearSteps supersteps behind that take cost each and dearLeft ahead at most
//	again   againStages observations after the first call that a change has asked for, if that
//	        moved nothing and cost <= ProofShare (time since)
//	stride  the least power of 2 with stride step >= observedApart + processApart processes
//
// Wait bounds what a call takes of the time behind, worth what it takes of the time ahead,
// and the first, which has no cost to wait for yet, is bounded by worth alone. Everything
// but the pace is part of the guard; published strategies (guard=0) have the pace alone.

const (
	// alarmShare is the part of the time since the last call that one more may take that is
	// asked for where the last such found nothing to move. It bounds what false alarms cost.
	alarmShare = 0.01
	// observedApart and processApart are how many seconds apart observed stages are at least,
	// and how many more for each process on a rank, so that observing takes a small part of
	// the time. Half as much doubles that part for programs of short supersteps, twice as much
	// the stages that pass until a change is seen, which mostStride bounds.
	observedApart = 300e-6
	processApart  = 60e-6
	mostStride    = 4096
	// trafficShare is the part of the time since the last call that recording who sends how much
	// may take; beyond that it rests.
	trafficShare = 1.0 / 300
	// cheapShare and callParts: however balanced the processes are, they may not stay so. Calls that
	// take no more than cheapShare of the time are no further apart than one of callParts parts of
	// what remains. Without these bounds alpha of a balanced run grows with the run, and load that
	// sets in late is found after half of what was left.
	cheapShare = 0.002
	callParts  = 8
	// worthShare is the part of the time to come that a call may take where all ranks work.
	worthShare = 0.005
	// changeCalls is how many calls what was lost must be worth for a change.
	changeCalls = 2
	// againStages is how many stages after a call that found nothing to do about a change there may
	// be a second one: as many as make a mean of what the first saw two or three of.
	againStages = 6
	// hopeShare is the part that a call may take of what a leap may save that has still to be seen for
	// longer: what a leap saves is many calls, or it is none.
	hopeShare = 0.1
	// endShare is the part of the run so far that a call at a loop's end may take. It only judges moves
	// and learns, for loops to come: a run of one loop pays for it in vain.
	endShare = 0.015
	// owedTimes is how many times as much must be lost by long stages that others are among.
	owedTimes = 2
	// spentShare is the part of the run's time, so far and to come, that all calls but the first may take together,
	// beside hopeShare of what supersteps were shorter by and a leap may save. Where nothing is to be gained that is
	// what is lost.
	spentShare = 0.0075
	// evidence is how many calls the time since the last one must be worth before a loss is
	// believed: a few short supersteps after moves say little of what these have brought.
	evidence = 4
	// dearSteps is how many supersteps there are before the first call at least, and dearLeft how many may
	// follow one that comes before alpha: of more, alpha are a small part, and two say little of them.
	dearSteps = 2
	dearLeft  = 100
)

// Trigger decides when a rank asks for a rescheduling call, and which supersteps it
// observes. A live run has one on each rank, with the same stages, observations and calls;
// a simulator has one for all. A Trigger is used by one goroutine at a time.
//
// Order of events: Superstep for each superstep of a stage, and Ended if it is observed, with Close before
// one that ends elsewhere and after the last; Vote before the barrier of a stage's last superstep;
// Close and StageEnded after it; then, if Due or asked for, State, a call, and Called.
type Trigger struct {
	controller *Controller
	first      int // stage from which on supersteps are observed
	stage      int // stages that have ended
	stride     int // one stage in so many is observed

	supersteps   int     // in the open observation
	began, ended float64 // when it began, and the last of these ended
	class        int     // observations of this stage that are closed
	perStage     int     // observations of the last stage
	observations int     // closed, from the first observed stage on

	mark      float64 // when the last call ended
	steps     int     // observations since
	passed    int     // supersteps in these
	traffic   float64 // seconds of recording traffic since
	silent    bool    // traffic is not recorded: that took too long
	called    float64 // seconds that the last call took
	spent     float64 // seconds that calls took after the first, or from the last surprising change on
	moved     float64 // and its moves
	remeasure bool    // links are to be measured at a call that follows at once
	fruitless int     // calls in a row that moved nothing
	deceived  int     // of calls after a change, those in a row that moved nothing
	alarmed   bool    // since the last moves a change has asked for a call, whether it went on or not
	doubtful  bool    // the last call was the first of these
	slowdown  *slowdown
}

// NewTrigger makes the trigger of a controller's run. The stages before the given one
// are not observed: in a live run the first is unlike the others, for it is the first to
// touch memory; a simulated machine has none to touch.
func NewTrigger(c *Controller, first int) *Trigger {
	return &Trigger{controller: c, first: first, stride: 1, slowdown: new(slowdown)}
}

func (t *Trigger) set() *params.Due { return &t.controller.spec.params().Due }

// Watching reports whether the supersteps of the current stage are observed.
func (t *Trigger) Watching() bool { return t.watches(t.stage) }

// watches reports whether a stage is observed. The stride is a power of 2.
func (t *Trigger) watches(stage int) bool {
	return !t.controller.spec.Off() && stage >= t.first && stage&(t.stride-1) == 0
}

// Timed reports whether the time counts at the end of the current stage: if not, it does not matter
// which one StageEnded is told.
func (t *Trigger) Timed() bool {
	return t.Watching() || t.watches(t.stage+1) || t.stage+1 == t.first
}

// RecordsTraffic reports whether traffic is recorded in the current stage.
func (t *Trigger) RecordsTraffic() bool { return t.Watching() && !t.silent }

// Recorded tells how long recording the traffic of a superstep took.
func (t *Trigger) Recorded(seconds float64) { t.traffic += seconds }

// Superstep adds a superstep to the open observation.
func (t *Trigger) Superstep() { t.supersteps++ }

// Ended tells when it ended.
func (t *Trigger) Ended(now float64) { t.ended = now }

// Outside tells that a superstep that ends is in no stage. Observations are numbered anew.
func (t *Trigger) Outside(now float64) {
	t.class = 0
	t.opens(now)
}

func (t *Trigger) opens(now float64) { t.began, t.ended = now, now }

// Close ends the open observation, and returns its step, class and count for the
// controller. watched is false if there is none or if the stage is not observed.
func (t *Trigger) Close() (o Observation, watched bool) {
	if t.supersteps == 0 {
		return o, false
	}
	t.steps++
	t.passed += t.supersteps
	if t.stage >= t.first {
		t.observations++
	}
	o = Observation{Step: t.observations, Class: t.class, Count: t.stride, Seconds: t.ended - t.began}
	t.opens(t.ended)
	t.class++
	t.supersteps = 0
	return o, t.Watching()
}

// Vote is what a rank says at the end of a stage.
type Vote struct {
	Worth bool // a call is worth what it takes
	Alarm bool // stages have become slow, ask for a call
	Short bool // observed stages follow one another too fast
}

// Vote is asked at the end of a stage, before its barrier. busy is the time that the
// rank's processes have worked in the supersteps observed since the last call, left the
// number of stages to come in the loop, and timed the number of processes that are timed
// here, 0 where observing them takes no time. A rank without processes has no vote.
func (t *Trigger) Vote(now, busy float64, left, timed int) (v Vote) {
	if !t.Watching() {
		return v
	}
	worth := t.worth(now, busy, left)
	v.Worth = worth && t.within(now, left)
	v.Alarm = left > 0 && (t.overdrawn(now, left) || worth && t.surprising() && t.changed(now) ||
		v.Worth && (t.remeasure || t.dear(now, left) || t.changed(now) || t.again(now)))
	v.Short = timed > 0 && t.steps > 0 &&
		t.Elapsed(now)/float64(t.steps)*float64(t.stride) < t.apart(timed)
	return v
}

// bank is the run's bank as of the last call, nil if its strategy has none.
func (t *Trigger) bank() *Bank {
	if t.controller.spec.banked() {
		return t.controller.last.Learned.Bank
	}
	return nil
}

// overdrawn reports whether the supersteps since the last call have lost more than may be
// lost, as far as this observer sees, and would go on to lose more than a call takes. Where
// the last call found nothing to move, the next one would hardly: such calls take no more of
// the time than those for any other alarm.
func (t *Trigger) overdrawn(now float64, left int) bool {
	bank := t.bank()
	if bank == nil || t.steps == 0 {
		return false
	}
	lost, elapsed, cost := t.controller.auditor.exposure, t.Elapsed(now), t.cost()
	if elapsed < evidence*cost || t.fruitless > 1 && cost > alarmShare*elapsed {
		return false
	}
	return lost > bank.Limit && lost/float64(t.steps)*float64(left*max(1, t.perStage)) > cost
}

// changed reports whether stages have become longer, than usual or than the last call has
// foretold, by so much together that a call costs less: the rule of renting or buying, by
// which waiting costs at most as much as asking would have. Calls in a row that were asked for
// so and moved nothing raise the price, and only the first may come soon after another call. It
// comes even where there is nothing left to lose: it costs one call, which the guarantee has
// beside the allowance, and until something moves, which must be paid for, it is the only one.
// Long stages among short ones, such as those of a host whose quota runs out now and then, count too, once they
// owe owedTimes as much. Only a run with the guard has it.
func (t *Trigger) changed(now float64) bool {
	times := float64(1 + t.deceived*t.deceived)
	if !t.set().Changed || !t.controller.spec.guarded() || !t.evident(times) && !t.owed(times) {
		return false
	}
	return t.deceived == 0 || t.cost() <= alarmShare*t.Elapsed(now)
}

// surprising reports whether long stages are the first change since moves, and it goes on: it may take calls whatever
// those before it have taken.
func (t *Trigger) surprising() bool {
	return !t.alarmed && t.slowdown.lasting() > changeCalls*t.cost()
}

// dear reports whether it is time for the first call before alpha supersteps have passed: few are
// left, each of which takes longer than a call. A strategy that limits what it may lose can ask so early.
func (t *Trigger) dear(now float64, left int) bool {
	seen := t.steps + 1
	return t.controller.spec.banked() && t.controller.last.Call == 0 && seen >= dearSteps &&
		left*max(1, t.perStage) <= dearLeft && t.cost()*float64(seen) <= t.Elapsed(now)
}

// again reports whether it is time for a second call after a change. The first has seen two or
// three supersteps of it, in which shares of cores and work are known with large errors; one
// that found nothing to move says little, and the pace would have the next wait as if it did.
func (t *Trigger) again(now float64) bool {
	return t.doubtful && t.steps >= againStages && t.cost() <= t.set().ProofShare*t.Elapsed(now)
}

// evident reports whether stages have become longer by more than so many times the price of a
// change.
func (t *Trigger) evident(times float64) bool {
	return t.slowdown.long >= t.set().ChangeStages && t.slowdown.excess > times*changeCalls*t.cost()
}

// owed reports whether slowStages stages or more, long ones among them, have lost owedTimes as much.
func (t *Trigger) owed(times float64) bool {
	return t.slowdown.owing >= slowStages && t.slowdown.owed > owedTimes*times*changeCalls*t.cost()
}

// doubts is how many calls in a row have found nothing where now one is considered. Those of a
// calm time say nothing of a change.
func (t *Trigger) doubts() int {
	if t.evident(1) {
		return min(t.fruitless, t.deceived)
	}
	return t.fruitless
}

// worth reports whether a call takes no more than a small part of the time to come, which
// is larger where the rank is idle, or at the end of a loop of the run so far.
func (t *Trigger) worth(now, busy float64, left int) bool {
	switch elapsed := t.Elapsed(now); {
	case !t.controller.spec.guarded():
		return true
	case t.steps == 0:
		return false
	case left == 0:
		return t.cost() <= endShare*now
	default:
		remaining := t.coming(now, left)
		idle := max(0, 1-busy*float64(t.stride)/elapsed)
		if b := t.bank(); b != nil && t.cost() <= hopeShare*b.Hope {
			return true
		}
		return t.cost() <= (worthShare+t.set().IdleShare*idle/float64(1+t.doubts()*t.doubts()))*remaining
	}
}

// coming is the seconds that so many stages are expected to take, as those since the last call did.
func (t *Trigger) coming(now float64, left int) float64 {
	return t.Elapsed(now) / float64(max(1, t.steps)) * float64(left*max(t.perStage, t.class+1))
}

// within reports whether with one more call all calls of the run but the first, which nobody has timed before, take a
// small part of its time, so far and to come, and of what supersteps were shorter by or a leap may save. One that
// judges moves need not, nor one that counts little beside the time since the last.
func (t *Trigger) within(now float64, left int) bool {
	b := t.bank()
	if b == nil || t.controller.last.Learned.Pending != nil || t.cost() <= cheapShare*t.Elapsed(now) {
		return true
	}
	return t.spent+t.cost() <= spentShare*(now+t.coming(now, left))+hopeShare*(max(0, b.Saved+b.Paid)+b.Hope)
}

// cost is what a call takes: as the last one, or as expected.
func (t *Trigger) cost() float64 {
	if t.called > 0 {
		return t.called
	}
	return t.controller.firstCost()
}

// StageEnded tells that a stage has ended on all ranks; v is what they have said together.
// Lengths of stages are compared with earlier ones of their kind, a small number: the
// stages of a live run are of one kind, while a simulator, to which each superstep is a
// stage, has a kind for each place of the program. The result is true if the stage is the
// first slow one: what is measured from then on counts at a call that is asked for, see
// Since.
func (t *Trigger) StageEnded(now float64, kind int, v Vote) (slow bool) {
	t.slowdown.stages++
	t.opens(now)
	if v.Alarm && t.evident(1) {
		if t.surprising() {
			t.spent = 0 // what calls found before says nothing of what is now
		}
		t.alarmed = true
	}
	if t.Watching() {
		slow = t.slowdown.observe(now, t.mark, kind, t.steps)
	}
	if v.Short && t.stage >= t.first {
		t.stride = min(2*t.stride, mostStride)
	}
	t.perStage, t.class = t.class, 0
	t.stage++
	if t.Watching() {
		t.silent = t.traffic > trafficShare*t.Elapsed(now)
	}
	if t.stage == t.first {
		t.restart(now)
	}
	return slow
}

// Due reports whether a call follows a stage with these votes. last is true after the
// last stage of a loop: with nothing left to save a call moves nothing, and is made only
// if there are moves to judge.
func (t *Trigger) Due(v Vote, last bool) bool {
	if last && t.controller.spec.guarded() {
		return v.Worth && t.controller.last.Learned.Pending != nil // they have still to prove that they paid
	}
	return v.Worth && !t.controller.spec.Off() && t.observations >= t.controller.last.Next
}

// State is what the trigger knows for a rank's report at a call: the time since the last
// call in all and of late, and what remains of the loop, of which so many stages are left. Late is
// since stages have become slow or, on a machine that is not simulated, after the first stage.
// asked is true if the call was asked for.
func (t *Trigger) State(now float64, left int, asked bool) RankState {
	s := RankState{
		Steps: t.steps, Elapsed: t.Elapsed(now), Called: t.called, Moved: t.moved,
		Remaining: min(left*max(t.perStage, 1), math.MaxInt32),
	}
	since, late := t.Since(asked)
	before := t.slowdown.steps
	if !late && t.slowdown.early > 0 && t.controller.platform.Leave {
		since, before, late = t.slowdown.settled, t.slowdown.early, true
	}
	if steps := t.steps - before; late && steps > 0 {
		s.Recent, s.Lately = (now-since)/float64(steps), steps
	}
	return s
}

// Barriers is how many supersteps count as one, for a Snapshot.
func (t *Trigger) Barriers() float64 { return float64(t.passed) / float64(max(1, t.steps)) }

// Since is the beginning of the time whose measurements count at a call: the last call,
// or if stages have become slow since, the end of the first slow one: what was measured before
// that would hide the change. Where no rank has asked for the call, the slow stages must be as
// many as an alarm needs.
func (t *Trigger) Since(asked bool) (from float64, slow bool) {
	if asked && t.slowdown.long > 1 || t.evident(1) {
		return t.slowdown.since, true
	}
	return t.mark, false
}

// Elapsed is the time since the last call.
func (t *Trigger) Elapsed(now float64) float64 { return now - t.mark }

// Observations is the number of observations so far, the Step of a call made now.
func (t *Trigger) Observations() int { return t.observations }

// Called tells that a call has ended which took so many seconds, beside those of its
// moves.
func (t *Trigger) Called(now, took, moved float64, moves int) {
	if t.called > 0 {
		t.spent += took
	}
	t.called, t.moved = took, moved
	t.doubtful = t.set().Changed && t.bank() != nil && t.evident(1) && t.deceived == 0 && moves == 0
	if t.fruitless++; t.evident(1) {
		t.deceived++
	}
	if moves > 0 {
		t.fruitless, t.deceived, t.alarmed = 0, 0, false
	}
	stage := float64(max(1, t.perStage)) // observations
	mean := max(0, t.Elapsed(now)-took) / float64(max(1, t.steps)) * stage
	t.slowdown = t.slowdown.called(moves > 0, mean, t.controller.last.foretold()*stage)
	t.restart(now)
}

func (t *Trigger) restart(now float64) {
	t.mark, t.steps, t.passed, t.traffic = now, 0, 0, 0
	t.opens(now)
	t.slowdown.restart(now)
}

// Progress is how far a Trigger and its Controller have come: what a rank must be told
// that took no part in some stages, for having no processes.
type Progress struct {
	Stage, Stride, Class, PerStage, Observations, Steps, Passed int

	Elapsed float64 // since the last call
	Spent   float64 // seconds that calls took which count
	Classes []int   // of the supersteps in the histories' rings
}

// Progress is how far t has come. It is the same on all ranks, but for what clocks say.
func (t *Trigger) Progress(now float64) Progress {
	return Progress{
		Stage: t.stage, Stride: t.stride, Class: t.class, PerStage: t.perStage, Observations: t.observations, Steps: t.steps, Passed: t.passed,
		Elapsed: t.Elapsed(now), Spent: t.spent, Classes: t.controller.classes,
	}
}

// CatchUp makes t one of a rank that has come so far.
func (t *Trigger) CatchUp(now float64, p Progress) {
	t.stage, t.stride, t.class, t.perStage, t.observations = p.Stage, p.Stride, p.Class, p.PerStage, p.Observations
	t.steps, t.passed = p.Steps, p.Passed
	t.mark, t.spent = now-p.Elapsed, p.Spent
	t.controller.classes = append(t.controller.classes[:0], p.Classes...)
}

// Sample sets how many stages go with one that is observed, as Stride found it at a call.
func (t *Trigger) Sample(stride int) { t.stride = max(1, stride) }

// Pause leaves seconds out of the account that were spent on something else.
func (t *Trigger) Pause(seconds float64) {
	t.mark += seconds
	t.began += seconds
	t.slowdown.pause(seconds)
}

// Measured tells that the call under way has begun with measuring links for so many seconds.
// They are left out of the time of supersteps and of the call.
func (t *Trigger) Measured(seconds float64) {
	t.Pause(seconds)
	t.remeasure = false
}

// MeasureSoon asks for a call at once, which begins with measuring links. All ranks are told the
// same at the last call.
func (t *Trigger) MeasureSoon() { t.remeasure = true }

// Stride is how many stages go with one that is observed, after supersteps as the ranks
// report them and with so many processes on each. The ranks have to agree on it.
func (t *Trigger) Stride(ranks []RankState, processes int) int {
	step := 0.0
	for _, r := range ranks {
		step = max(step, r.Elapsed/float64(max(1, r.Steps)))
	}
	stride := 1
	for step*float64(stride) < t.apart(processes) && stride < mostStride {
		stride *= 2
	}
	return stride
}

// apart is the least time between two observed stages with so many processes on a rank.
func (t *Trigger) apart(processes int) float64 {
	return observedApart + processApart*float64(processes)
}
