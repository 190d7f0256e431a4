package rebalancer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// Decide returns the decision of a call. It does not modify c; controllers with the same state reach
// the same decision from the same snapshot.
//
// It first learns the ranks' speeds from the last moves and judges these moves, unless the work shifts
// between processes, because then they were made for other work. Requested moves and moves off drained
// ranks come next. Then moves that did not pay are undone or, if none are, the strategy chooses. With
// the guard, the strategy's moves are made only if they are expected to pay. The pace follows from the
// supersteps since the last call and from whether any process moves.
//
// A snapshot of other ranks or processes than this run's moves no process.
func (c *Controller) Decide(s Snapshot) Decision {
	d := Decision{Step: s.Step, Call: c.last.Call + 1, Before: c.last.After, Learned: c.last.Learned}
	if d.WhyNone = c.mismatch(&s); d.WhyNone != "" {
		d.Bound.Split = -1
		c.paceFor(&s, &d)
		return d
	}
	v := c.view(&s, &d)
	ahead := sync.OnceValue(func() bool { return newForecastModel(v).Ahead })
	corrected, learns := c.learn(&v, &s, &d, ahead), false
	if pending := c.last.Learned.Pending; pending != nil {
		d.Outcome = outcomeOf(v, pending)
		if d.Outcome != nil && d.Outcome.Sure {
			d.Learned.Pending = nil
			learns = !ahead()
		}
		if learns {
			d.Learned.Trust = trustAfter(v, d.Outcome)
		}
	}
	v.Rates = c.ratesAsSeen(v)
	c.unexplainedTime(v, &d)
	if d.UnexplainedTime == 0 || c.last.UnexplainedTime > 0 { // a persistent excess counts as exchange until links are measured
		d.Learned.Exchange = exchanged(c.spec, v, c.last.Learned.Exchange)
	}
	if c.auditor != nil {
		d.Learned.Bank = c.audit(v, d.UnexplainedTime > 0)
	}
	if c.spec.banked() {
		v.Bank, d.Learned.Usual = d.Learned.Bank, c.usual(v)
		if corrected || v.Bank.again() && slices.Equal(c.where, v.Bank.start) && c.slowed(v) {
			v.Bank.forgiven = !v.Bank.Forgave
		}
	}
	if f := foretell(v); f != nil {
		v.foretold = f
		d.Foretelling = &Foretelling{f.Told, f.Past, f.Used}
	}
	m := newForecastModel(v)
	v.coming, d.Prediction.By = m.Series, m.by
	d.Learned.Errors = errorsAfter(c.last, &s)
	d.Bound = boundOf(v)
	after := d.forcedMoves(v)
	for _, m := range d.Moves {
		d.Forced = append(d.Forced, int32(m.Pid))
	}
	if c.spec.Off() {
		d.WhyNone = "rescheduling is off"
	} else {
		c.strategyMoves(after, &d, learns, corrected)
	}
	d.finish(v)
	if len(d.Moves) > 0 && c.spec.params().Guard.Learn && !d.Learned.LearnsNoMore {
		d.Learned.LastMoves = lastMoves(v, d.Moves)
	}
	d.sure()
	if v.Bank != nil {
		v.Bank.settle(v, costMoved(c.where, d.Moves), d.Forecast.Cost)
		if v.Bank.broke() && slices.Equal(c.where, v.Bank.start) {
			d.UnexplainedTime = 0 // slow links do not matter if no moves are allowed
		}
	}
	c.paceFor(&s, &d)
	return d
}

// view returns the strategy's input at a call, with the ranks' availability as reported.
func (c *Controller) view(s *Snapshot, d *Decision) View {
	d.Learned.Speeds = slices.Clone(c.last.Learned.Speeds)
	d.Learned.Available = available(&c.platform, s, func(r *RankState) float64 { return r.Available })
	return View{
		Platform: &c.platform, Snapshot: s, Where: c.where, Rates: rates(s, d.Learned.Speeds, d.Learned.Available), Learned: &d.Learned, Call: d.Call,
		Alpha: c.observed(s).working, set: c.spec.tuned,
	}
}

// mismatch describes the difference between a snapshot and the run, or returns "".
func (c *Controller) mismatch(s *Snapshot) string {
	if len(s.Ranks) != len(c.platform.Ranks) || len(s.Processes) != len(c.where) {
		return fmt.Sprintf("the reports are of %d ranks and %d processes; the run has %d and %d",
			len(s.Ranks), len(s.Processes), len(c.platform.Ranks), len(c.where))
	}
	for i, p := range s.Processes {
		if p.Pid != i || p.Rank != int(c.where[i]) {
			return fmt.Sprintf("process %d is reported on rank %d; process %d is on rank %d", p.Pid, p.Rank, i, c.where[i])
		}
	}
	return ""
}

