package page

import (
	"cmp"
	"fmt"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// maxSets bounds the matrix of links, maxHosts the table of hosts.
const (
	maxSets  = 24
	maxHosts = 300
)

// platform describes the ranks, Sets and links of a run.
type platform struct {
	Machine *ledger.Machine
	Hosts   []hostRow
	Note    string // on hosts that are left out
	Sets    []setRow
	Links   [][]linkCell // by Set and Set, nil if they are too many
	From    string       // source of Links
}

type hostRow struct {
	Host, Set, Ranks, Speed string
}

type setRow struct {
	Name, Manager string
	Ranks         int
}

type linkCell struct{ Latency, Rate string }

func newPlatform(v *tell.View) platform {
	run := v.Account.Run()
	p := platform{Machine: v.Account.Machine, From: cmp.Or(run.LinksFrom, "not known"), Hosts: hostsOf(run)}
	if n := len(p.Hosts); n > maxHosts {
		p.Hosts = p.Hosts[:maxHosts]
		p.Note = fmt.Sprintf("The first %d of %d.", maxHosts, n)
	}
	ranks := make([]int, len(run.Sets))
	for _, r := range run.Ranks {
		ranks[r.Set]++
	}
	for i, s := range run.Sets {
		p.Sets = append(p.Sets, setRow{s.Name, run.At(s.Manager), ranks[i]})
	}
	if len(run.Sets) > maxSets {
		return p
	}
	for _, row := range run.Links {
		var cells []linkCell
		for _, l := range row {
			cells = append(cells, linkCell{seconds(l.Latency), bandwidth(l.PerByte)})
		}
		p.Links = append(p.Links, cells)
	}
	return p
}

// hostsOf puts consecutive ranks of a host into a row.
func hostsOf(run *ledger.Run) []hostRow {
	var all []hostRow
	for first := 0; first < len(run.Ranks); {
		next := first + 1
		for next < len(run.Ranks) && run.Ranks[next] == run.Ranks[first] {
			next++
		}
		ranks := fmt.Sprintf("r%d", first)
		if next > first+1 {
			ranks = fmt.Sprintf("r%d to r%d", first, next-1)
		}
		is := run.Ranks[first]
		all = append(all, hostRow{is.Host, run.Sets[is.Set].Name, ranks, fmt.Sprintf("%.3g", is.Speed)})
		first = next
	}
	return all
}
