package main

import (
	"fmt"

	"github.com/migbsp/migbsp/bench/exchange/traffic"
	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/mpi/rounds"
)

// us prints a time in microseconds.
func us(x float64) string {
	switch {
	case x < 9.95:
		return fmt.Sprintf("%.1f", x)
	case x < 99_999:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g s", x/1e6)
}

func (t times) cell(p traffic.Pattern, how string) string {
	if x, ok := t.us[column{p, how}]; ok {
		return us(x)
	}
	return "-"
}

// tables prints what was simulated.
func (s *settings) tables(session *frame.Session, all []*series) {
	for _, n := range s.networks {
		about := n.Name + ", SIMULATED, us"
		session.Table(s.sparse(about, of(all, n.Name)))
		session.Table(s.dense(about, of(all, n.Name)))
	}
	session.Table(s.plans())
}

func of(all []*series, network string) (some []*series) {
	for _, one := range all {
		if one.network.Name == network {
			some = append(some, one)
		}
	}
	return some
}

// sparse is of supersteps in which there is nothing or little.
func (s *settings) sparse(about string, all []*series) frame.Table {
	t := frame.Table{
		Part: "exchange",
		Title: fmt.Sprintf("Empty supersteps, and halos of 4 x %d bytes of each rank; %s.\n%s:\n%s",
			s.halo, about, all[0].network.From, all[0].network),
		Header: []string{"ranks", "nodes", "empty", "barrier", "rec. dbl.", "halo", "by hand", "+barrier", "remembered"},
	}
	for _, one := range all {
		for _, x := range one.times {
			t.Add(fmt.Sprint(one.ranks), fmt.Sprint(x.Nodes), x.cell(traffic.Empty, inRounds), x.cell(traffic.Empty, dissem), x.cell(traffic.Empty, doubled),
				x.cell(traffic.Halo, inRounds), x.cell(traffic.Halo, manual), x.cell(traffic.Halo, dissem), x.cell(traffic.Halo, remembered))
		}
	}
	return t
}

// dense is of the choice of a radix.
func (s *settings) dense(about string, all []*series) frame.Table {
	t := frame.Table{
		Part:   "exchange-radix",
		Title:  fmt.Sprintf("By radix: empty supersteps, and %d bytes from each rank to each other one; %s", s.all, about),
		Header: []string{"ranks", "nodes", "R", "empty", "R = 2", "direct", "all to all", "R = 2", "direct", "by hand"},
	}
	for _, one := range all {
		for _, x := range one.times {
			t.Add(fmt.Sprint(one.ranks), fmt.Sprint(x.Nodes), fmt.Sprint(one.network.plan(x.Nodes).Radix),
				x.cell(traffic.Empty, inRounds), x.cell(traffic.Empty, binary), x.cell(traffic.Empty, direct),
				x.cell(traffic.AllToAll, inRounds), x.cell(traffic.AllToAll, binary), x.cell(traffic.AllToAll, direct), x.cell(traffic.AllToAll, manual))
		}
	}
	return t
}

// plans are those of the rounds, with the memory that they take: slots of all steps for two
// lanes, and what is sent.
func (s *settings) plans() frame.Table {
	t := frame.Table{
		Part: "exchange-plans", Title: "The rounds' plan, and the memory of a leader for their messages",
		Header: []string{"nodes", "R", "rounds", "messages", "slot, bytes", "parcel within, bytes", "memory, kB"},
	}
	for _, nodes := range s.nodes {
		p := rounds.For(nodes)
		t.Add(fmt.Sprint(nodes), fmt.Sprint(p.Radix), fmt.Sprint(p.Rounds), fmt.Sprint(len(p.Steps)), fmt.Sprint(p.SlotBytes),
			fmt.Sprint(p.InlineBytes), fmt.Sprintf("%.0f", float64(3*len(p.Steps)*p.SlotBytes)/1000))
	}
	return t
}
