// Package params has the constants of auto that change what runs save, with their units and the
// reasons for their values, and what the guarantee of the bank rests on. What half and double of
// each do to runs is measured by
//
//	go run ./bench/arena -parameters
//
// On the loads that are measured there most change less than half a point of the time that auto
// saves: the values are not fitted. Those that matter most are Bank.LeapGain at double, with which
// large states stay (1.6 points), and Due.ChangeStages, which is after how many long stages there
// is a change (0.7 points at half, 0.9 at double). The parameter risk of auto brings 0.2 points
// less at 0.3, and 0.9 at 0.1.
//
// Constants with which nothing changed at half and at double are with the code that needs them.
package params

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Params are all of them. Switches are ingredients that can be left out to see what they
// bring.
type Params struct {
	Forecast Forecast
	Search   Search
	Due      Due
	Links    Links
	Bank     Bank
	Guard    Guard
}

// Forecast is for package forecast.
type Forecast struct {
	// Told, Wave, Window and Drift are the predictors; Habits and Trend are what differences
	// and totals of the last supersteps are taken to become.
	Told   bool
	Wave   bool
	Window bool
	Drift  bool
	Habits bool
	Trend  bool

	// WaveSamples stand for the supersteps to come. Each costs the search as much as a phase.
	WaveSamples int `unit:"columns"`

	// WindowGain is the part of the error by which a shorter window must be better than a
	// longer one: what is seen longer is surer.
	WindowGain float64 `unit:"part"`

	// PartLeast is the part of the mean work from which on a process takes part in a
	// superstep, and PartAll that of the processes that counts as all of them.
	PartLeast float64 `unit:"part"`
	PartAll   float64 `unit:"part"`

	// TrendColumns of a class show a trend: a line through three points has one degree of
	// freedom left to doubt it.
	TrendColumns int `unit:"columns"`
	// TrendDoubt is how many times its standard error a slope must be: 3 for one chance in a
	// few hundred that there is none.
	TrendDoubt float64 `unit:"factor"`
}

// Search is for package search.
type Search struct {
	// Swaps, Traffic, Polish, Shake and Prune are parts of the descent; Clusters, Gathered and
	// Anew are mappings that it starts from beside those of staying and shedding. Apart keeps
	// supersteps apart rather than take their sum.
	Swaps       bool
	Traffic     bool
	Exhaustive  bool
	Perturb     bool
	Prune       bool
	Clusters    bool
	Gathered    bool
	FromScratch bool
	Apart       bool

	// Budget is how many changes small instances are searched with, and disturbed with
	// afterwards. More find little: most instances of 100 processes end within it.
	Budget int `unit:"changes"`
	// Stake is the part of the time to come that a search may take. Looking at a change takes
	// Wordy times as much where processes talk.
	Stake float64 `unit:"part"`
	Wordy float64 `unit:"factor"`
	// Least is what every search may look at: a small run's one chance.
	Least int `unit:"changes"`
	// Hasty is the budget below which few mappings are constructed, and only the best is
	// improved.
	Hasty int `unit:"changes"`

	// StartMargin is by how much a mapping that moves nearly all must be better than one that
	// does not: its forecast rests on more processes being elsewhere.
	StartMargin float64 `unit:"part"`
	// PlaceOver is how much dearer time beyond a limit is.
	PlaceOver float64 `unit:"factor"`

	// Small is up to how many ranks all are looked at as destinations.
	Small int `unit:"ranks"`
	// Trials is how many changes are tried in full, of all that were estimated; Try is how
	// much dearer that is than to look at one.
	Trials int `unit:"changes"`
	Try    int `unit:"changes"`
	// SwapAll is up to how many pairs of two ranks' processes all are looked at; beyond,
	// SwapNear partners for each.
	SwapAll  int `unit:"pairs"`
	SwapNear int `unit:"processes"`
	// TrafficSwaps are the processes on a rank of its peers that a process is tried against.
	TrafficSwaps int `unit:"processes"`
	// ExhaustivePids bounds the instances in which all changes are tried.
	ExhaustivePids int `unit:"processes"`
	// PruneLoss is the part of the predicted time that all moves taken back may cost
	// together: what brings less is not worth a move.
	PruneLoss float64 `unit:"part"`

	// PhaseDistance is how much of the work must be elsewhere for columns to be of two phases,
	// PhaseDeviation by how much of the largest one process must differ: smaller differences
	// are noise, to which a search must not fit.
	PhaseDistance  float64 `unit:"part"`
	PhaseDeviation float64 `unit:"part"`
}