// learn updates the ranks' speeds, and all figures based on them, from the last moves. It reports
// whether some speed differs much from the previous one. ahead reports whether future work differs from
// the measured work; then speeds cannot be learned from it.
func (c *Controller) learn(v *View, s *Snapshot, d *Decision, ahead func() bool) (far bool) {
	l := c.last.Learned.LastMoves
	if l == nil {
		return false
	}
	heard := l.evidence(*v)
	if heard == nil || ahead() {
		return false
	}
	again, learned := *l, &d.Learned
	again.told = true
	learned.Speeds, learned.Told, learned.LearnsNoMore = learnSpeeds(*v, l, heard)
	if learned.LastMoves = &again; learned.Told == nil {
		learned.LastMoves = nil
	}
	v.Rates = rates(s, learned.Speeds, learned.Available)
	c.relearnAll(s, learned.Speeds)
	for r, speed := range learned.Speeds {
		far = far || math.Abs(math.Log(speed/c.last.Learned.Speeds[r])) > speedFar
	}
	return far && learned.Told != nil
}

// relearnAll rescales all work in the snapshot to new speeds. It copies the slices that it changes.
func (c *Controller) relearnAll(s *Snapshot, speeds []float64) {
	s.Processes, s.Audits = slices.Clone(s.Processes), slices.Clone(s.Audits)
	for i := range s.Processes {
		p := &s.Processes[i]
		p.RecentWork = slices.Clone(p.RecentWork)
		p.Work *= c.relearn(p.Pid, p.RecentWork, p.SinceMove, speeds)
	}
	for i := range s.Audits {
		u := &s.Audits[i]
		u.Parts = slices.Clone(u.Parts)
		for k := range u.Parts {
			u.Parts[k].Work = slices.Clone(u.Parts[k].Work)
			scale(u.Parts[k].Work, speeds[u.Rank]/c.last.Learned.Speeds[u.Rank])
		}
	}
}

// available returns the share of each rank's processor that the run gets: 1 if unknown, and an equal
// part for ranks that share cores.
func available(p *Platform, s *Snapshot, share func(r *RankState) float64) []float64 {
	all := make([]float64, len(s.Ranks))
	for i := range s.Ranks {
		if all[i] = share(&s.Ranks[i]); !(all[i] > 0) {
			all[i] = 1
		}
	}
	cost.NewCrowds(p).Pool(all, func(rank int) bool { return s.Ranks[rank].Drained })
	return all
}

// rates returns the ranks' work per second: learned speed times availability.
func rates(s *Snapshot, speeds, available []float64) []float64 {
	all := make([]float64, len(s.Ranks))
	for i, r := range s.Ranks {
		if !r.Drained {
			all[i] = speeds[i] * available[i]
		}
	}
	return all
}

// usualLeast is the minimum weight, in the usual shares, of the supersteps since the last call.
const usualLeast = 1.0 / 16

// usual returns each rank's mean CPU share so far: the harmonic mean over supersteps.
func (c *Controller) usual(v View) []float64 {
	_, steps := MeasuredStep(v.Snapshot.Ranks)
	part := max(usualLeast, min(1, ratioOr(float64(steps), float64(v.Snapshot.Step), 1)))
	all := slices.Clone(v.Learned.Available)
	for r, was := range c.last.Learned.Usual {
		all[r] = 1 / ((1-part)/max(leastAvailable, was) + part/max(leastAvailable, all[r]))
	}
	return all
}

// ratesAsSeen returns the ranks' rates under their quotas, raised if the supersteps since the last
// call, including exchanges, were shorter than their work allows. Then ranks had saved up quota, and
// their rates were higher by the same factor, up to their rates while quotas last.
func (c *Controller) ratesAsSeen(v View) []float64 {
	measured, steps := MeasuredStep(v.Snapshot.Ranks)
	if steps == 0 || !v.bursts() {
		return v.Rates
	}
	m := newCostModel(v)
	factor := m.compute(v.Where) / measured
	if !(factor > 1) {
		return v.Rates
	}
	return rates(v.Snapshot, v.Learned.Speeds, available(&c.platform, v.Snapshot, func(r *RankState) float64 {
		share := v.Learned.Available[r.Rank]
		return max(share, min(v.burst(r.Rank), share*factor))
	}))
}

