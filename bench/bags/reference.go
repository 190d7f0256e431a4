package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// references are times over the bound that another simulator has found, which was written
// from the same rules, on the same hosts and the real routes to them: tasks, millions of
// operations of each, workers, and the policies in the order of referred.
var references = []struct {
	tasks, mflop, workers int
	over                  []float64
}{
	{1000, 100, 64, []float64{5.71, 2.79, 2.26, 2.05, 2.75}},
	{1000, 1000, 64, []float64{1.23, 2.64, 1.94, 1.23, 1.76}},
	{1000, 1000, 89, []float64{1.15, 3.02, 2.04, 1.71, 1.71}},
	{10000, 100, 89, []float64{7.42, 2.90, 1.97, 1.34, 1.64}},
	{10000, 1000, 64, []float64{1.06, 2.55, 1.89, 1.10, 1.05}},
	{100000, 100, 64, []float64{5.58, 2.57, 1.89, 1.07, 1.04}},
	{100000, 1000, 64, []float64{1.04, 2.55, 1.86, 1.06, 1.03}},
	{100000, 1000, 89, []float64{1.04, 2.85, 1.87, 1.02, 1.04}},
}

var referred = []string{"workqueue", "gss", "factoring", "lds,beta=5", "lds,beta=20"}

// grid reads the platform of the paper.
func (s *settings) grid() (*sim.Platform, error) {
	return sim.Read(filepath.Join(s.examples, "grid90.xml"))
}

func referencePart(ctx context.Context, s *settings, session *frame.Session) error {
	p, err := s.grid()
	if err != nil {
		return err
	}
	var cells []*cell
	for _, r := range references {
		c, err := newCell(p, fmt.Sprintf("bag:n=%d,flops=%de6,workers=%d", r.tasks, r.mflop, r.workers))
		if err != nil {
			return err
		}
		cells = append(cells, c)
	}
	if err := runAll(ctx, cells); err != nil {
		return err
	}
	t := frame.Table{
		Part: "reference", Title: "Time over the bound on the grid of 90 hosts; in brackets what another simulator found",
		Header: []string{"tasks", "Mflop", "workers", "bound s", "with sends"},
	}
	for _, spec := range compared {
		t.Header = append(t.Header, title(spec))
	}
	for k, c := range cells {
		r := &references[k]
		row := []string{fmt.Sprint(r.tasks), fmt.Sprint(r.mflop), fmt.Sprint(r.workers), fmt.Sprintf("%.1f", c.bound), fmt.Sprintf("%.2f", c.sending/c.bound)}
		for _, spec := range compared {
			text := fmt.Sprintf("%.2f", c.over(spec))
			for i, other := range referred {
				if other == spec {
					text += fmt.Sprintf(" (%.2f)", r.over[i])
				}
			}
			row = append(row, text)
			session.Record(fmt.Sprintf("%d tasks of %d Mflop on %d", r.tasks, r.mflop, r.workers), spec, "s", c.times[spec])
		}
		t.Add(row...)
	}
	session.Table(t)
	return nil
}

// title is a policy in a table's head.
func title(spec string) string {
	switch spec {
	case "workqueue":
		return "workqueue k=1"
	case "lds,beta=5":
		return "LDS(5)"
	case "lds,beta=20":
		return "LDS(20)"
	}
	return spec
}
