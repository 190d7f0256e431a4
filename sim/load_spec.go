package sim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// parameter is a figure of a kind of workload.
type parameter struct {
	name  string
	value float64 // where none is given
	least float64
	most  float64 // 0: only the limit of whole figures
	whole bool
	among []float64 // all possible values, nil if unrestricted
	about string
}

// kind makes one kind of workloads.
type kind struct {
	name       string
	about      string
	parameters []parameter
	make       func(v map[string]float64) (Workload, error)
}

// noOrYes is the values of a choice between no and yes.
var noOrYes = []float64{0, 1}

// kinds are the workloads that need no file. The default figures are the papers'.
var kinds = []kind{
	{
		name: "lu", about: "LU decomposition on a grid of processes",
		parameters: []parameter{
			{name: "n", value: 1000, least: 1, whole: true, about: "order of the matrix"},
			{name: "p", value: 25, least: 1, whole: true, about: "processes"},
			{name: "rows", least: 0, whole: true, about: "of the grid of processes (default: about square)"},
			{name: "flops", value: 500, least: 0, about: "operations for each update of an element"},
			{name: "element", value: 8, least: 0, about: "bytes of an element"},
			{name: "even", among: noOrYes, about: "1: all processes update equally much (default: what each has)"},
		},
		make: func(v map[string]float64) (Workload, error) {
			p, rows := int(v["p"]), int(v["rows"])
			if rows == 0 {
				for rows = int(math.Ceil(math.Sqrt(float64(p)))); p%rows != 0; rows++ {
				}
			}
			if p%rows != 0 {
				return nil, fmt.Errorf("%d processes are not a grid with %d rows", p, rows)
			}
			return &LU{Size: int(v["n"]), M: rows, N: p / rows, Flops: v["flops"], Element: v["element"], Even: v["even"] > 0}, nil
		},
	},
	{
		name: "dp", about: "dynamic programming in wavefronts, a column for each process",
		parameters: []parameter{
			{name: "n", value: 50, least: 1, whole: true, about: "processes, and order of the matrix"},
			{name: "first", value: 1e6, least: 0, about: "operations of a process in the first superstep"},
			{name: "last", value: 1e9, least: 0, about: "and in the last"},
			{name: "bytes", value: 5e6, least: 0, about: "of all messages of a wavefront, divided by n"},
			{name: "kept", value: 7e5, least: 0, about: "bytes of a process's state beside a message"},
		},
		make: func(v map[string]float64) (Workload, error) {
			return &Wavefront{Size: int(v["n"]), First: v["first"], Last: v["last"], Bytes: v["bytes"] / v["n"], Kept: v["kept"]}, nil
		},
	},
	{
		name: "lbm", about: "equal work and messages to neighbours, as a lattice-Boltzmann program",
		parameters: []parameter{
			{name: "p", value: 60, least: 1, whole: true, about: "processes"},
			{name: "steps", value: 100, least: 1, whole: true, about: "supersteps"},
			{name: "flops", value: 0.9e9, least: 0, about: "operations of a process in a superstep"},
			{name: "bytes", value: 1e6, least: 0, about: "of a message"},
			{name: "state", value: 1e6, least: 0, about: "bytes of a process"},
			{name: "noise", value: 0, least: 0, about: "part of flops, below 1, by which processes differ"},
			{name: "seed", value: 1, least: 0, whole: true, about: "of the noise"},
		},
		make: func(v map[string]float64) (Workload, error) {
			if v["noise"] >= 1 {
				return nil, fmt.Errorf("noise=%g: expected a part of 1", v["noise"])
			}
			return &Ring{
				Size: int(v["p"]), Length: int(v["steps"]), Flops: v["flops"], Bytes: v["bytes"], Kept: v["state"],
				Noise: v["noise"], Seed: uint64(v["seed"]),
			}, nil
		},
	},
}

