package rebalancer

import (
	"math"

	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// When to call.
//
// A rescheduling call costs time even if it moves no process, and moves pay only over the remaining
// supersteps. This file and slowdown.go contain the whole policy on when calls are made. It is driven
// by events and has no clock: a live run passes wall time, an emulated or simulated run the platform's
// time. The concepts, in the order of their use in a run:
//
//   - An observation is one or more consecutive supersteps of a stage that end at the same position in
//     the program. Pace, waits and horizons count observations, so that a loop of many small supersteps
//     within a stage weighs as one.
//   - Sampling: if stages are short compared with the cost of observing them, one stage in stride is
//     observed.
//   - A vote is sent by a rank with the flags of a stage's last barrier, and so before that barrier: is
//     a call worth its cost, have stages become slow, are they too short to be observed one by one? A
//     barrier combines votes by or: one rank suffices.
//   - A call is due when the pace requires it and a rank finds it worth its cost; and at the end of a
//     loop if moves are still to be judged, because other calls are useless there and the next loop
//     differs. A call is requested when stages have become slow.
//
// The equations. Times are seconds, step is the mean time of an observation since the last call, cost
// the time of the last call or, before the first, its expected time. Shares and counts in capitals are
// constants in params.Due, others are below:
//
//	pace    alpha' = alpha' + n if all processes that computed were within D of their mean,
//	        else max(alpha0, alpha' - n), for an observation of n stages;
//	        D = 1.5 D after omega consecutive calls without moves          (MigBSP)
//	wait    max(min(alpha', often), cost / (CallShare step)), with the guard, where
//	        often = max(alpha0, horizon / callParts, cost / (cheapShare step));
//	        ProofShare replaces CallShare while moves are being judged
//	worth   cost <= (worthShare + IdleShare idle / (1 + fruitless^2)) remaining;
//	        or cost <= hopeShare (the possible saving of a leap that is not ripe yet);
//	        after a loop's last stage cost <= endShare (time since the run began)
//	within  with the bank, from the second call on: all calls but the first, or since the first
//	        persistent change after moves, <= spentShare (past and remaining time) + hopeShare
//	        (the saving of supersteps so far, and of such a leap); or cost <= cheapShare (time since
//	        the last call); or moves are being judged
//	change  (excess of the last long stages, ChangeStages at least) >=
//	        changeCalls (1 + deceived^2) cost: the loss from waiting would have paid for the
//	        call; or (time of stages beyond slowFactor times their mean before the last
//	        call, which moved no process, less the time by which others are shorter) > owedTimes that
//	check   the first call, after the first observation of a run whose start was chosen by a model, if
//	        cost <= step and cost <= checkShare remaining
//	dear    the first call, after dearSteps supersteps that take cost each, with at most dearLeft remaining
//	again   againStages observations after the first call requested for a change, if that
//	        moved no process and cost <= ProofShare (time since)
//	stride  the least power of 2 with stride step >= observedApart + processApart processes
//
// Wait bounds the share of calls in the past time, worth their share in the remaining time. The first
// call has no measured cost, so only worth bounds it. All of these but the pace belong to the guard;
// published strategies (guard=0) use the pace alone.

const (
	// alarmShare is the maximum share, in the time since the last call, of a requested call if the last
	// requested call found no moves. It bounds the cost of false alarms.
	alarmShare = 0.01
	// observedApart is the minimum time between observed stages, in seconds, and processApart is added
	// to it for each process on a rank, so that observing takes a small share of the time. Half of them
	// doubles that share for programs of short supersteps; twice as much doubles the stages until a
	// change is detected, which mostStride bounds.
	observedApart = 300e-6
	processApart  = 60e-6
	mostStride    = 4096
	// trafficShare is the maximum share, in the time since the last call, of recording message traffic;
	// beyond it recording is suspended.
	trafficShare = 1.0 / 300
	// cheapShare and callParts keep calls frequent even in a balanced run, because the balance may not
	// last. Calls that take at most cheapShare of the time are at most the remaining time over
	// callParts apart. Without these bounds alpha of a balanced run grows with the run, and a late load
	// imbalance is detected only after half of the remaining time.
	cheapShare = 0.002
	callParts  = 8
	// worthShare is the maximum share of a call in the remaining time if all ranks are busy.
	worthShare = 0.005
	// changeCalls is the loss, in calls, that counts as a change.
	changeCalls = 2
	// againStages is the number of stages between a call that found no remedy for a change and a second
	// call: enough for a mean, while the first call saw two or three.
	againStages = 6
	// hopeShare is the maximum share of a call in the possible saving of a leap that must be observed
	// for longer: a leap saves the time of many calls or none.
	hopeShare = 0.1
	// endShare is the maximum share, in the run so far, of a call at the end of a loop. Such a call
	// only judges moves and learns for later loops; a run of one loop does not benefit.
	endShare = 0.015
	// owedTimes multiplies the required loss if long stages occur among short ones.
	owedTimes = 2
	// spentShare is the maximum share of all calls but the first in the past and remaining time of the
	// run, in addition to hopeShare of the saving of supersteps so far and of a leap. It is the loss of
	// a run without any possible saving.
	spentShare = 0.0075
	// evidence is the minimum time since the last call, in calls, before a loss is believed: a few
	// short supersteps after moves are no reliable measure of their effect.
	evidence = 4
	// dearSteps is the minimum number of supersteps before the first call, and dearLeft the maximum
	// number that may follow a first call before alpha: of more, alpha supersteps are a small share,
	// and two are no reliable sample.
	dearSteps = 2
	dearLeft  = 100
	// checkShare is the maximum share, in the remaining time, of a call that checks the start.
	checkShare = 0.03
)

// Trigger decides when a rank requests a rescheduling call, and which supersteps it observes. A live
// run has one Trigger per rank, with the same stages, observations and calls; a simulator has one for
// all. A Trigger is used by one goroutine at a time.
//
// Order of calls: Superstep for each superstep of a stage, and Ended if it is observed, with Close
// before a superstep that ends at another position, and after the last; Vote before the barrier of a
// stage's last superstep; Close and StageEnded after it; then, if a call is due or requested, State,
// the call, and Called.
type Trigger struct {
	controller *Controller
	first      int  // first observed stage
	checks     bool // the start was chosen by a model
	stage      int  // completed stages
	stride     int  // one stage in stride is observed

	supersteps   int     // in the open observation
	began, ended float64 // when it began, and when its last superstep ended
	class        int     // closed observations of this stage
	perStage     int     // observations of the last stage
	observations int     // closed, from the first observed stage on

	mark      float64 // when the last call ended
	steps     int     // observations since the last call
	passed    int     // supersteps in these observations
	traffic   float64 // seconds spent recording traffic since the last call
	silent    bool    // recording traffic is suspended, because it took too long
	called    float64 // seconds of the last call
	spent     float64 // seconds of the calls after the first, or since the last surprising change
	moved     float64 // seconds of its moves
	remeasure bool    // a call that measures links must follow at once
	fruitless int     // consecutive calls without moves
	deceived  int     // consecutive calls about a change without moves
	alarmed   bool    // a change has requested a call since the last moves, even if it did not persist
	doubtful  bool    // the last call was the first such call
	slowdown  *slowdown
}

// NewTrigger returns the trigger of a controller's run. Stages before first are not observed: in a live
// run the first stage is unusual because it touches memory first; a simulated run has no such stage.
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

// Timed reports whether StageEnded uses its time argument at the end of the current stage.
func (t *Trigger) Timed() bool {
	return t.Watching() || t.watches(t.stage+1) || t.stage+1 == t.first
}

// RecordsTraffic reports whether traffic is recorded in the current stage.
func (t *Trigger) RecordsTraffic() bool { return t.Watching() && !t.silent }

// Recorded adds the time of recording the traffic of a superstep.
func (t *Trigger) Recorded(seconds float64) { t.traffic += seconds }

// Superstep adds a superstep to the open observation.
func (t *Trigger) Superstep() { t.supersteps++ }

// Ended sets the end time of the superstep.
func (t *Trigger) Ended(now float64) { t.ended = now }

// Outside records the end of a superstep outside of stages. It restarts the numbering of observations.
func (t *Trigger) Outside(now float64) {
	t.class = 0
	t.opens(now)
}

func (t *Trigger) opens(now float64) { t.began, t.ended = now, now }

// Close ends the open observation and returns its step, class and count for the controller. watched is
// false if no observation is open or the stage is not observed.
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

// Vote is a rank's vote at the end of a stage.
type Vote struct {
	Worth bool // a call is worth its cost
	Alarm bool // stages have become slow: request a call
	Short bool // the time between observed stages is too short
}

// Vote returns the rank's vote at the end of a stage, before its barrier. busy is the computing time of
// the rank's processes in the supersteps observed since the last call, left the number of remaining
// stages in the loop, and timed the number of processes timed here, 0 if observing them takes no time.
// A rank without processes does not vote.
func (t *Trigger) Vote(now, busy float64, left, timed int) (v Vote) {
	if !t.Watching() {
		return v
	}
	worth := t.worth(now, busy, left)
	v.Worth = worth && t.within(now, left)
	v.Alarm = left > 0 && (t.overdrawn(now, left) || t.check(now, left) || worth && t.surprising() && t.changed(now) ||
		v.Worth && (t.remeasure || t.dear(now, left) || t.changed(now) || t.again(now)))
	v.Short = timed > 0 && t.steps > 0 &&
		t.Elapsed(now)/float64(t.steps)*float64(t.stride) < t.apart(timed)
	return v
}

// bank returns the run's bank as of the last call, nil if its strategy has none.
func (t *Trigger) bank() *Bank {
	if t.controller.spec.banked() {
		return t.controller.last.Learned.Bank
	}
	return nil
}

// overdrawn reports whether the supersteps since the last call have exceeded the loss limit, as seen by
// this observer, and would lose more than the cost of a call. If the last call found no moves, the next
// is unlikely to, so such calls are limited to the same share of the time as other alarms.
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

// changed reports whether stages have become longer, than usual or than the last call predicted, by
// more in total than the cost of a call: the rule of renting or buying, which limits the cost of
// waiting to the cost of calling. Consecutive calls for this reason without moves raise the price, and
// only the first may come soon after another call. The first is made even if the bank is empty: it
// costs one call, which the guarantee includes in addition to the allowance, and no other follows until
// moves, which must be affordable. Long stages among short ones, for example on a host whose quota runs
// out periodically, also count, once their excess is owedTimes as much. Only runs with the guard use
// it.
func (t *Trigger) changed(now float64) bool {
	times := float64(1 + t.deceived*t.deceived)
	if !t.set().Changed || !t.controller.spec.guarded() || !t.evident(times) && !t.owed(times) {
		return false
	}
	return t.deceived == 0 || t.cost() <= alarmShare*t.Elapsed(now)
}

// surprising reports whether long stages are the first persistent change since moves. Then a call is
// allowed regardless of the time spent on earlier calls.
func (t *Trigger) surprising() bool {
	return !t.alarmed && t.slowdown.lasting() > changeCalls*t.cost()
}

// dear reports whether the first call is due before alpha supersteps: few remain, and each takes longer
// than a call. Only strategies that limit the loss call so early.
func (t *Trigger) dear(now float64, left int) bool {
	seen := t.steps + 1
	return t.controller.spec.banked() && t.controller.last.Call == 0 && seen >= dearSteps &&
		left*max(1, t.perStage) <= dearLeft && t.cost()*float64(seen) <= t.Elapsed(now)
}

// CheckStart requests the first call after the first observed stage. The start was chosen by a model,
// from hints or an earlier run, and the measured work and traffic may differ.
func (t *Trigger) CheckStart() { t.checks = true }

// check reports whether the call requested by CheckStart is due. It is worth more than other first
// calls: a wrong start costs several times the best time.
func (t *Trigger) check(now float64, left int) bool {
	return t.checks && t.controller.spec.banked() && t.controller.last.Call == 0 &&
		t.cost() <= min(t.Elapsed(now), checkShare*t.coming(now, left))
}

// again reports whether a second call after a change is due. The first saw only two or three supersteps
// of the change, and so has large errors in core shares and work. If it found no moves, that is weak
// evidence, but the pace would delay the next call as if it were strong.
func (t *Trigger) again(now float64) bool {
	return t.doubtful && t.steps >= againStages && t.cost() <= t.set().ProofShare*t.Elapsed(now)
}

// evident reports whether stages have become longer in total by more than times the price of a change.
func (t *Trigger) evident(times float64) bool {
	return t.slowdown.long >= t.set().ChangeStages && t.slowdown.excess > times*changeCalls*t.cost()
}

// owed reports whether at least slowStages stages, long ones among them, have lost owedTimes as much.
func (t *Trigger) owed(times float64) bool {
	return t.slowdown.owing >= slowStages && t.slowdown.owed > owedTimes*times*changeCalls*t.cost()
}

// doubts returns the number of consecutive calls without moves that count against the next. Calls
// before a change do not count once it is evident.
func (t *Trigger) doubts() int {
	if t.evident(1) {
		return min(t.fruitless, t.deceived)
	}
	return t.fruitless
}

// worth reports whether a call takes at most a small share of the remaining time, larger if the rank is
// idle, or, at the end of a loop, of the run so far.
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

// coming returns the expected time of the remaining stages, in seconds, at the mean since the last
// call.
func (t *Trigger) coming(now float64, left int) float64 {
	return t.Elapsed(now) / float64(max(1, t.steps)) * float64(left*max(t.perStage, t.class+1))
}

// within reports whether all calls but the first, whose cost cannot be known before, would take, with
// one more call, a small share of the run's past and remaining time, and of the saving so far or of a
// leap. Calls that judge moves are exempt, and calls that are cheap compared with the time since the
// last.
func (t *Trigger) within(now float64, left int) bool {
	b := t.bank()
	if b == nil || t.controller.last.Learned.Pending != nil || t.cost() <= cheapShare*t.Elapsed(now) {
		return true
	}
	return t.spent+t.cost() <= spentShare*(now+t.coming(now, left))+hopeShare*(max(0, b.Saved+b.Paid)+b.Hope)
}

// cost returns the time of the last call, or the expected time of the first.
func (t *Trigger) cost() float64 {
	if t.called > 0 {
		return t.called
	}
	return t.controller.firstCost()
}

// StageEnded ends a stage on all ranks; v is the combined vote. Stage durations are compared with
// earlier ones of the same kind, a small number: the stages of a live run are of one kind, while a
// simulator, for which each superstep is a stage, has a kind for each position in the program. It
// reports whether the stage is the first slow one: measurements from then on count at a requested call,
// see Since.
func (t *Trigger) StageEnded(now float64, kind int, v Vote) (slow bool) {
	t.slowdown.stages++
	t.opens(now)
	if v.Alarm && t.evident(1) {
		if t.surprising() {
			t.spent = 0 // earlier calls are no evidence about the new conditions
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

// Due reports whether a call follows a stage with these votes. last is true after the last stage of a
// loop: no time remains to be saved, so a call is made only if moves must be judged.
func (t *Trigger) Due(v Vote, last bool) bool {
	if last && t.controller.spec.guarded() {
		return v.Worth && t.controller.last.Learned.Pending != nil // moves are still to be judged
	}
	return v.Worth && !t.controller.spec.Off() && t.observations >= t.controller.last.Next
}

// State returns the trigger's part of a rank's report at a call: the total and the recent time since
// the last call, and the remaining observations of the loop, which has left more stages. The recent
// time begins when stages became slow or, on a machine that is not simulated, after the first stage.
// asked reports whether the call was requested.
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

// Barriers returns the number of supersteps per observation, for a Snapshot.
func (t *Trigger) Barriers() float64 { return float64(t.passed) / float64(max(1, t.steps)) }

// Since returns the start of the measurements that count at a call: the last call or, if stages have
// become slow since, the end of the first slow stage, because earlier measurements would hide the
// change. If no rank requested the call, as many slow stages are required as for an alarm.
func (t *Trigger) Since(asked bool) (from float64, slow bool) {
	if asked && t.slowdown.long > 1 || t.evident(1) {
		return t.slowdown.since, true
	}
	return t.mark, false
}

// Elapsed returns the time since the last call.
func (t *Trigger) Elapsed(now float64) float64 { return now - t.mark }

// Observations returns the number of observations so far, which is the Step of a call made now.
func (t *Trigger) Observations() int { return t.observations }

// Called ends a call that took took seconds, without the moved seconds of its moves.
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
	stage := float64(max(1, t.perStage)) // observations per stage
	mean := max(0, t.Elapsed(now)-took) / float64(max(1, t.steps)) * stage
	t.slowdown = t.slowdown.called(moves > 0, mean, t.controller.last.foretold()*stage)
	t.restart(now)
}

func (t *Trigger) restart(now float64) {
	t.mark, t.steps, t.passed, t.traffic = now, 0, 0, 0
	t.opens(now)
	t.slowdown.restart(now)
}

// Progress is the state of a Trigger and its Controller that a rank needs after it took no part in some
// stages, because it had no processes.
type Progress struct {
	Stage, Stride, Class, PerStage, Observations, Steps, Passed int

	Elapsed float64 // since the last call
	Spent   float64 // seconds of the calls that count
	Classes []int   // of the supersteps in the histories' rings
}

// Progress returns the progress of t. It is the same on all ranks, except for clock differences.
func (t *Trigger) Progress(now float64) Progress {
	return Progress{
		Stage: t.stage, Stride: t.stride, Class: t.class, PerStage: t.perStage, Observations: t.observations, Steps: t.steps, Passed: t.passed,
		Elapsed: t.Elapsed(now), Spent: t.spent, Classes: t.controller.classes,
	}
}

// CatchUp sets t to the progress of another rank.
func (t *Trigger) CatchUp(now float64, p Progress) {
	t.stage, t.stride, t.class, t.perStage, t.observations = p.Stage, p.Stride, p.Class, p.PerStage, p.Observations
	t.steps, t.passed = p.Steps, p.Passed
	t.mark, t.spent = now-p.Elapsed, p.Spent
	t.controller.classes = append(t.controller.classes[:0], p.Classes...)
}

// Sample sets the sampling stride, as found by Stride at a call.
func (t *Trigger) Sample(stride int) { t.stride = max(1, stride) }

// Pause excludes seconds that were spent on other tasks.
func (t *Trigger) Pause(seconds float64) {
	t.mark += seconds
	t.began += seconds
	t.slowdown.pause(seconds)
}

// Measured records that the current call began by measuring links for this many seconds. They are
// excluded from the time of supersteps and of the call.
func (t *Trigger) Measured(seconds float64) {
	t.Pause(seconds)
	t.remeasure = false
}

// MeasureSoon requests an immediate call that begins by measuring links. All ranks call it after the
// same call.
func (t *Trigger) MeasureSoon() { t.remeasure = true }

// Stride returns the sampling stride for the superstep times that the ranks report and the number of
// processes on each. The ranks must agree on it.
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

// apart returns the minimum time between two observed stages for a number of processes on a rank.
func (t *Trigger) apart(processes int) float64 {
	return observedApart + processApart*float64(processes)
}
