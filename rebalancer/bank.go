package rebalancer

import (
	"math"

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
//	           or, once, that was lost by wrong speeds that are known since, or before computing at the start
//	           came to take slowFactor times as long as it did, for what hosts there give,
//	           and it saves LeapGain (c + h) or more. Where c is more than LeapSmall E it must save
//	           c + h for sure (predict.go), and have been able to save a part LeapSeen of c in the
//	           supersteps so far; what other moves save until then must pay for them
//	way home   let h be what it costs; when B + A < h and the run loses, it goes to where
//	           it began, whose exchanges count as they took there, if what is left to lose is more
//	           than that costs, and a part RetreatSeen of that was lost since the last moves
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
// moves take as long as predicted, and speeds, where they are not as declared, are found out before the first
// leap. That is A = 1.5 % of S, or 1.25 % of what the whole run was
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
// hopeShare of what a leap may save that comes out of it; but for these they are less than
// StakeShare. The one call about a change that is made whatever is left is the k: the next such
// needs moves before it, and these B + A > 0.
//
// The pattern is that of renting or buying (Karlin, Manasse, Rudolph, Sleator 1988) and of
// following the better of two experts with a cost of switching (Blum and Burch 2000), with
// the adversary paid from a purse that grows with the run.
//
// Measured times break two assumptions. S is an estimate, of which Bank.Saved is the lower end; where moves tell of
// speeds what cannot be, it grows by no more than supersteps took there (AtHome.most). And
// a host may fall while the run is there and not before, whatever was measured: that is part of d.

// broughtUnseen is the part of what moves brought that it may be off by for what no sample shows.
const broughtUnseen = 0.15

// lastsAgain is how many times as long as those before it a mapping is expected to last, and lastedPart what the latest
// counts in their mean. Where work turns every few supersteps moves are followed by others before they have
// paid.
const (
	lastsAgain = 2
	lastedPart = 0.25
)

// Bank is the account of what rescheduling has brought, at a call.
type Bank struct {
	Time  float64 // seconds of the run from its first observed stage on, calls and moves included; measuring has a budget of its own
	Saved float64 // seconds that it would have taken more where it began, at least
	Paid  float64 // of Time, what calls and moves took
	Calls float64 // of Paid, what calls took that left the run where it began
	Gain  float64 // of Saved, what the supersteps since the last call brought; below 0 a loss
	Limit float64 // seconds that may be lost until a call is asked for
	Gone  bool    // it went home, and has saved nothing since
	// Likely is the seconds that it would have taken more where it began, as is most likely, and Doubt how far off
	// that may be. They decide of nothing.
	Likely, Doubt float64

	AtHome AtHome // what was seen where the run began

	Here  float64 // of Saved, what supersteps brought since the last moves, and
	Steps int     // how many these were
	Leap  float64 // seconds that one leap has cost and that are not earned back, 0 if there are none
	// Lasted is how many supersteps mappings have lasted that moves had made, of late, 0 before the first of them was left.
	Lasted float64

	// Hope is the seconds that a leap is expected to save which has still to be seen for longer, 0
	// if there is none.
	Hope float64

	// Forgave says that a leap was made after a loss beyond what may be lost, for that was explained by speeds other than
	// believed, which are known since, or hosts of the start have become slow: there is one such leap.
	Forgave bool

	// Suspect is the seconds that the supersteps before the last call took for no reason known
	// then, if links are to be measured for it, and Since how many supersteps these were.
	Suspect float64
	Since   int

	ripe      int            `wire:"-"` // superstep after which a leap has been seen for long enough; 0 if there is none to wait for
	sure      int            `wire:"-"` // superstep after which one that is sure to pay has been; 0 if there is none
	later     float64        `wire:"-"` // seconds that it saves, less what it costs
	forgiven  bool           `wire:"-"` // what was lost does not stand against one leap
	allowance float64        `wire:"-"`
	claim     float64        `wire:"-"` // the allowance of the guarantee, also after a loss
	expected  float64        `wire:"-"` // seconds of the whole run
	risk      float64        `wire:"-"` // part of them that may be lost by a leap
	start     []int32        `wire:"-"` // rank of each process where the run began
	home      float64        `wire:"-"` // seconds of a superstep there: as predicted, or if that is more with exchanges as they took there, or as it took there itself
	here      float64        `wire:"-"` // and with the mapping that is
	set       *params.Params `wire:"-"` // nil for the default ones
}

// AtHome is what was seen where the run began, at calls while all processes were there.
type AtHome struct {
	// Exchange is Learned.Exchange there, as last seen, after Steps of the run's supersteps. Before exchangeSteps of
	// them, of which the first are not like the others, it only says how long exchanges may take there, unless that is less
	// than elsewhere. Off is how far off it may be, as a part of it.
	Exchange, Steps, Off float64
	PerByte              float64 // seconds that messages took for each byte that processes sent
	Step                 float64 // seconds of a superstep, at the last call
	Span                 int     // supersteps between the last call there and the one before
	Throttled            float64 // part of the time in which quotas were used up
}

// purse is what may be spent on moves and on the way home from where they lead.
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

// lasting is the part of so many supersteps to come that a mapping is expected to last.
func (b *Bank) lasting(horizon int) float64 {
	if lasts := b.lasts(); lasts > 0 {
		return min(1, lastsAgain*lasts/float64(max(1, horizon)))
	}
	return 1
}

// lasts is how many supersteps a mapping lasts, by those that were left and the one that is; 0 if none was.
func (b *Bank) lasts() float64 {
	if b == nil || b.Lasted == 0 {
		return 0
	}
	return max(b.Lasted, float64(b.Steps))
}

// leaps reports whether moves that cost so much, are expected to save so much, and lead to where the way home costs
// so much, are a leap that may be made.
func (b *Bank) leaps(cost, saving, home float64) bool {
	return !b.again() && (2+b.set.Or().Bank.RetreatSeen)*cost <= b.risk*b.expected && saving >= b.set.Or().Bank.LeapGain*(cost+home)
}

// again reports whether a leap would not be the first: one is not earned back, or more was lost than may be.
func (b *Bank) again() bool { return !b.forgiven && (b.Leap > 0 || b.Saved+b.Calls < -b.claim) }

// retreats reports whether it is time to go back to the start, to which the way costs so much.
func (b *Bank) retreats(way float64, horizon int) bool {
	if b.Steps < b.set.Or().Bank.RetreatSamples && -b.Here < b.allowance/2 {
		return false
	}
	if b.Gain >= 0 || b.Saved+b.Leap+b.allowance > way || -b.Here < b.set.Or().Bank.RetreatSeen*way {
		return false
	}
	return b.home*float64(horizon)+way < b.here*float64(horizon)
}

// Brought is how many seconds more the supersteps would have taken where the run began, and how
// far off that may be: Doubt, and broughtUnseen of it for what no sample shows, such as hosts that change
// while nobody is there. What calls and moves took is not deducted.
func (b *Bank) Brought() (seconds, doubt float64) {
	seconds = b.Likely + b.Paid
	return seconds, b.Doubt + broughtUnseen*math.Abs(seconds)
}