// Due is for when to ask: see due.go for the equations. Shares of the time trade reaction
// against what calls cost a run that they do not help.
type Due struct {
	// Changed and Overdrawn are the alarms: stages that together took longer by more than a call,
	// and a loss beyond what may be lost.
	Changed   bool
	Overdrawn bool

	// CallShare bounds the part of the time that calls take.
	CallShare float64 `unit:"part"`
	// ProofShare takes its place while moves have still to prove that they pay: what does not
	// pay is to be taken back soon.
	ProofShare float64 `unit:"part"`
	// CheapShare and CallParts: however balanced the processes are, they may not stay so.
	// Calls that take no more than CheapShare of the time are no further apart than one of
	// CallParts parts of what remains. Without these bounds alpha of a balanced run grows with
	// the run, and load that sets in late is found after half of what was left.
	CheapShare float64 `unit:"part"`
	CallParts  int     `unit:"parts"`
	// WorthShare is the part of the time to come that a call may take where all ranks work,
	// IdleShare what it may take beside that where a rank has nothing to do, for idle time is
	// what moves can save; calls in a row that moved nothing lower it with their square.
	WorthShare float64 `unit:"part"`
	IdleShare  float64 `unit:"part"`
	// ChangeCalls is how many calls what was lost must be worth for a change, ChangeStages how
	// many stages in a row must have been long: the fewer, the more noise is taken for one.
	ChangeCalls  float64 `unit:"calls"`
	ChangeStages int     `unit:"stages"`
	// AgainStages is how many stages after a call that found nothing to do about a change there
	// may be a second one: as many as make a mean of what the first saw two or three of.
	AgainStages int `unit:"stages"`
	// SlowFactor is from how much longer than usual on a stage does not change what is usual.
	SlowFactor float64 `unit:"factor"`
	// ForetoldFactor is how much longer than foretold a stage may take and count as foretold.
	ForetoldFactor float64 `unit:"factor"`
}

// Links is for what exchanges take.
type Links struct {
	// Exchange corrects what messages and barriers are predicted to take by what they took.
	Exchange bool
}

// Bank is for what a run may lose: see bank.go for the rules. Without it there is no limit.
type Bank struct {
	On bool

	// StakeShare is the part of the time that rescheduling may lose. Less makes fewer tries
	// where forecasts fail, more loses more there.
	StakeShare float64 `unit:"part"`
	// SeedShare is the part of the expected time of the whole run that it may lose from the
	// first call on, when there was no time to earn or save for a move.
	SeedShare float64 `unit:"part"`
	// LeapGain is how many times what it costs, the way home included, moves must be expected
	// to save that are paid neither from what was earned nor from the allowance. Large states
	// move so, in the hope of large gains. The best of many mappings is predicted too well: with 1
	// leaps for a small gain lose up to a fifth of the run, and the arena is the same. A
	// factorisation that one of eight hosts does in a tenth of the time is predicted to gain
	// 1.3 to 1.6 times that, as links are measured.
	LeapGain float64 `unit:"factor"`
	// LeapSmall is the part of the whole run up to which a leap need not be sure.
	LeapSmall float64 `unit:"part"`
	// LeapSeen is the part of its cost that a leap would have saved in the supersteps so far: what
	// has lasted that long is believed to last.
	LeapSeen float64 `unit:"part"`
	// RetreatSeen is the part of what the way home costs that must have been lost since the last
	// moves: the way is as dear as they were, and a mapping deserves as long a look.
	RetreatSeen float64 `unit:"part"`
	// RetreatSamples is how many supersteps must have lost for the run to go home, unless they
	// have lost half of the allowance: one or two may be noise, and the way home has its price.
	RetreatSamples int `unit:"supersteps"`
}

// Guard is for judging moves and learning from them.
type Guard struct {
	// Learn corrects speeds by what moved processes took: it is for speeds that are not what they
	// were measured or said to be, which no simulated platform of the arena has. TakeBack undoes
	// what did not pay: it is for strategies without a bank.
	Learn    bool
	TakeBack bool

	// UndoLoss is the part of the time since the moves that must be lost to undo them.
	UndoLoss float64 `unit:"part"`
	// SureColumns is how often each class of supersteps must have come since moves for these
	// to be judged: what a single one shows may be its turn.
	SureColumns int `unit:"columns"`
	// TrustLeast bounds how little forecasts are trusted, TrustEnough is the part of a
	// predicted saving that must come true, TrustRegain what trust grows by when it does.
	TrustLeast  float64 `unit:"part"`
	TrustEnough float64 `unit:"part"`
	TrustRegain float64 `unit:"factor"`
	// TrendSure is how much work may have grown or shrunk since moves for what the moved
	// processes took before and since to say anything about the ranks, where there are no
	// others to compare with.
	TrendSure float64 `unit:"factor"`
	// WaitingBelow is the part of the mean work of those that moved below which a process is
	// not at work but waits for its turn, as behind the front of a wave.
	WaitingBelow float64 `unit:"part"`
}

