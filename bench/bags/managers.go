package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
)

// managersPart puts one master beside managers of Sets who draw chunks from it, on platforms
// of several clusters: Sets of the papers' cluster of clusters, three sites of Grid'5000, and
// the same with lines of 100 ms and 1 MB/s between Sets.
func managersPart(ctx context.Context, s *settings, session *frame.Session) error {
	t := frame.Table{
		Part: "managers", Title: "One master for all workers, and managers of Sets between (10 000 tasks of 1 Gflop, 1 kB each)",
		Header: []string{"platform", "policy", "of bound", "with managers", "messages between Sets", "with managers", "bytes between Sets", "with managers"}, Text: []int{0, 1},
	}
	for _, where := range []struct {
		file string
		slow bool
	}{{"clusters-of-clusters.xml", false}, {"clusters-of-clusters.xml", true}, {"grid5000.xml", false}, {"grid5000.xml", true}} {
		p, err := sim.Read(filepath.Join(s.examples, where.file))
		if err != nil {
			return err
		}
		name := where.file
		if where.slow {
			name += ", slow lines"
			slowDown(p)
		}
		var cells []*cell
		for _, managers := range []bool{false, true} {
			c, err := newCell(p, "bag:n=10000,flops=1e9,kb=1")
			if err != nil {
				return err
			}
			c.managers = managers
			cells = append(cells, c)
		}
		if err := runAll(ctx, cells); err != nil {
			return err
		}
		for _, spec := range compared {
			row := []string{name, title(spec)}
			one, many := cells[0].results[spec], cells[1].results[spec]
			row = append(row, fmt.Sprintf("%.2f", cells[0].over(spec)), fmt.Sprintf("%.2f", cells[1].over(spec)),
				fmt.Sprint(one.Crossing.Messages), fmt.Sprint(many.Crossing.Messages),
				ledger.Bytes(int64(one.Crossing.Bytes)), ledger.Bytes(int64(many.Crossing.Bytes)))
			for i, how := range []string{"one master", "managers"} {
				session.Record(name+", "+how, spec, "s", cells[i].times[spec])
			}
			t.Add(row...)
			name = ""
		}
	}
	session.Table(t)
	return nil
}

// slowDown makes lines between Sets long and thin: all links that ways between managers of
// two Sets have, and ways within Sets do not.
func slowDown(p *sim.Platform) {
	inner := make(map[int]bool)
	for i := range p.Hosts {
		if r, err := p.Route(p.Sets[p.Hosts[i].Set].Manager, i); err == nil {
			for _, link := range r.Links {
				inner[link] = true
			}
		}
	}
	for a := range p.Sets {
		for b := range p.Sets {
			r, err := p.Route(p.Sets[a].Manager, p.Sets[b].Manager)
			if err != nil || a == b {
				continue
			}
			for _, link := range r.Links {
				if !inner[link] && !isPrivate(p, link) {
					p.Links[link].Latency, p.Links[link].Rate = 0.1, 1e6
				}
			}
		}
	}
}

// isPrivate reports whether a link is a host's own: on ways from it to whatever Set.
func isPrivate(p *sim.Platform, link int) bool {
	for i := range p.Sets {
		m := p.Sets[i].Manager
		for host := range p.Hosts {
			if p.Hosts[host].Set != i || host == m {
				continue
			}
			for _, way := range [][2]int{{m, host}, {host, m}} {
				if r, err := p.Route(way[0], way[1]); err == nil {
					for _, l := range r.Links {
						if l == link {
							return true
						}
					}
				}
			}
		}
	}
	return false
}