// ParseWorkload makes a workload by its kind and figures: lu:n=2000,p=50.
func ParseWorkload(text string) (Workload, error) {
	name, rest, _ := strings.Cut(text, ":")
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return nil, fmt.Errorf("%q is no workload; expected %s, each with figures such as lu:n=2000,p=50, or a file, such as the record of a run (-run-dir)", text, kindNames()+", "+bagKind.name)
	}
	values, err := kinds[at].read(rest)
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", text, err)
	}
	w, err := kinds[at].make(values)
	if err == nil {
		err = within(w)
	}
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", text, err)
	}
	return w, nil
}

func kindNames() string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// mostWhole is the largest whole figure of a workload.
const mostWhole = 1 << 27

// within reports whether a workload is of a size that can be simulated.
func within(w Workload) error {
	if n := w.Processes(); n < 1 || n > mostProcesses {
		return fmt.Errorf("%d processes; expected 1 to %d", n, mostProcesses)
	}
	if n := w.Steps(); n < 0 || n > mostSteps {
		return fmt.Errorf("%d supersteps; expected at most %d", n, mostSteps)
	}
	return nil
}

// read returns the figures of a workload of this kind, by name.
func (k *kind) read(text string) (map[string]float64, error) {
	values := make(map[string]float64)
	for _, p := range k.parameters {
		values[p.name] = p.value
	}
	if text == "" {
		return values, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, figure, found := strings.Cut(part, "=")
		at := slices.IndexFunc(k.parameters, func(p parameter) bool { return p.name == name })
		if !found || at < 0 {
			return nil, fmt.Errorf("%q: expected %s, each with = and a number", part, k.names())
		}
		x, err := k.parameters[at].read(figure)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", name, figure, err)
		}
		values[name] = x
	}
	return values, nil
}

// read returns a figure of the parameter.
func (p *parameter) read(figure string) (float64, error) {
	x, err := strconv.ParseFloat(figure, 64)
	switch {
	case p.among != nil && (err != nil || !slices.Contains(p.among, x)):
		return 0, fmt.Errorf("expected %s", p.choices())
	case p.whole && (err != nil || !(x >= p.least && x <= mostWhole) || x != math.Trunc(x)):
		return 0, fmt.Errorf("expected a whole number from %g to %d", p.least, mostWhole)
	case p.most > 0 && (err != nil || !(x >= p.least && x <= p.most)):
		return 0, fmt.Errorf("expected a number from %g to %g", p.least, p.most)
	case err != nil || !(x >= p.least) || math.IsInf(x, 0):
		return 0, fmt.Errorf("expected a number from %g on", p.least)
	}
	return x, nil
}

// choices returns the possible values as text.
func (p *parameter) choices() string {
	text, last := fmt.Sprint(p.among[0]), len(p.among)-1
	for _, x := range p.among[1:last] {
		text += fmt.Sprint(", ", x)
	}
	return text + fmt.Sprint(" or ", p.among[last])
}

func (k *kind) names() string {
	var names []string
	for _, p := range k.parameters {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// WorkloadKinds returns the names of the workloads that need no file.
func WorkloadKinds() (names []string) {
	for _, k := range append(slices.Clone(kinds), bagKind) {
		names = append(names, k.name)
	}
	return names
}

// WorkloadHelp lists the kinds of workloads and their figures with the default values.
func WorkloadHelp() string {
	var text strings.Builder
	kinds := append(slices.Clone(kinds), bagKind)
	kindWidth, figureWidth := 0, 0
	for _, k := range kinds {
		kindWidth = max(kindWidth, len(k.name))
		for _, p := range k.parameters {
			figureWidth = max(figureWidth, len(p.name))
		}
	}
	for _, k := range kinds {
		fmt.Fprintf(&text, "%-*s %s\n", kindWidth, k.name, k.about)
		for _, p := range k.parameters {
			fmt.Fprintf(&text, "   %-*s  %s", figureWidth, p.name, p.about)
			switch {
			case p.whole && p.value > 0:
				fmt.Fprintf(&text, " (%.0f)", p.value)
			case p.value > 0:
				fmt.Fprintf(&text, " (%g)", p.value)
			}
			text.WriteString("\n")
		}
	}
	return text.String()
}
