package rebalancer

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// Spec is the user's configuration of rescheduling: a strategy and its parameters.
// The zero Spec is off.
type Spec struct {
	definition *Definition
	values     map[string]float64
	tuned      *params.Params // nil for the default ones
}

// common are the parameters that every strategy has.
var common = []Parameter{
	{"alpha", 4, 1, 1 << 30, "supersteps between the first calls"},
	{"D", 0.5, 0, 1e6, "a process may be this part of the mean faster or slower and still count as balanced"},
	{"omega", 3, 1, 1 << 30, "calls without a move after which D grows by half"},
	{"delta", 0.5, 0, 1e6, "margin within which a process's computation is regular"},
	{"beta", 0.5, 0, 1e6, "margin within which what it receives from a Set is regular"},
	{"guard", 1, 0, 1, "1: move only if that pays, undo what did not; 0: as the strategy says"},
	{"moves", 1, 0, 1, "1: carry out what is decided; 0: only decide, to see what that costs"},
	{"seed", 1, 0, 1 << 53, "of what is random"},
}

// Definitions returns all strategies in listing order: first the strategies of
// this package, then the registered ones.
func Definitions() []Definition {
	registry.Lock()
	defer registry.Unlock()
	return append([]Definition{
		autoDefinition, oneDefinition, percentDefinition, migcubeDefinition, mighullDefinition, automigDefinition,
		pubGlobalDefinition, pubRandomDefinition, pubPredictDefinition, pworDefinition,
		greedyDefinition,
	}, registry.all...)
}

// registry has the strategies of others.
var registry struct {
	sync.Mutex
	all []Definition
}

// Register adds a strategy that is not of this package, under its name: programs that call
// it before they parse their command line, in an init function for instance, have it for
// -balance, and so have simulations in them. Its moves pass the guard as all do.
//
// Register panics if the name is no word, or is taken, or if a parameter has the name of one
// that all strategies have.
func Register(d Definition) {
	if d.Name == "" || strings.ContainsAny(d.Name, ",=; \t\n") || d.New == nil {
		panic(fmt.Sprintf("rebalancer: a strategy named %q, with New: %v; expected a word, and a function", d.Name, d.New != nil))
	}
	if d.Name == "off" || slices.ContainsFunc(Definitions(), func(other Definition) bool { return other.Name == d.Name }) {
		panic(fmt.Sprintf("rebalancer: there is another strategy %q", d.Name))
	}
	for _, p := range d.Parameters {
		if slices.ContainsFunc(common, func(c Parameter) bool { return c.Name == p.Name }) {
			panic(fmt.Sprintf("rebalancer: strategy %s: all strategies have a parameter %q", d.Name, p.Name))
		}
	}
	registry.Lock()
	defer registry.Unlock()
	registry.all = append(registry.all, d)
}

// UnknownError is the error of a name that no strategy, or no parameter of a strategy, has.
type UnknownError struct {
	Problem string   // the error, without the known names
	Name    string   // the unknown name
	Known   []string // the names that exist
}

// Error returns the problem and the known names.
func (e *UnknownError) Error() string {
	return e.Problem + "; expected " + strings.Join(e.Known, ", ")
}

// Parse reads a strategy's name and its parameters: name[,key=value...]. Unknown names are
// an *UnknownError.
func Parse(text string) (Spec, error) {
	name, rest, more := strings.Cut(text, ",")
	if name == "off" {
		if more {
			return Spec{}, fmt.Errorf("off has no parameters, but %q follows", rest)
		}
		return Spec{}, nil
	}
	all := Definitions()
	at := slices.IndexFunc(all, func(d Definition) bool { return d.Name == name })
	if at < 0 {
		unknown := &UnknownError{Problem: fmt.Sprintf("there is no strategy %q", name), Name: name, Known: []string{"off"}}
		for _, d := range all {
			unknown.Known = append(unknown.Known, d.Name)
		}
		return Spec{}, unknown
	}
	s := Spec{definition: &all[at], values: make(map[string]float64)}
	for _, p := range s.parameters() {
		s.values[p.Name] = p.Default
	}
	if !more {
		return s, nil
	}
	seen := make(map[string]bool)
	for setting := range strings.SplitSeq(rest, ",") {
		key, err := s.set(setting)
		if err == nil && seen[key] {
			err = fmt.Errorf("%s: %s is given twice", setting, key)
		}
		if err != nil {
			return Spec{}, err
		}
		seen[key] = true
	}
	return s, nil
}

// switches are the parameters that are either 1 or 0, and wholes those that
// count something.
var (
	switches = []string{"guard", "moves", "viability"}
	wholes   = []string{"alpha", "omega", "seed", "c", "k", "span"}
)

