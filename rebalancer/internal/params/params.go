// Package params has the constants of auto that change what runs save, with their units and the
// reasons for their values, and what the guarantee of the bank rests on. What half and double of
// each do to runs is measured by
//
//	go run ./bench/arena -parameters
//
// On the loads that are measured there most change less than half a point of the time that auto
// saves: the values are not fitted. Those that matter most are Bank.LeapGain at double, with which
// large states stay (1.6 points), and Due.ChangeStages, which is after how many long stages there
// is a change (0.7 points at half, 0.9 at double). The parameter risk of auto brings 0.1 points
// less at 0.3, and 0.7 at 0.1.
//
// Other constants are with the code that needs them: half and double of each changed little or nothing.
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
	// Told, Wave, Window and Drift are the predictors; Habits are what
	// differences of the last supersteps are taken to become.
	Told   bool
	Wave   bool
	Window bool
	Drift  bool
	Habits bool
}

// Search is for package search.
type Search struct {
	// Perturb and Prune are parts of the descent; Gathered are mappings that it starts from beside others.
	Perturb  bool
	Prune    bool
	Gathered bool
}

// Due is for when to ask: see due.go for the equations. Shares of the time trade reaction
// against what calls cost a run that they do not help.
type Due struct {
	// Changed is the alarm about stages that together took longer by more than a call.
	Changed bool

	// CallShare bounds the part of the time that calls take.
	CallShare float64 `unit:"part"`
	// ProofShare takes its place while moves have still to prove that they pay: what does not
	// pay is to be taken back soon.
	ProofShare float64 `unit:"part"`
	// IdleShare is the part of the time to come that a call may take, beside a small one, where a rank
	// has nothing to do, for idle time is what moves can save; calls in a row that moved nothing lower
	// it with their square.
	IdleShare float64 `unit:"part"`
	// ChangeStages is how many stages in a row must have been long for a change: the fewer, the more
	// noise is taken for one.
	ChangeStages int `unit:"stages"`
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
	// LeapSmall is the part of the whole run up to which a leap need not be sure: fronts of which nobody
	// has seen much more than one superstep are worth so much.
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

	// TrustLeast bounds how little forecasts are trusted.
	TrustLeast float64 `unit:"part"`
}

// Default are the values that runs have. It must not be changed.
var Default = Params{
	Forecast: Forecast{Told: true, Wave: true, Window: true, Habits: true, Drift: true},
	Search:   Search{Perturb: true, Prune: true, Gathered: true},
	Due:      Due{Changed: true, CallShare: 0.006, ProofShare: 0.05, IdleShare: 0.02, ChangeStages: 2},
	Links:    Links{Exchange: true},
	Bank:     Bank{On: true, StakeShare: 0.015, SeedShare: 0.0125, LeapGain: 1.25, LeapSmall: 0.01, LeapSeen: 0.2, RetreatSeen: 0.1, RetreatSamples: 4},
	Guard:    Guard{Learn: true, TakeBack: true, TrustLeast: 1.0 / 16},
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
	same := *p
	same.each(func(x Param) float64 {
		list = append(list, x)
		return x.Value
	})
	return list
}

// Scaled is p with the named one times a factor; what counts something is rounded, and at
// least 1. Times 0, a switch is off.
//
// Errors: there is none of that name.
func (p *Params) Scaled(name string, factor float64) (*Params, error) {
	scaled, found := *p, false
	scaled.each(func(x Param) float64 {
		if x.Name != name {
			return x.Value
		}
		found = true
		return x.Value * factor
	})
	if !found {
		return nil, fmt.Errorf("there is no constant %q", name)
	}
	return &scaled, nil
}

// each gives all fields the values that f returns for them.
func (p *Params) each(f func(Param) float64) {
	groups := reflect.ValueOf(p).Elem()
	for g := range groups.NumField() {
		for i := range groups.Field(g).NumField() {
			v, field := groups.Field(g).Field(i), groups.Field(g).Type().Field(i)
			name := strings.ToLower(groups.Type().Field(g).Name) + "." + strings.ToLower(field.Name[:1]) + field.Name[1:]
			x := Param{Name: name, Unit: field.Tag.Get("unit"), Switch: v.Kind() == reflect.Bool}
			switch v.Kind() {
			case reflect.Bool:
				if v.Bool() {
					x.Value = 1
				}
				v.SetBool(f(x) != 0)
			case reflect.Int:
				x.Value = float64(v.Int())
				v.SetInt(max(1, int64(math.Round(f(x)))))
			default:
				x.Value = v.Float()
				v.SetFloat(f(x))
			}
		}
	}
}
