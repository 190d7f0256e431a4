package rebalancer

import (
	"fmt"
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// The bank: what a run may lose by rescheduling.
//
// T(t) is the time that the run has taken by superstep t, calls and moves included, and
// S(t) what it would have taken with every process where it began, see audit.go. Moves
// that must be, at a program's wish or off a drained rank, count as if the run had begun
// so. The balance is B = S - T; an account may call it "saved". The shares are those of
// params.Bank.
//
//	allowance  A(t) = max(StakeShare S(t), SeedShare E(t)), E the time that the whole run
//	           takes if it goes on as it is, or as it would at the start if that is less; after a loss StakeShare S(t)
//	spending   moves that cost c are made only if c <= B + A, or half of that after a loss;
//	           or as a leap: one such, of at most r E / (2 + RetreatSeen), until it is earned
//	           back, if B, but for calls at home, is no less than -max(StakeShare S, SeedShare E),
//	           and it saves LeapGain (c + h) or more. Where c is more than LeapSmall E it must do
//	           so for sure (surely.go), and have been able to save a part LeapSeen of c in the
//	           supersteps so far
//	way home   let h be what it costs; when B + A < h and the run loses, it goes to the best
//	           of the mappings that it began with and remembers, if what is left to lose is
//	           more than that costs, and a part RetreatSeen of that was lost since the last moves
//	alarm      a call is asked for, besides those that are due, when what an observer sees
//	           of the loss since the last call exceeds B + A - h
//
// Guarantee. Let S be known exactly, let a call cost at most k, one list of moves at most
// m, and a superstep take at most d longer than it would have taken at the start. Then,
// at the end of each superstep,
//
//	T <= S + A + k + 2.1 m + 2 d
//
// where 2.1 m is no more than the part r of the run, which is the strategy's parameter risk, if
// moves take as long as predicted. That is A = 1.5 % of S, or 1.25 % of what the whole run was
// expected to take where that is more, and beside that one call, one leap and one way home, a
// tenth of which is lost before it is gone, and two supersteps: no rule that looks at what was can
// do without them. Each of k, m and d is a figure of the run.
//
// Proof. By induction over calls: after a call and its moves B + A + L >= -k or the run is
// at home, where L <= m is the price of the leap that is not earned back. It holds at the
// start, where A >= 0. Between calls B falls by what supersteps lose. An observer of all
// processes knows that, and one of some ranks a bound from above: what its own ranks took
// less the longest of the parts of their work by home, for S can be no less than that part
// (auditor.exposure). So when the loss exceeds B + A - h, the alarm sounds at the end of
// that superstep, and the ranks have agreed on a call at the end of the next: they
// overshoot by 2 d at most. Then either the run goes home for h <= m, and from then on T
// grows as S does but for calls; or what is left to lose is less than h; or the last
// supersteps have gained, and the next one that loses is one of those above. Spending
// keeps the claim by its condition, in which a leap after a loss is as one before: what the
// smaller moves lost was paid from A, of the size that A had then. At home calls are paid from A:
// one is made while it takes no more than CallShare of the time, AlarmShare about a change, or
// HopeShare of what a leap may save that comes out of it; but for these they are less than
// StakeShare. The one call about a change that is made whatever is left is the k: the next such
// needs moves before it, and these B + A > 0.
//
// The pattern is that of renting or buying (Karlin, Manasse, Rudolph, Sleator 1988) and of
// following the better of two experts with a cost of switching (Blum and Burch 2000), with
// the adversary paid from a purse that grows with the run.
//
// Measured times break two assumptions. S is an estimate: Bank.Saved is its lower end,
// Most its upper. And a host may fall while the run is there and not before, whatever was
// measured: that is part of d.

// bankTries bounds how far tries are put off.
const bankTries = 6

// Bank is the account of what rescheduling has brought, at a call.
type Bank struct {
	Time  float64 // seconds of the run from its first observed stage on, calls and moves included; measuring has a budget of its own
	Saved float64 // seconds that it would have taken more where it began, at least
	Most  float64 // and at most
	Warm  float64 // that Saved may be less, if exchanges where it began are shorter once hosts and lines are warm
	Paid  float64 // of Time, what calls and moves took
	Calls float64 // of Paid, what calls took that left the run where it began
	Gain  float64 // of Saved, what the supersteps since the last call brought; below 0 a loss
	Limit float64 // seconds that may be lost until a call is asked for
	Tries int     // times in a row that it went home
	// Visible is the least part seen of the time that messages take: the rest passes while
	// others still compute, and may do so with a shadow.
	Visible float64
	Keep    bool // the mapping before this call is to be remembered: the best so far

	// AtHome is Learned.Exchange where the run began, as last seen there; 0 before exchangeSteps
	// supersteps, of which the first are not like the others.
	AtHome float64
	// Early is that of however few: where the run began exchanges may take as long.
	Early float64

	Here  float64 // of Saved, what supersteps brought since the last moves, and
	Steps int     // how many these were
	Leap  float64 // seconds that one leap has cost and that are not earned back, 0 if there are none

	// Hope is the seconds that a leap is expected to save which has still to be seen for longer, 0
	// if there is none.
	Hope float64

	// Suspect is the seconds that the supersteps before the last call took for no reason known
	// then, if links are to be measured for it, and Since how many supersteps these were.
	Suspect float64
	Since   int

	ripe      int            `wire:"-"` // superstep after which a leap has been seen for long enough; 0 if there is none to wait for
	allowance float64        `wire:"-"`
	claim     float64        `wire:"-"` // the allowance of the guarantee, also after a loss
	expected  float64        `wire:"-"` // seconds of the whole run
	risk      float64        `wire:"-"` // part of them that may be lost by a leap
	now       []float64      `wire:"-"` // predicted seconds of a superstep with each shadow
	here      float64        `wire:"-"` // and with the mapping that is
	shadows   [][]int32      `wire:"-"`
	set       *params.Params `wire:"-"` // nil for the default ones
}

// banked reports whether a run's strategy has a bank.
func (c *Controller) banked() bool {
	return !c.spec.Off() && c.spec.definition.Banked && c.guarded() && c.spec.Moves() && c.set.Or().Bank.On
}

// audit brings the bank up to date. Where links are to be measured, slow ones may be in use here
// and not at the start.
func (c *Controller) audit(v View, measure bool) *Bank {
	m := newCostModel(v)
	shadows := c.auditor.shadows
	f := bankFigures{horizon: m.Horizon}
	f.sends, f.waits = m.Communication(v.Where), m.Barrier(v.Where)
	if b := c.learned.Bank; b != nil {
		f.atHome, f.early = b.AtHome, b.Early
	}
	if slices.Equal(v.Where, shadows[0]) {
		if f.early = m.Exchange; v.Step >= exchangeSteps {
			f.atHome = m.Exchange
		}
	}
	for k, where := range shadows {
		of := *m
		if k == 0 && f.atHome > 0 {
			of.Exchange = f.atHome
		}
		f.shadowSends = append(f.shadowSends, of.Communication(where))
		f.shadowWaits = append(f.shadowWaits, of.Barrier(where))
	}
	if f.atHome == 0 && m.Exchange > 0 {
		early := f.early / m.Exchange
		f.longer, f.shorter = max(0, early-1)*f.exchanges()[0], max(0, 1-exchangeSettles*early)*f.exchanges()[0]
	}
	f.audited = newAudited(v, f.exchanges())
	if !f.known {
		f.real = m.compute(v.Where, m.EqualWeights(), nil)
		for k, where := range shadows {
			f.shadow[k] = m.compute(where, m.EqualWeights(), nil)
		}
	}
	if measured, _ := measuredStep(v.Ranks); measure {
		f.excess = max(0, measured-f.real-f.sends-f.waits-c.learned.Unexplained)
	}
	f.overlap = m.overlap(shadows[0], f.shadow[0], f.shadowSends[0])
	to := newForecastModel(v)
	f.rest = to.rest(v.Where, to.Trend())
	return c.balance(v.Ranks, f)
}

// bankFigures are what an audit goes by, in seconds of a superstep: besides what processes
// computed what messages and barriers are predicted to take as it is, and with each shadow.
type bankFigures struct {
	audited
	sends, waits             float64
	shadowSends, shadowWaits []float64
	atHome, early            float64 // of the Bank
	longer, shorter          float64 // that exchanges may take more and less where the run began, as far as early is known
	overlap                  float64 // of shadowSends[0], what may have passed while others computed
	excess                   float64 // that nothing known explains, where links are to be measured
	horizon                  int
	rest                     float64 // of the supersteps to come, as predicted
}

// exchanges are what messages and barriers take with each shadow.
func (f *bankFigures) exchanges() []float64 {
	all := slices.Clone(f.shadowSends)
	for k, waits := range f.shadowWaits {
		all[k] += waits
	}
	return all
}

// overlap is how much of what messages take with a mapping may pass while others still compute,
// where lines were found to be slow: the host of such a one may be done long before others are.
func (m *costModel) overlap(where []int32, computes, sends float64) float64 {
	if m.Platform.Lines == nil {
		return 0
	}
	all, usual := *m, *m.Platform
	usual.Lines = nil
	all.Platform = &usual
	return sends - max(min(sends, all.Communication(where)), sends-computes)
}

// balance brings the bank up to date with the figures of a call.
func (c *Controller) balance(ranks []RankState, f bankFigures) *Bank {
	b := &Bank{Visible: 1}
	if c.learned.Bank != nil {
		*b = *c.learned.Bank
	}
	b.AtHome, b.Early = f.atHome, f.early
	b.Keep, b.ripe, b.Hope, b.shadows, b.set, b.risk = false, 0, 0, c.auditor.shadows, c.set, c.spec.value("risk")
	measured, steps := measuredStep(ranks)
	elapsed, paid, moved := measured*float64(steps), 0.0, 0.0
	for _, r := range ranks {
		paid, moved = max(paid, r.Called+r.Moved), max(moved, r.Moved)
	}
	real, shadow := f.real, f.shadow
	doubt, level := f.doubt(steps)
	b.here = real + f.sends + f.waits
	b.now = make([]float64, len(shadow))
	for k := range shadow {
		b.now[k] = shadow[k] + f.shadowSends[k] + f.shadowWaits[k]
	}
	seen := min(max(0, measured-real-f.waits), f.sends) // of what messages take
	if f.sends > 0 && steps > 0 {
		b.Visible = min(b.Visible, seen/f.sends)
	}
	least, most := elapsed, elapsed
	if f.known && steps > 0 {
		hidden := max((1-b.Visible)*f.shadowSends[0], f.overlap)
		low, high := b.now[0]-hidden-doubt, b.now[0]+f.longer+doubt
		least, most = without(measured, real+seen+f.waits, low, high)
		warm, _ := without(measured, real+seen+f.waits, low-f.shorter, high)
		b.Warm += max(0, least-max(warm, shadow[0]-level)) * float64(steps)
		least, most = max(least, shadow[0]-level)*float64(steps), max(most, shadow[0]+doubt)*float64(steps)
	}
	b.Gain = least - elapsed
	b.Here, b.Steps = b.Here+b.Gain, b.Steps+steps
	b.Time, b.Paid = b.Time+elapsed+paid, b.Paid+paid
	if moved == 0 && slices.Equal(c.where, b.shadows[0]) {
		b.Calls += paid
	}
	b.Saved += b.Gain - paid
	b.Most += most - elapsed - paid
	if b.Suspect > 0 && c.relinked {
		// Now it is known which links were slow then.
		lost := min(b.Suspect, float64(b.Since)*max(0, f.sends-f.shadowSends[0]+f.overlap))
		b.Saved, b.Here = b.Saved-lost, b.Here-lost
	}
	b.Suspect, b.Since = f.excess*float64(steps), steps
	// What may be lost is a part of what the run takes at the start: a mapping that makes it longer
	// does not allow more.
	rest := float64(f.horizon) * measured
	if steps > 0 {
		rest = min(rest, float64(f.horizon)*least/float64(steps))
	}
	if b.Saved > 0 {
		b.Tries, b.Leap = 0, 0
	}
	b.allowance = b.set.Or().Bank.StakeShare * (b.Time + b.Saved)
	b.claim = max(b.allowance, b.set.Or().Bank.SeedShare*(b.Time+b.Saved+rest))
	if b.Tries == 0 {
		b.allowance = b.claim
	}
	// Work that is seen to grow makes a longer run, as far as forecasts are trusted.
	b.expected = b.Time + b.Saved + rest + c.learned.Trust*max(0, f.rest-rest)
	return b
}

// without is what a superstep that was measured would have taken with a shadow, at least and
// at most, from what is known of it as it was and would have been: what was measured beyond
// that is the same for both, or in proportion, as far as it is not more than that.
func without(measured, here, low, high float64) (least, most float64) {
	least, most = measured+low-here, measured+high-here
	if here > 0 {
		beyond := min(measured-here, here)
		least = min(least, least+beyond*(low/here-1))
		most = max(most, most+beyond*(high/here-1))
	}
	return max(0, least), max(0, most)
}

// purse is what may be spent on moves and on the way home from where they lead.
func (b *Bank) purse() float64 {
	if b == nil {
		return math.Inf(1)
	}
	purse := b.Saved + b.allowance
	if b.Tries > 0 {
		purse /= 2
	}
	return max(0, purse)
}

// allows reports whether moves may be made that cost so much, are expected to save so
// much, and lead to where the way home costs so much: out of the purse, or as the one leap.
func (b *Bank) allows(cost, saving, home float64) bool {
	return b == nil || cost <= b.purse() || b.leaps(cost, saving, home)
}

// allows reports whether moves may be made to a mapping. A leap must be sure to save so much.
func (v *View) allows(cost, saving float64, where []int32) bool {
	if v.Bank == nil || cost <= v.Bank.purse() {
		return true
	}
	home := v.homeward(where)
	if !v.Bank.leaps(cost, saving, home) {
		return false
	}
	if cost <= v.Bank.set.Or().Bank.LeapSmall*v.Bank.expected {
		return true
	}
	sure, ripe := costTrust(v.Learned)*surely(*v, where), 2*v.Step
	if v.Bank.leaps(cost, sure, home) {
		ripe = int(math.Ceil(v.Bank.set.Or().Bank.LeapSeen * cost / sure * float64(costHorizon(v.Ranks))))
	}
	if v.Step >= ripe {
		return true
	}
	if v.Bank.ripe == 0 || ripe < v.Bank.ripe {
		v.Bank.ripe, v.Bank.Hope = ripe, saving
	}
	return false
}

// leaps reports whether moves are a leap that may be made.
func (b *Bank) leaps(cost, saving, home float64) bool {
	return b.Leap == 0 && b.Saved+b.Calls >= -b.claim && cost <= b.risk/(2+b.set.Or().Bank.RetreatSeen)*b.expected && saving >= b.set.Or().Bank.LeapGain*(cost+home)
}

// homeward is what the way home from a mapping costs.
func (v *View) homeward(where []int32) float64 {
	if v.Bank == nil {
		return 0
	}
	moves := v.between(where, v.Bank.shadows[0])
	if len(moves) == 0 {
		return 0
	}
	return costTransfer(v.Platform, moves) + costCall(v.Ranks)
}

// between is the moves from one mapping to another.
func (v *View) between(from, to []int32) (moves []Move) {
	for i := range v.Processes {
		pid := v.Processes[i].Pid
		if from[pid] != to[pid] {
			moves = append(moves, Move{Pid: pid, From: int(from[pid]), To: int(to[pid]), Bytes: v.Processes[i].State})
		}
	}
	return moves
}

// retreat is the way from a mapping that loses to the best shadow, once the purse holds no
// more than that; nil if it is not time.
func (b *Bank) retreat(v View) []Move {
	ways := make([]float64, len(b.shadows))
	for k, where := range b.shadows {
		if moves := v.between(v.Where, where); len(moves) > 0 {
			ways[k] = costTransfer(v.Platform, moves) + costCall(v.Ranks)
		}
	}
	best := b.retreats(ways, costHorizon(v.Ranks), slices.Equal(v.Where, b.shadows[0]))
	if best < 0 {
		return nil
	}
	return v.between(v.Where, b.shadows[best])
}

// retreats is the shadow to go back to, -1 if it is not time to: ways is what it costs to go
// to each, 0 where there is nothing to move.
func (b *Bank) retreats(ways []float64, horizon int, home bool) int {
	if b.Steps < b.set.Or().Bank.RetreatSamples && -b.Here < b.allowance/2 {
		return -1
	}
	if b.Gain >= 0 || b.Saved+b.Leap+b.allowance > ways[0] || home {
		return -1
	}
	best, least := -1, b.here*float64(horizon)
	for k, way := range ways {
		if total := b.now[k]*float64(horizon) + way; way > 0 && total < least {
			best, least = k, total
		}
	}
	if best >= 0 && -b.Here < b.set.Or().Bank.RetreatSeen*ways[best] {
		return -1
	}
	return best
}

// goHome adds the way to the best shadow to a decision, as far as there is room, and reports
// whether there is any.
func (d *Decision) goHome(v View) bool {
	b := d.Learned.Bank
	t := newTrial(v)
	began := len(d.Moves)
	for _, m := range b.retreat(v) {
		p := &v.Processes[m.Pid]
		if p.Pinned || v.Rates[m.To] <= 0 || !t.fits(p, m.To) {
			continue
		}
		m = t.accept(p, m.To, fmt.Sprintf("rescheduling has lost %.3g s so far: back to what did better", -b.Saved))
		d.Moves = append(d.Moves, m)
		d.Verdicts = append(d.Verdicts, Verdict{Pid: m.Pid, Potential: p.Best, To: m.To, Moves: true, Rule: m.Reason})
	}
	if len(d.Moves) == began {
		return false
	}
	d.retreated()
	return true
}

// retreated puts the next try off, as the run goes home.
func (d *Decision) retreated() {
	b := d.Learned.Bank
	b.Tries = min(b.Tries+1, bankTries)
	d.Learned.Trust = max(d.Learned.Trust/2, b.set.Or().Guard.TrustLeast)
	d.Learned.Pending = nil
}

// settle fixes what may be lost until the next call, after moves to a mapping.
func (b *Bank) settle(v View, after []int32, cost float64) {
	b.leave(!slices.Equal(v.Where, after), slices.Equal(v.Where, b.shadows[0]), cost, v.homeward(after))
}

// leave does so where there may be moves, from the mapping of the start or another one, that cost
// so much and lead to where the way home costs so much.
func (b *Bank) leave(moves, start bool, cost, home float64) {
	b.Limit = max(0, b.Saved+b.Leap-cost+b.allowance-home)
	// The mapping that is left did well if it was better than the one remembered.
	if moves {
		b.Here, b.Steps = 0, 0
	}
	b.Keep = moves && !start && b.here < b.now[0] && (len(b.shadows) < 2 || b.here < b.now[1])
}