func (s Spec) parameters() []Parameter {
	return append(slices.Clone(s.definition.Parameters), common...)
}

// set takes in one key=value, and returns the key.
func (s Spec) set(setting string) (string, error) {
	key, value, given := strings.Cut(setting, "=")
	all := s.parameters()
	at := slices.IndexFunc(all, func(p Parameter) bool { return p.Name == key })
	if at < 0 {
		unknown := &UnknownError{Problem: fmt.Sprintf("%s has no parameter %q", s.definition.Name, key), Name: key}
		for _, p := range all {
			unknown.Known = append(unknown.Known, p.Name)
		}
		return "", unknown
	}
	p := all[at]
	isSwitch := slices.Contains(switches, key)
	x, err := readNumber(value, isSwitch)
	if key == "span" && value == "alpha" {
		x, err = untilNext, nil
	}
	whole := isSwitch || slices.Contains(wholes, key)
	switch {
	case !given || err != nil:
		return "", fmt.Errorf("%s: want %s=number, between %s and %s", setting, key, number(p.Min), number(p.Max))
	case !(x >= p.Min && x <= p.Max):
		return "", fmt.Errorf("%s: it is between %s and %s", setting, number(p.Min), number(p.Max))
	case whole && x != math.Trunc(x):
		return "", fmt.Errorf("%s: it is a whole number", setting)
	}
	s.values[key] = x
	return key, nil
}

// readNumber also takes on, off, true and false for a switch.
func readNumber(text string, isSwitch bool) (float64, error) {
	switch {
	case isSwitch && (text == "on" || text == "true"):
		return 1, nil
	case isSwitch && (text == "off" || text == "false"):
		return 0, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = strconv.ErrRange
	}
	return x, err
}

func (p Parameter) text(x float64) string {
	if p.Name == "span" && x == untilNext {
		return "alpha"
	}
	return number(x)
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Off reports whether rescheduling is off.
func (s Spec) Off() bool { return s.definition == nil }

// Moves reports whether moves are carried out: not if it is off, nor with moves=0.
func (s Spec) Moves() bool { return !s.Off() && s.value("moves") != 0 }

// guarded reports whether moves and calls have to pay.
func (s Spec) guarded() bool { return s.value("guard") != 0 }

// banked reports whether the strategy has a bank.
func (s Spec) banked() bool {
	return s.Moves() && s.definition.Banked && s.guarded() && s.params().Bank.On
}

// params are the constants that auto decides by.
func (s Spec) params() *params.Params { return s.tuned.Or() }

// Constant is a number that auto decides by, or an ingredient that it has.
type Constant = params.Param

// Constants are all of them; their reasons are in package params.
func Constants() []Constant { return params.Default.List() }

// Scaled returns a Spec of the same strategy in which one constant is the default times a
// factor. A factor of 0 disables an ingredient. Use it to measure the benefit of
// ingredients: the text of a Spec does not include it.
//
// Errors: the constant is unknown.
func (s Spec) Scaled(constant string, factor float64) (Spec, error) {
	set, err := s.params().Scaled(constant, factor)
	if err != nil {
		return Spec{}, fmt.Errorf("rebalancer: %w", err)
	}
	s.tuned = set
	return s, nil
}

// Name is the strategy's name.
func (s Spec) Name() string {
	if s.Off() {
		return "off"
	}
	return s.definition.Name
}

// String is the text that Parse reads, with the parameters that differ from
// their defaults.
func (s Spec) String() string {
	text := s.Name()
	if s.Off() {
		return text
	}
	for _, p := range s.parameters() {
		if x := s.values[p.Name]; x != p.Default {
			text += fmt.Sprintf(",%s=%s", p.Name, p.text(x))
		}
	}
	return text
}

// value is a parameter's; a Spec that is off has the defaults.
func (s Spec) value(name string) float64 {
	if x, ok := s.values[name]; ok {
		return x
	}
	if at := slices.IndexFunc(common, func(p Parameter) bool { return p.Name == name }); at >= 0 {
		return common[at].Default
	}
	return 0
}

// Help lists all strategies with their parameters.
func Help(w io.Writer) {
	fmt.Fprintln(w, "Strategies, chosen as name[,parameter=value...]:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  off\tnothing moves but what asks to")
	for _, d := range Definitions() {
		fmt.Fprintf(t, "  %s\t%s [%s]\n", d.Name, d.About, d.Source)
		for _, p := range d.Parameters {
			fmt.Fprintf(t, "  \t  %s=%s  %s\n", p.Name, p.text(p.Default), p.About)
		}
	}
	t.Flush()
	fmt.Fprintln(w, "Parameters of all strategies:")
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range common {
		fmt.Fprintf(t, "  %s=%s\t%s\n", p.Name, p.text(p.Default), p.About)
	}
	t.Flush()
}