// Default are the values that runs have. It must not be changed.
var Default = Params{
	Forecast: Forecast{
		Told: true, Wave: true, Window: true, Habits: true, Trend: true, Drift: true,
		WaveSamples: 16, WindowGain: 0.1, PartLeast: 0.1, PartAll: 0.9,
		TrendColumns: 4, TrendDoubt: 3,
	},
	Search: Search{
		Swaps: true, Traffic: true, Exhaustive: true, Perturb: true, Prune: true, Clusters: true, Gathered: true, FromScratch: true, Apart: true,
		Budget: 20000, Stake: 0.001, Wordy: 1.5, Least: 100, Hasty: 2000,
		StartMargin: 0.01, PlaceOver: 8, Small: 24, Trials: 8, Try: 4, SwapAll: 256, SwapNear: 2,
		TrafficSwaps: 16, ExhaustivePids: 32, PruneLoss: 5e-4, PhaseDistance: 0.10, PhaseDeviation: 0.25,
	},
	Due: Due{
		Changed: true, Overdrawn: true,
		CallShare: 0.006, ProofShare: 0.05, CheapShare: 0.002, CallParts: 8, WorthShare: 0.005, IdleShare: 0.02,
		ChangeCalls: 2, ChangeStages: 2, AgainStages: 6, SlowFactor: 1.5,
		ForetoldFactor: 1.2,
	},
	Links: Links{Exchange: true},
	Bank:  Bank{On: true, StakeShare: 0.015, SeedShare: 0.0125, LeapGain: 1.25, LeapSmall: 0.025, LeapSeen: 0.2, RetreatSeen: 0.1, RetreatSamples: 4},
	Guard: Guard{
		Learn: true, TakeBack: true,
		UndoLoss: 0.02, SureColumns: 3, TrustLeast: 1.0 / 16, TrustEnough: 0.25, TrustRegain: 1.5,
		TrendSure: 1.5, WaitingBelow: 1.0 / 8,
	},
}

// Or is p, or Default if p is nil.
func (p *Params) Or() *Params {
	if p == nil {
		return &Default
	}
	return p
}

// Param is one of them.
type Param struct {
	Name  string // group.name, in small letters
	Unit  string
	Value float64 // 1 for a switch that is on
	// Switch says that it is on or off: an ingredient.
	Switch bool
}

// List is all of p, in their order.
func (p *Params) List() (list []Param) {
	p.each(func(name, unit string, v reflect.Value) {
		x := Param{Name: name, Unit: unit}
		switch v.Kind() {
		case reflect.Bool:
			x.Switch = true
			if v.Bool() {
				x.Value = 1
			}
		case reflect.Int:
			x.Value = float64(v.Int())
		default:
			x.Value = v.Float()
		}
		list = append(list, x)
	})
	return list
}

// Scaled is p with the named one times a factor; what counts something is rounded, and at
// least 1. Times 0, a switch is off.
//
// Errors: there is none of that name.
func (p *Params) Scaled(name string, factor float64) (*Params, error) {
	scaled, found := *p, false
	scaled.each(func(is, _ string, v reflect.Value) {
		if is != name {
			return
		}
		found = true
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(v.Bool() && factor != 0)
		case reflect.Int:
			v.SetInt(max(1, int64(math.Round(float64(v.Int())*factor))))
		default:
			v.SetFloat(v.Float() * factor)
		}
	})
	if !found {
		return nil, fmt.Errorf("there is no constant %q", name)
	}
	return &scaled, nil
}

// each calls f for all fields.
func (p *Params) each(f func(name, unit string, v reflect.Value)) {
	all := reflect.ValueOf(p).Elem()
	for g := range all.NumField() {
		group := all.Field(g)
		for i := range group.NumField() {
			field := group.Type().Field(i)
			name := strings.ToLower(all.Type().Field(g).Name) + "." + strings.ToLower(field.Name[:1]) + field.Name[1:]
			f(name, field.Tag.Get("unit"), group.Field(i))
		}
	}
}
