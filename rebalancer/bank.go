package rebalancer

import (
	"math"

	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// The bank limits the time that a run may lose by rescheduling.
//
// T(t) is the time of the run up to superstep t, with calls and moves, and S(t) the time under the
// initial mapping, see audit.go. Moves that a program requests or that leave a drained rank count as if
// the run had begun with them. The balance is B = S - T, called "saved" in an account. The shares are
// constants in params.Bank.
//
//	allowance  A(t) = max(StakeShare S(t), SeedShare E(t)), where E is the time of the whole run
//	           under the current mapping, or under the initial mapping if that is less;
//	           StakeShare S(t) after a loss
//	spending   moves of cost c are made only if c <= B + A, or half of that after a loss;
//	           or as a leap: one at a time, of at most r E / (2 + RetreatSeen), until it is earned
//	           back, if B without the calls under the initial mapping is at least
//	           -max(StakeShare S, SeedShare E), or, once, if the loss came from wrong speeds that
//	           are known since, or occurred before the initial hosts slowed down by slowFactor,
//	           and if it saves at least LeapGain (c + h). A leap with c above LeapSmall E must
//	           save c + h with confidence (predict.go), and must have been able to save a share
//	           LeapSeen of c in the supersteps so far; other moves must repay their cost before then
//	retreat    let h be the cost of returning to the initial mapping; if B + A < h and the run
//	           loses, it returns, if the remaining loss exceeds h, and a share RetreatSeen of h
//	           was lost since the last moves. Exchanges there count as measured
//	alarm      an extra call is requested when the loss since the last call, as seen by an
//	           observer, exceeds B + A - h
//
// Guarantee. Let S be known exactly, let a call cost at most k, one list of moves at most m, and a
// superstep take at most d longer than under the initial mapping. Then, at the end of each superstep,
//
//	T <= S + A + k + 2.1 m + 2 d
//
// where 2.1 m is at most a share r of the run, the strategy's parameter risk, if moves take the
// predicted time and wrong declared speeds are detected before the first leap. That is A = 1.5 % of S,
// or 1.25 % of the expected time of the whole run if that is more, plus one call, one leap and one
// retreat, a tenth of its cost lost before it starts, and two supersteps. No rule that only looks at
// the past can do without these. Each of k, m and d is a figure of the run.
//
// Proof. By induction over calls: after a call and its moves B + A + L >= -k or the run is on the
// initial mapping, where L <= m is the price of the leap that is not earned back. It holds at the
// start, where A >= 0. Between calls B falls by the losses of supersteps. An observer of all processes
// measures these exactly. An observer of some ranks has an upper bound: the time of its own ranks less
// the longest part of their work by initial rank, because S is at least that part (auditor.exposure).
// So when the loss exceeds B + A - h, the alarm is raised at the end of that superstep, and the ranks
// have agreed on a call at the end of the next: they overshoot by at most 2 d. Then either the run
// retreats for h <= m, and from then on T grows as S does except for calls; or the remaining loss is
// less than h; or the last supersteps have gained, and the next losing superstep is one of those above.
// Spending preserves the claim by its condition, which treats a leap after a loss like one before it:
// losses of the smaller moves were paid from A, at the size of A then. Under the initial mapping calls
// are paid from A: a call is made if it takes at most CallShare of the time, AlarmShare if it is about
// a change, or hopeShare of the saving of a leap that it may lead to; other than for these, calls take
// less than StakeShare. The one call about a change that is made regardless of the balance is the k:
// the next such call needs moves before it, and moves need B + A > 0.
//
// The rule follows renting or buying (Karlin, Manasse, Rudolph, Sleator 1988) and following the better
// of two experts with a switching cost (Blum and Burch 2000), with the adversary paid from a purse that
// grows with the run.
//
// Measured times break two assumptions. S is an estimate, and Bank.Saved uses its lower bound; if the
// measured speeds are inconsistent, S grows by at most the duration of supersteps measured there
// (AtHome.most). And the speed of a host may fall only while it is in use: that is part of d.

// broughtUnseen is the relative error of an estimated saving that sampling cannot detect.
const broughtUnseen = 0.15

// lastsAgain is the expected lifetime of a mapping in multiples of the lifetimes of earlier ones, and
// lastedPart the weight of the latest in their mean. If work changes every few supersteps, moves are
// followed by others before they have paid.
const (
	lastsAgain = 2
	lastedPart = 0.25
)

// Bank is the account, at a call, of the time saved and spent by rescheduling.
type Bank struct {
	Time  float64 // seconds of the run since its first observed stage, with calls and moves; link measurements have a budget of their own
	Saved float64 // lower bound on the seconds saved over the initial mapping
	Paid  float64 // share of Time spent on calls and moves
	Calls float64 // share of Paid spent on calls that left the run on the initial mapping
	Gain  float64 // share of Saved from the supersteps since the last call; negative for a loss
	Limit float64 // loss, in seconds, that triggers a call
	Gone  bool    // back on the initial mapping, no saving since
	// Likely is the best estimate of the seconds saved over the initial mapping, and Doubt its error.
	// They do not affect decisions.
	Likely, Doubt float64

	AtHome AtHome // measurements under the initial mapping

	Here  float64 // share of Saved from the supersteps since the last moves
	Steps int     // number of these supersteps
	Leap  float64 // cost in seconds of the leap that is not earned back, 0 if none
	// Lasted is the recent mean lifetime, in supersteps, of mappings made by moves; 0 until one was
	// replaced.
	Lasted float64

	// Hope is the expected saving, in seconds, of a leap that must be observed for longer; 0 if none.
	Hope float64

	// Forgave reports whether the run has used its one extra leap, which is allowed if the loss limit
	// was exceeded because declared speeds were wrong or because the initial hosts slowed down.
	Forgave bool

	// Suspect is the unexplained time, in seconds, of the supersteps before the last call, if links
	// will be measured for it, and Since the number of these supersteps.
	Suspect float64
	Since   int

	ripe      int            `wire:"-"` // superstep after which a leap has been observed for long enough; 0 if none is pending
	sure      int            `wire:"-"` // superstep after which a leap that surely pays has been observed for long enough; 0 if none
	later     float64        `wire:"-"` // net saving of that leap, in seconds
	forgiven  bool           `wire:"-"` // one leap may ignore the losses so far
	allowance float64        `wire:"-"`
	claim     float64        `wire:"-"` // allowance of the guarantee, also after a loss
	expected  float64        `wire:"-"` // expected seconds of the whole run
	risk      float64        `wire:"-"` // share of expected that a leap may lose
	start     []int32        `wire:"-"` // initial rank of each process
	home      float64        `wire:"-"` // seconds per superstep under the initial mapping: predicted, or, if more, with exchanges as measured there, or measured
	here      float64        `wire:"-"` // seconds per superstep under the current mapping
	set       *params.Params `wire:"-"` // nil for the defaults
}

// AtHome holds measurements of the initial mapping, from calls while it was in use.
type AtHome struct {
	// Exchange is the latest Learned.Exchange there, after Steps supersteps of the run. The first
	// supersteps differ from later ones, so before exchangeSteps of them it is only an upper bound on
	// exchanges there, unless it is less than elsewhere. Off is its relative error.
	Exchange, Steps, Off float64
	PerByte              float64 // seconds of messages per byte that processes sent
	Step                 float64 // seconds per superstep, at the last call
	Span                 int     // supersteps between the last two calls there
	Throttled            float64 // share of time with exhausted quotas
}

// purse returns the seconds that may be spent on moves and on the retreat from their mapping.
func (b *Bank) purse() float64 {
	if b == nil {
		return math.Inf(1)
	}
	purse := b.Saved + b.allowance
	if b.Gone {
		purse /= 2
	}
	return max(0, purse)
}

// lasting returns the share of the next horizon supersteps that a mapping is expected to last.
func (b *Bank) lasting(horizon int) float64 {
	if lasts := b.lasts(); lasts > 0 {
		return min(1, lastsAgain*lasts/float64(max(1, horizon)))
	}
	return 1
}

// lasts returns the expected lifetime of a mapping in supersteps, from earlier mappings and the current
// one; 0 if none was replaced yet.
func (b *Bank) lasts() float64 {
	if b == nil || b.Lasted == 0 {
		return 0
	}
	return max(b.Lasted, float64(b.Steps))
}

// leaps reports whether moves with this cost, expected saving and cost of retreat are a leap that is
// allowed.
func (b *Bank) leaps(cost, saving, home float64) bool {
	return !b.again() && (2+b.set.Or().Bank.RetreatSeen)*cost <= b.risk*b.expected && saving >= b.set.Or().Bank.LeapGain*(cost+home)
}

// again reports whether a leap is ruled out, by a leap not earned back or by a loss beyond the limit.
func (b *Bank) again() bool { return !b.forgiven && (b.Leap > 0 || b.Saved+b.Calls < -b.claim) }

// retreats reports whether the run should return to the initial mapping, at cost way.
func (b *Bank) retreats(way float64, horizon int) bool {
	if b.Steps < b.set.Or().Bank.RetreatSamples && -b.Here < b.allowance/2 {
		return false
	}
	if b.Gain >= 0 || b.Saved+b.Leap+b.allowance > way || -b.Here < b.set.Or().Bank.RetreatSeen*way {
		return false
	}
	return b.home*float64(horizon)+way < b.here*float64(horizon)
}

// Brought returns the seconds that supersteps have saved over the initial mapping, and the error of
// that estimate: Doubt, plus a share broughtUnseen for changes that no sample shows, such as in hosts
// not in use. The cost of calls and moves is not deducted.
func (b *Bank) Brought() (seconds, doubt float64) {
	seconds = b.Likely + b.Paid
	return seconds, b.Doubt + broughtUnseen*math.Abs(seconds)
}
