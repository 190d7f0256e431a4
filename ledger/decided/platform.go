package decided

import (
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// Platform makes the head of a record say on which ranks, Sets and links it is decided
// where processes run.
func Platform(run *ledger.Run, p *rebalancer.Platform) {
	run.Ranks, run.Sets, run.Links = nil, nil, nil
	for _, is := range p.Ranks {
		run.Ranks = append(run.Ranks, ledger.Rank{Host: is.Host, Set: is.Set, Speed: is.Speed})
	}
	for _, is := range p.Sets {
		run.Sets = append(run.Sets, ledger.Set{Name: is.Name, Manager: is.Manager})
	}
	for _, row := range p.Links {
		var links []ledger.Link
		for _, is := range row {
			links = append(links, ledger.Link{Latency: is.Latency, PerByte: is.PerByte})
		}
		run.Links = append(run.Links, links)
	}
}
