package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// examples are the platforms of the tree used in addition to the families for ablation
// runs: each kind of load runs on one of them.
var examples = []string{"busy-node", "clusters-of-clusters", "grid5000", "laptop", "two-sets"}

// few is part of the names of the platforms on which half and double of each constant are tried
// by default: hosts of two speeds, in one Set and in two. Runs on them are
// short enough for hundreds of variants.
const few = "two"

// variant is auto with a modification.
type variant struct {
	constant rebalancer.Constant
	factor   float64
	spec     rebalancer.Spec
}

// variants are auto as it is, and then with one ingredient less, or with one constant half
// and double.
func (s *settings) variants() ([]variant, error) {
	auto, err := rebalancer.Parse(ours)
	if err != nil {
		return nil, err
	}
	list := []variant{{spec: auto}}
	for _, c := range rebalancer.Constants() {
		factors := []float64{0.5, 2}
		if c.Switch {
			factors = []float64{0}
		}
		if c.Switch != s.ablation || !strings.Contains(c.Name, s.constant) {
			continue
		}
		for _, factor := range factors {
			spec, err := auto.Scaled(c.Name, factor)
			if err != nil {
				return nil, err
			}
			list = append(list, variant{constant: c, factor: factor, spec: spec})
		}
	}
	return list, nil
}

// apart runs all variants in all cases and prints their savings.
func (s *settings) apart(ctx context.Context, session *frame.Session) error {
	variants, err := s.variants()
	if err != nil {
		return err
	}
	root, err := frame.Root(ctx)
	if err != nil {
		return err
	}
	s.tuning = true
	drawn := append(s.drawn(), s.onExamples(root)...)
	saved := make([][]float64, len(drawn)) // by case and variant
	names := make([]string, len(drawn))
	begins := func(i int) { session.Progress("case %d of %d", i+1, len(drawn)) }
	if err := frame.AtOnce(ctx, len(drawn), begins, func(ctx context.Context, i int) (err error) {
		names[i], saved[i], err = savedBy(ctx, drawn[i], variants)
		return err
	}); err != nil {
		return err
	}
	session.Print("SIMULATED: all times are those of simulated platforms.")
	if s.each {
		t := frame.Table{Title: "Each case", Header: []string{"case", "saved"}, Text: []int{0}}
		for i := range drawn {
			t.Add(names[i], frame.Percent(saved[i][0]))
		}
		session.Table(t)
	}
	if s.ablation {
		session.Table(ablated(variants, saved))
	} else {
		session.Table(scaled(variants, saved))
	}
	return nil
}

// drawnOnExamples returns pairs of a kind and an example, with the examples in turn.
func (s *settings) drawnOnExamples() (all [][2]int) {
	var places []int
	for i, name := range examples {
		if strings.Contains(name, s.on) {
			places = append(places, i)
		}
	}
	for k := range kinds {
		if len(places) > 0 && strings.Contains(kinds[k].name, s.only) {
			all = append(all, [2]int{k, places[k%len(places)]})
		}
	}
	return all
}

// onExamples returns a case of each kind on one of the examples.
func (s *settings) onExamples(root string) (all []ticket) {
	for _, at := range s.drawnOnExamples() {
		all = append(all, func() (*entry, error) { return drawOn(root, at[0], examples[at[1]]) })
	}
	return all
}

// savedBy is the part of the time without moves that each variant saves in a case.
func savedBy(ctx context.Context, drawn ticket, variants []variant) (name string, saved []float64, err error) {
	e, err := drawn()
	if err != nil {
		return "", nil, err
	}
	off, err := sim.Run(ctx, &e.config, sim.Report{})
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", e.name(), err)
	}
	saved = make([]float64, len(variants))
	for i, v := range variants {
		config := e.config
		config.Balance = v.spec
		r, err := sim.Run(ctx, &config, sim.Report{})
		if err != nil {
			return "", nil, fmt.Errorf("%s with %s %g times: %w", e.name(), v.constant.Name, v.factor, err)
		}
		saved[i] = 1 - r.Time/off.Time
	}
	return e.name(), saved, nil
}

// drawOn draws a case on an example.
func drawOn(root string, kind int, name string) (*entry, error) {
	p, err := sim.Read(filepath.Join(root, "examples", name+".hosts"))
	if err != nil {
		return nil, err
	}
	return drawFor(kind, name, p, tuned), nil
}

// column returns the savings of a variant by case.
func column(saved [][]float64, i int) []float64 {
	return frame.Each(saved, func(of []float64) float64 { return of[i] })
}

// ablated has a row for each ingredient that is left out.
func ablated(variants []variant, saved [][]float64) frame.Table {
	t := frame.Table{
		Part: "ablation", Title: fmt.Sprintf("Part of the time without moves that auto saves with one ingredient less, in %d cases, tuning seeds (simulated)", len(saved)),
		Header: []string{"without", "mean", "change", "worst", "lose over 3 %", "better in", "worse in"}, Text: []int{0},
	}
	whole := column(saved, 0)
	for i, v := range variants {
		part := column(saved, i)
		better, worse := 0, 0
		for k := range part {
			switch {
			case part[k] > whole[k]+even:
				better++
			case part[k] < whole[k]-even:
				worse++
			}
		}
		name, change := v.constant.Name, fmt.Sprintf("%+.2f", 100*(frame.Mean(part)-frame.Mean(whole)))
		if i == 0 {
			name, change = "nothing", ""
		}
		slices.Sort(part)
		t.Add(name, fmt.Sprintf("%.2f%%", 100*frame.Mean(part)), change, frame.Percent(part[0]), fmt.Sprint(below(part, -0.03)), fmt.Sprint(better), fmt.Sprint(worse))
	}
	return t
}

// figure is the value of a constant: three digits of one below 1.
func figure(value float64) string {
	if value < 1 {
		return fmt.Sprintf("%.3g", value)
	}
	return fmt.Sprint(value)
}

// scaled has a row for each constant.
func scaled(variants []variant, saved [][]float64) frame.Table {
	whole := column(saved, 0)
	t := frame.Table{
		Part: "parameters", Header: []string{"constant", "value", "unit", "half: change", "half: worst", "double: change", "double: worst"}, Text: []int{0, 2},
		Title: fmt.Sprintf("What half and double of each constant change of the %.2f%% that auto saves on average in %d cases, tuning seeds, in points (simulated; worst is %s)",
			100*frame.Mean(whole), len(saved), frame.Percent(slices.Min(whole))),
	}
	text := func(i int) (change, worst string) {
		part := column(saved, i)
		if slices.Equal(part, whole) {
			return "none", ""
		}
		return fmt.Sprintf("%+.2f", 100*(frame.Mean(part)-frame.Mean(whole))), frame.Percent(slices.Min(part))
	}
	for i := 1; i+1 < len(variants); i += 2 {
		c := variants[i].constant
		half, halfWorst := text(i)
		double, doubleWorst := text(i + 1)
		t.Add(c.Name, figure(c.Value), c.Unit, half, halfWorst, double, doubleWorst)
	}
	return t
}
