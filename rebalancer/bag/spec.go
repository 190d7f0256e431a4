package bag

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Spec is a policy and its parameters. The zero Spec is no policy.
type Spec struct {
	definition *definition
	values     map[string]float64
}

// definition is a policy that can be chosen by name.
type definition struct {
	name, about, source string
	parameters          []parameter
	make                func(v map[string]float64, b *Bag) policy
}

// parameter is a number that a policy can be given.
type parameter struct {
	name     string
	value    float64 // where none is given
	min, max float64
	whole    bool
	about    string
}

var alpha = parameter{"alpha", 2, 1, 1e6, false, "a batch is one part in alpha of the tasks that are left"}

// definitions are all policies in listing order.
var definitions = []definition{
	{
		name: "workqueue", about: "k tasks at a time", source: "pure self-scheduling",
		parameters: []parameter{{"k", 1, 1, 1 << 40, true, "tasks of a chunk"}},
		make:       func(v map[string]float64, _ *Bag) policy { return workqueue{k: int(v["k"])} },
	},
	{
		name: "static", about: "an equal part of all tasks for each worker", source: "work queue with k = tasks / workers",
		make: func(_ map[string]float64, b *Bag) policy { return static{bag: b} },
	},
	{
		name: "gss", about: "of what is left, one part in as many as there are workers", source: "Polychronopoulos and Kuck, 1987",
		make: func(_ map[string]float64, b *Bag) policy { return gss{bag: b} },
	},
	{
		name: "factoring", about: "batches of a chunk for each worker, each batch half of what is left", source: "Hummel, Schonberg and Flynn, 1992",
		parameters: []parameter{alpha},
		make:       func(v map[string]float64, b *Bag) policy { return &factoring{bag: b, alpha: v["alpha"]} },
	},
	{
		name: "lds", about: "as many as the worker's own model says that it computes in a slice of time", source: "Ferreto, De Rose and Northfleet, 2005",
		parameters: []parameter{
			{"beta", 20, 1e-3, 1e6, false, "slices of the time that all workers together would take"},
			{"corr", 0.99, 0, 1, false, "correlation from which on a worker's model is good"},
			alpha,
			{"quadratic", 0, 0, 1, true, "1: the adaptive phase begins with one more chunk of the setup"},
		},
		make: func(v map[string]float64, b *Bag) policy {
			return &lds{bag: b, beta: v["beta"], late: v["quadratic"] > 0, tail: factoring{bag: b, alpha: v["alpha"]}, workers: make([]ldsWorker, b.Workers())}
		},
	},
	{
		name: "auto", about: "a part of what ends with all others, by what is measured; copies of chunks that are late", source: "this library's",
		make: func(_ map[string]float64, b *Bag) policy {
			return &auto{bag: b, workers: make([]autoWorker, len(b.workers))}
		},
	},
}

// All are the policies that are compared where all are asked for.
func All() []Spec {
	var all []Spec
	for _, text := range []string{"workqueue", "static", "gss", "factoring", "lds,beta=5", "lds,beta=20", "auto"} {
		s, err := Parse(text)
		if err != nil {
			panic(err)
		}
		all = append(all, s)
	}
	return all
}

// Parse parses a policy's name and its parameters: name[,key=value...].
//
// Errors quote the input and list the alternatives.
func Parse(text string) (Spec, error) {
	name, rest, more := strings.Cut(text, ",")
	at := slices.IndexFunc(definitions, func(d definition) bool { return d.name == name })
	if at < 0 {
		return Spec{}, fmt.Errorf("there is no policy %q; there are %s", name, names())
	}
	s := Spec{definition: &definitions[at], values: make(map[string]float64)}
	for _, p := range s.definition.parameters {
		s.values[p.name] = p.value
	}
	if !more {
		return s, nil
	}
	given := make(map[string]bool)
	for setting := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(setting, "=")
		p, err := s.parameter(key)
		if err != nil {
			return Spec{}, err
		}
		if given[key] {
			return Spec{}, fmt.Errorf("%s: %s is given twice", setting, key)
		}
		given[key] = true
		if s.values[key], err = p.read(value); err != nil {
			return Spec{}, fmt.Errorf("%s: %w", setting, err)
		}
	}
	return s, nil
}

func names() string {
	var all []string
	for _, d := range definitions {
		all = append(all, d.name)
	}
	return strings.Join(all, ", ")
}

func (s Spec) parameter(key string) (parameter, error) {
	var list []string
	for _, p := range s.definition.parameters {
		if p.name == key {
			return p, nil
		}
		list = append(list, fmt.Sprintf("%s=%s (%s)", p.name, number(p.value), p.about))
	}
	if list == nil {
		return parameter{}, fmt.Errorf("%s has no parameters, but %q follows", s.Name(), key)
	}
	return parameter{}, fmt.Errorf("%s has no parameter %q; it has %s", s.Name(), key, strings.Join(list, "; "))
}

func (p parameter) read(text string) (float64, error) {
	kind := "number"
	if p.whole {
		kind = "whole number"
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= p.min && x <= p.max) || p.whole && x != math.Trunc(x) {
		return 0, fmt.Errorf("expected a %s from %s to %s", kind, number(p.min), number(p.max))
	}
	return x, nil
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Name is the policy's name.
func (s Spec) Name() string {
	if s.definition == nil {
		return "none"
	}
	return s.definition.name
}

// String is the text that Parse reads, with the parameters that differ from their defaults.
func (s Spec) String() string {
	text := s.Name()
	if s.definition == nil {
		return text
	}
	for _, p := range s.definition.parameters {
		if x := s.values[p.name]; x != p.value {
			text += fmt.Sprintf(",%s=%s", p.name, number(x))
		}
	}
	return text
}

// Model returns the model that a worker keeps of itself. It is active only for lds.
func (s Spec) Model() *Model {
	corr, on := s.values["corr"]
	return &Model{corr: corr, on: on}
}

// Help lists all policies with their parameters.
func Help(w io.Writer) {
	fmt.Fprintln(w, "Policies, chosen as name[,parameter=value...]:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range definitions {
		fmt.Fprintf(t, "  %s\t%s [%s]\n", d.name, d.about, d.source)
		for _, p := range d.parameters {
			fmt.Fprintf(t, "  \t  %s=%s  %s\n", p.name, number(p.value), p.about)
		}
	}
	t.Flush()
}