// strategyMoves adds the moves of the strategy or, if learns is true, moves that undo those just
// judged.
func (c *Controller) strategyMoves(v View, d *Decision, learns, corrected bool) {
	guard, strategy := c.spec.guarded(), c.spec.definition.New(c.spec.values)
	if v.Bank != nil && !corrected && d.goHome(v) {
		return
	}
	if s, remembers := strategy.(pubPredict); remembers {
		loads := s.remember(v)
		defer func() { d.Learned.Loads = loads }() // also if moves are undone
	}
	if guard && learns && !corrected && c.spec.params().Guard.TakeBack {
		// Moves back are not judged, because they could be undone in turn without end.
		pending := c.last.Learned.Pending
		back := undo(v, pending, d.Outcome)
		if v.moving(back) <= v.Bank.purse() && d.back(v, back, fmt.Sprintf("call %d did not pay", pending.Call)) {
			return
		}
	}
	wanted, verdicts := strategy.Choose(v)
	dear := ""
	if s, searches := strategy.(*autoStrategy); searches {
		d.Searched, dear = s.looked, s.dear
	}
	// A custom strategy may not consider ranks that share cores.
	t := newTrial(v)
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(m Move) bool { return t.idle(m.From, m.To) })
	refuse(verdicts, sharedRule, wanted)
	moves := inRoom(v, wanted)
	refuse(verdicts, "no room once the others have moved", moves)
	m := newForecastModel(v)
	f := m.forecast(moves)
	forced := len(d.Moves) > 0
	if len(moves) == 0 {
		d.WhyNone = cmp.Or(dear, whyNothing(verdicts)) + v.Bank.spent()
	} else if rule := c.refusal(v, d, moves, f, m.byChance(costMoved(v.Where, moves))); rule != "" {
		refuse(verdicts, rule, nil)
	} else {
		d.Learned.Pending = &Pending{Call: d.Call, Step: d.Step, Moves: slices.Clone(moves), Forecast: f}
		d.Moves = append(d.Moves, moves...)
	}
	if v.Bank != nil && corrected && d.Learned.Pending == nil && d.goHome(v) {
		return
	}
	if !forced && len(d.Moves) == len(moves) {
		d.Forecast = f
	}
	d.Verdicts = append(d.Verdicts, verdicts...)
}

// refusal returns the rule that forbids moves with a forecast, or "", and records the reason in d.
// chance is the saving in seconds that could be due to chance; it does not count.
func (c *Controller) refusal(v View, d *Decision, moves []Move, f Forecast, chance float64) (rule string) {
	b := v.Bank
	saving, wanted := f.Before-f.After-chance, moveCount(len(moves))
	trust := v.trust()
	trusted := saving * trust
	switch {
	case c.spec.value("moves") == 0:
		d.WhyNone = fmt.Sprintf("%s would save %.3g s of the next %d supersteps, but moves=0", wanted, saving, f.Horizon)
		return "moves=0"
	case c.spec.guarded() && !(trusted > f.Cost):
		d.WhyNone = fmt.Sprintf("%s would save %.3g s (trusted to %.0f%%) of the next %d supersteps and cost %.3g s",
			wanted, saving, 100*trust, f.Horizon, f.Cost)
		return fmt.Sprintf("saving %.3g s does not cover the cost %.3g s", trusted, f.Cost)
	case !v.allows(f.Cost, trusted, costMoved(v.Where, moves)):
		d.WhyNone = fmt.Sprintf("%s would cost %.3g s; rescheduling has saved %.3g s so far and may spend %.3g s", wanted, f.Cost, b.Saved, b.purse())
		return fmt.Sprintf("its cost exceeds the %.3g s that may be spent", b.purse())
	}
	if b != nil && f.Cost > b.purse() {
		b.Leap, b.Forgave = f.Cost, b.Forgave || b.forgiven
	}
	return ""
}

// whyNothing returns the reason why a strategy moves no process: the rule that held back the process
// with the largest potential.
func whyNothing(verdicts []Verdict) string {
	if len(verdicts) == 0 {
		return "no move was found that pays"
	}
	top := slices.MaxFunc(verdicts, func(a, b Verdict) int { return cmp.Compare(a.Potential.PM(), b.Potential.PM()) })
	return fmt.Sprintf("no move was found that pays; process %d: %s", top.Pid, top.Rule)
}

// refuse records why in the verdicts of moves that are not in made.
func refuse(verdicts []Verdict, why string, made []Move) {
	moves := make(map[int]bool, len(made))
	for _, m := range made {
		moves[m.Pid] = true
	}
	for i := range verdicts {
		if v := &verdicts[i]; v.Moves && !moves[v.Pid] {
			v.Moves, v.Rule = false, why
		}
	}
}

// finish sorts moves and verdicts by pid and leaves one of each per process. It computes the forecast
// unless the forecast of the strategy's moves covers all moves.
func (d *Decision) finish(before View) {
	d.Moves = composed(before, d.Moves)
	d.Verdicts = decisive(d.Verdicts)
	if d.Forecast == (Forecast{}) {
		d.Forecast = newForecastModel(before).forecast(d.Moves)
	}
	if len(d.Moves) > 0 {
		d.WhyNone = ""
	}
}

// decisive leaves one verdict per process: the last that moves it, otherwise the first.
func decisive(verdicts []Verdict) []Verdict {
	sortVerdicts(verdicts)
	n := 0
	for _, v := range verdicts {
		switch {
		case n == 0 || verdicts[n-1].Pid != v.Pid:
			verdicts[n] = v
			n++
		case v.Moves:
			verdicts[n-1] = v
		}
	}
	return verdicts[:n]
}

// composed joins successive moves of a process into one.
func composed(before View, moves []Move) []Move {
	at := make(map[int]int)
	var all []Move
	for _, m := range moves {
		if i, moved := at[m.Pid]; moved {
			all[i].To = m.To
			continue
		}
		at[m.Pid] = len(all)
		all = append(all, m)
	}
	return slices.DeleteFunc(all, func(m Move) bool { return m.To == int(before.Where[m.Pid]) })
}
