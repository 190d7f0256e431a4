package main

import (
	"context"
	"fmt"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// slowed is the share that hosts keep when they slow down, and when they do as a part of
// the time that all would take at full speed.
const (
	slowedTo = 0.2
	slowedAt = 0.4
)

// slowPart slows every n-th worker down in mid-run.
func slowPart(ctx context.Context, s *settings, session *frame.Session) error {
	t := frame.Table{
		Part: "slow", Title: fmt.Sprintf("Time over the bound where every n-th worker slows down to a fifth, after %.0f %% of the time that all would take at full speed", 100*slowedAt),
		Header: []string{"tasks", "Mflop", "n", "sends", "bound s"}, Text: []int{3},
		Notes: []string{"The bound is that of the hosts as they are then."},
	}
	t.Header = append(append(t.Header, titles(compared)...), "auto beside the best other", "tasks that it copied")
	for _, k := range []struct{ tasks, mflop int }{{1000, 1000}, {10000, 100}, {10000, 1000}, {100000, 100}, {100000, 1000}} {
		for _, nth := range []int{10, 3} {
			var cells []*cell
			for _, way := range sends {
				p, err := s.grid()
				if err != nil {
					return err
				}
				c, err := newCell(p, fmt.Sprintf("bag:n=%d,flops=%de6", k.tasks, k.mflop))
				if err != nil {
					return err
				}
				c.parallel = way.parallel
				slow := sim.NewProfile(1)
				where, err := c.load.Place(p, c.master, c.mapping)
				if err != nil {
					return err
				}
				slow.Set(slowedAt*c.load.Bound(p, where), slowedTo)
				for i := nth - 1; i < len(where); i += nth {
					p.Hosts[where[i]].Share = sim.Shares{slow}
				}
				cells = append(cells, c)
			}
			if err := runAll(ctx, cells); err != nil {
				return err
			}
			for i, c := range cells {
				row := []string{fmt.Sprint(k.tasks), fmt.Sprint(k.mflop), fmt.Sprint(nth), sends[i].name, fmt.Sprintf("%.1f", c.bound)}
				for _, spec := range compared {
					row = append(row, fmt.Sprintf("%.2f", c.over(spec)))
					session.Record(fmt.Sprintf("%d tasks of %d Mflop, every %d. slow, %s sends", k.tasks, k.mflop, nth, sends[i].name), spec, "s", c.times[spec])
				}
				t.Add(append(row, signed(c.lost()), fmt.Sprint(c.results["auto"].Stats.Copied))...)
			}
		}
	}
	session.Table(t)
	return nil
}
