package hostfile

import "fmt"

// checkSets fails for Sets where nothing can run.
func (p *parser) checkSets() {
	if len(p.file.Hosts) == 0 {
		p.fail(token{line: 1, col: 1}.problem(0, "a file without hosts", "a line for each"))
	}
	hosts, slots := make([]int, len(p.file.Sets)), make([]int, len(p.file.Sets))
	for _, h := range p.file.Hosts {
		hosts[h.Set]++
		slots[h.Set] += h.Slots
	}
	for i, s := range p.file.Sets {
		at := token{line: max(1, s.Line), col: 1}
		switch {
		case hosts[i] == 0:
			p.fail(at.problem(0, "Set "+s.Name+" without hosts", "host lines below it, or nodes="))
		case slots[i] == 0:
			p.fail(at.problem(0, "Set "+s.Name+" without slots", "a host with a slot in it"))
		}
	}
}

// resolveLinks finds the Sets that #@link lines name and fills in what they leave
// open.
func (p *parser) resolveLinks() {
	lines := map[[2]int]int{}
	for _, l := range p.links {
		a, b := p.setOf(l.from), p.setOf(l.to)
		if a < 0 || b < 0 {
			continue
		}
		pair := [2]int{min(a, b), max(a, b)}
		switch {
		case a == b:
			p.fail(l.to.problem(0, "link from Set "+l.to.text+" to itself", "another Set; #@set has the rate of its own links"))
			continue
		case lines[pair] > 0:
			p.fail(l.from.problem(0, fmt.Sprintf("link of %s and %s again after line %d", l.from.text, l.to.text, lines[pair]), "it once"))
			continue
		}
		lines[pair] = l.from.line
		link := (&File{Sets: p.file.Sets}).Between(a, b)
		link.Line, link.Share = l.from.line, l.share
		if l.given&rateGiven != 0 {
			link.Rate = l.rate
		}
		if l.given&latencyGiven != 0 {
			link.Latency = l.latency
		}
		p.file.Links = append(p.file.Links, link)
	}
}

// setOf is the index of a Set by name, or -1 after an error.
func (p *parser) setOf(name token) int {
	if index, ok := p.sets[name.text]; ok {
		return index
	}
	var names []string
	for _, s := range p.file.Sets {
		names = append(names, s.Name)
	}
	p.fail(name.problem(0, "Set "+quote(name.text), listed(names)))
	return -1
}
