// Package params defines the constants of auto that affect the savings of runs, with their units
// and the reasons for their values, and the constants behind the guarantee of the bank. The
// effect of half and double of each is measured by
//
//	go run ./bench/arena -parameters
//
// On the measured loads most change less than half a point of the time that auto
// saves: the values are not fitted. The most important ones are Bank.LeapGain at double, with which
// large states stay (1.6 points), and Due.ChangeStages, the number of long stages that count as
// a change (0.7 points at half, 0.9 at double). The parameter risk of auto saves 0.1 points
// less at 0.3, and 0.7 at 0.1.
//
// Other constants are with the code that uses them: half and double of each had little or no effect.
package params

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Params holds all constants. Switches are ingredients that can be disabled to measure their
// benefit.
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
	// Told, Wave, Window and Drift are the predictors; Habits damps the differences
	// between processes in the last supersteps.
	Told   bool
	Wave   bool
	Window bool
	Drift  bool
	Habits bool
}

// Search is for package search.
type Search struct {
	// Perturb and Prune are parts of the descent; Gathered adds starting mappings to it.
	Perturb  bool
	Prune    bool
	Gathered bool
}

// Due holds the constants of the schedule of calls: see due.go for the equations. Shares of the
// time trade reaction against the cost of calls to a run that they do not help.
type Due struct {
	// Changed is the alarm for stages whose total excess is more than the cost of a call.
	Changed bool

	// CallShare bounds the part of the time that calls take.
	CallShare float64 `unit:"part"`
	// ProofShare replaces it while moves are still to be judged: moves that do not
	// pay should be reverted soon.
	ProofShare float64 `unit:"part"`
	// IdleShare is the part of the remaining time that a call may take, plus a small one, if a rank
	// is idle, because moves can save idle time; it falls with the square of the number of consecutive
	// calls without moves.
	IdleShare float64 `unit:"part"`
	// ChangeStages is the number of consecutive long stages that count as a change. A lower value
	// takes more noise for a change.
	ChangeStages int `unit:"stages"`
}

// Links holds the constants of communication.
type Links struct {
	// Exchange corrects the predicted time of messages and barriers by the measured time.
	Exchange bool
}

// Bank holds the limits on a run's loss: see bank.go for the rules. Without it the loss is unlimited.
type Bank struct {
	On bool

	// StakeShare is the part of the time that rescheduling may lose. Less makes fewer tries
	// where forecasts fail, more loses more there.
	StakeShare float64 `unit:"part"`
	// SeedShare is the part of the expected time of the whole run that it may lose from the
	// first call on, when there was no time to earn or save for a move.
	SeedShare float64 `unit:"part"`
	// LeapGain is the required ratio of the expected saving to the cost, the return included, of moves
	// that are paid neither from earnings nor from the allowance. It lets large states
	// move for large gains. The best of many mappings is predicted too well: with 1
	// leaps for a small gain lose up to a fifth of the run, and the arena is the same. A
	// factorisation that one of eight hosts does in a tenth of the time has a predicted gain of
	// 1.3 to 1.6 times that, with measured links.
	LeapGain float64 `unit:"factor"`
	// LeapSmall is the part of the whole run up to which a leap need not be sure: that is the value of
	// wavefronts, which have been observed for little more than one superstep.
	LeapSmall float64 `unit:"part"`
	// LeapSeen is the part of its cost that a leap would have saved in the supersteps so far: a load
	// that has lasted that long is expected to last.
	LeapSeen float64 `unit:"part"`
	// RetreatSeen is the part of the cost of returning that must have been lost since the last
	// moves: a return costs as much as they did, and a mapping must be observed as long.
	RetreatSeen float64 `unit:"part"`
	// RetreatSamples is the number of supersteps with a loss before the run returns, unless they
	// have lost half of the allowance: one or two may be noise, and returning has a cost.
	RetreatSamples int `unit:"supersteps"`
}

// Guard is for judging moves and learning from them.
type Guard struct {
	// Learn corrects speeds by the times of moved processes: it is for speeds that differ from the
	// measured or declared ones, which occurs on no simulated platform of the arena. TakeBack reverts
	// moves that did not pay: it is for strategies without a bank.
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
	// Switch reports whether it is on or off: an ingredient.
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

// Scaled returns p with the named constant multiplied by factor. Integers are rounded and at
// least 1. A factor of 0 turns a switch off.
//
// Errors: the name is unknown.
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
