package main

import (
	"context"
	"fmt"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// bags of tasks that are not equal, as the workload writes them.
var unequal = []struct{ name, load string }{
	{"equal", ""},
	{"0.5 to 1.5", ",spread=0.5"},
	{"0 to 2", ",spread=1"},
	{"Pareto 2.5", ",tail=2.5"},
	{"Pareto 1.5", ",tail=1.5"},
	{"Pareto 1.1", ",tail=1.1"},
}

// bagsOfKind is how many bags of a kind are drawn.
const bagsOfKind = 5

func unequalPart(ctx context.Context, s *settings, session *frame.Session) error {
	p, err := s.grid()
	if err != nil {
		return err
	}
	t := frame.Table{
		Part: "unequal", Title: fmt.Sprintf("Time over the bound, by how much tasks differ: the median and the largest of %d bags", bagsOfKind),
		Header: []string{"tasks", "Mflop", "each takes", "sends"}, Text: []int{2, 3},
		Notes: []string{"The bound is that of the bags as they came out; the longest task on the fastest host is part of it."},
	}
	t.Header = append(append(t.Header, titles(compared)...), "auto beside the best other: at most", "on average")
	for _, k := range []struct{ tasks, mflop int }{{1000, 1000}, {10000, 1000}} {
		for _, u := range unequal {
			for _, way := range sends {
				var cells []*cell
				for seed := range bagsOfKind {
					c, err := newCell(p, fmt.Sprintf("bag:n=%d,flops=%de6,seed=%d%s", k.tasks, k.mflop, seed+1, u.load))
					if err != nil {
						return err
					}
					c.parallel = way.parallel
					cells = append(cells, c)
				}
				if err := runAll(ctx, cells); err != nil {
					return err
				}
				row := []string{fmt.Sprint(k.tasks), fmt.Sprint(k.mflop), u.name, way.name}
				for _, spec := range compared {
					all := frame.Each(cells, func(c *cell) float64 { return c.over(spec) })
					session.Record(fmt.Sprintf("%d tasks of %d Mflop, %s, %s sends", k.tasks, k.mflop, u.name, way.name), spec, "times the bound", all...)
					row = append(row, spread(all))
				}
				lost, mean := -1.0, 0.0
				for _, c := range cells {
					lost = max(lost, c.lost())
					mean += c.lost() / float64(len(cells))
				}
				t.Add(append(row, signed(lost), signed(mean))...)
			}
		}
	}
	session.Table(t)
	return nil
}
