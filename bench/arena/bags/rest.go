package bags

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// group is a kind of bags, by what they have in common.
type group struct {
	name  string
	cells []*cell
}

// add puts a bag into the group, once for each way in which a master sends.
func (g *group) add(p *sim.Platform, load string, prepare func(*cell) error) error {
	for _, parallel := range []bool{false, true} {
		c, err := newCell(p, load)
		if err != nil {
			return err
		}
		c.parallel = parallel
		if prepare != nil {
			if err := prepare(c); err != nil {
				return err
			}
		}
		g.cells = append(g.cells, c)
	}
	return nil
}

// kinds are bags as the drawn platforms and those with slow hosts have them: tasks, and
// millions of operations of each.
var kinds = []struct{ tasks, mflop int }{{1000, 100}, {1000, 1000}, {10000, 100}, {10000, 1000}}

// unequal are bags of tasks that are not equal, as the workload writes them.
var unequal = []struct{ name, load string }{
	{"tasks of 0.5 to 1.5 times the mean", ",spread=0.5"},
	{"tasks of 0 to 2 times the mean", ",spread=1"},
	{"Pareto's tasks, index 2.5", ",tail=2.5"},
	{"Pareto's tasks, index 1.1", ",tail=1.1"},
}

// bagsOfKind is how many bags of a kind are drawn.
const bagsOfKind = 5

// groups are all kinds of bags.
func (s *settings) groups(session *frame.Session) ([]group, error) {
	grid, err := s.grid()
	if err != nil {
		return nil, err
	}
	paper := group{name: "the paper's grid and bags"}
	for _, at := range places() {
		c, err := newCell(grid, at.load())
		if err != nil {
			return nil, err
		}
		paper.cells = append(paper.cells, c)
	}
	drawn := group{name: fmt.Sprintf("%d platforms drawn at random", s.drawn)}
	for seed := range s.drawn {
		p, err := draw(session, uint64(seed)+1)
		if err != nil {
			return nil, err
		}
		for _, k := range kinds {
			if err := drawn.add(p, fmt.Sprintf("bag:n=%d,flops=%de6", k.tasks, k.mflop), nil); err != nil {
				return nil, err
			}
		}
	}
	all := []group{paper, drawn}
	for _, nth := range []int{10, 3} {
		slow := group{name: fmt.Sprintf("a host in %d slows down to a fifth", nth)}
		for _, k := range kinds {
			p, err := s.grid()
			if err != nil {
				return nil, err
			}
			if err := slow.add(p, fmt.Sprintf("bag:n=%d,flops=%de6", k.tasks, k.mflop), func(c *cell) error { return c.slowDown(nth) }); err != nil {
				return nil, err
			}
		}
		all = append(all, slow)
	}
	for _, u := range unequal {
		g := group{name: u.name}
		for _, k := range kinds[1:] {
			for seed := range bagsOfKind {
				if err := g.add(grid, fmt.Sprintf("bag:n=%d,flops=%de6,seed=%d%s", k.tasks, k.mflop, seed+1, u.load), nil); err != nil {
					return nil, err
				}
			}
		}
		all = append(all, g)
	}
	for _, managers := range []bool{false, true} {
		g := group{name: "Sets behind slow lines, one master"}
		if managers {
			g.name = "the same, managers of Sets between"
		}
		for _, file := range []string{"clusters-of-clusters.xml", "grid5000.xml"} {
			p, err := sim.Read(filepath.Join(s.examples, file))
			if err != nil {
				return nil, err
			}
			slowLines(p)
			c, err := newCell(p, "bag:n=10000,flops=1e9,kb=1")
			if err != nil {
				return nil, err
			}
			c.managers = managers
			g.cells = append(g.cells, c)
		}
		all = append(all, g)
	}
	return all, nil
}

// A host that slows down keeps this share, from this part of the time on that all would take at
// full speed.
const (
	slowedTo = 0.2
	slowedAt = 0.4
)

// slowDown has every n-th worker slow down in mid-run.
func (c *cell) slowDown(nth int) error {
	where, err := c.load.Place(c.platform, c.master, c.mapping)
	if err != nil {
		return err
	}
	slow := sim.NewProfile(1)
	slow.Set(slowedAt*c.load.Bound(c.platform, where), slowedTo)
	for i := nth - 1; i < len(where); i += nth {
		c.platform.Hosts[where[i]].Share = sim.Shares{slow}
	}
	return nil
}

func restPart(ctx context.Context, s *settings, session *frame.Session) error {
	all, err := s.groups(session)
	if err != nil {
		return err
	}
	t := frame.Table{
		Part: "rest", Title: "Time over the bound: the median, and the largest",
		Header: []string{"", "bags"}, Text: []int{0},
		Notes: []string{fmt.Sprintf("A host slows down after %.0f %% of the time that all would take at full speed. The bound is that of hosts and tasks as they come out.", 100*slowedAt)},
	}
	for _, spec := range compared {
		t.Header = append(t.Header, title(spec))
	}
	t.Header = append(t.Header, "auto beside the best other: mean", "at most")
	for _, g := range all {
		session.Progress("%s", g.name)
		if err := runAll(ctx, g.cells); err != nil {
			return err
		}
		row := []string{g.name, fmt.Sprint(len(g.cells))}
		for _, spec := range compared {
			over := frame.Each(g.cells, func(c *cell) float64 { return c.over(spec) })
			session.Record(g.name, spec, "times the bound", over...)
			row = append(row, spread(over))
		}
		mean, most := 0.0, -1.0
		for _, c := range g.cells {
			mean, most = mean+c.lost()/float64(len(g.cells)), max(most, c.lost())
		}
		t.Add(append(row, signed(mean), signed(most))...)
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

// spread is the median and the largest of some figures.
func spread(all []float64) string {
	return fmt.Sprintf("%.2f, %.2f", frame.Median(all), slices.Max(all))
}

// signed is a part of a whole with its sign.
func signed(x float64) string { return fmt.Sprintf("%+.1f %%", 100*x) }
