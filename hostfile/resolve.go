package hostfile

import (
	"fmt"
	"maps"
	"slices"
)

// resolve resolves references between lines, after each line has been read.
func (p *parser) resolve() {
	p.eachHost(p.excluded, func(host int, _ token) { p.details[host].gone = true })
	for _, m := range p.members {
		p.eachMember(m.patterns, func(host int, at token) { p.assign(host, m.set, at) })
	}
	p.assignRest()
	p.hostFigures()
	p.resolveManagers()
	p.removeExcluded()
	p.resolveLinks()
	if len(p.errors) == 0 {
		p.checkSets()
	}
}

// eachHost calls visit for all hosts of the patterns.
func (p *parser) eachHost(patterns []pattern, visit func(host int, at token)) {
	for _, one := range patterns {
		p.each(one, func(name string) {
			if host := p.find(name, one.from); host >= 0 {
				visit(host, one.from)
			}
		})
	}
}

// eachMember is eachHost for the members of a Set. By some rules they need no line of their
// own.
func (p *parser) eachMember(patterns []pattern, visit func(host int, at token)) {
	if !p.rules.SetsOnly {
		p.eachHost(patterns, visit)
		return
	}
	for _, one := range patterns {
		p.each(one, func(name string) {
			if host, ok := p.enterHost(name, one.from); ok {
				p.give(host)
				visit(host, one.from)
			}
		})
	}
}

// assignRest puts the hosts in no Set into Set "default".
func (p *parser) assignRest() {
	for i := range p.file.Hosts {
		h := &p.file.Hosts[i]
		if h.Set >= 0 || p.details[i].gone {
			continue
		}
		if p.rules.Strict {
			p.fail(token{line: h.Line, col: 1}.problem(0, "host "+h.Name+" in no Set", "a #@set above it or with it in nodes="))
		}
		index, ok := p.sets[DefaultSet]
		if !ok {
			index = len(p.file.Sets)
			p.file.Sets = append(p.file.Sets, newSet(DefaultSet, 0))
			p.sets[DefaultSet] = index
		}
		h.Set = index
	}
}

// hostFigures gives hosts their own figures, and then the figures of their Sets.
func (p *parser) hostFigures() {
	for _, f := range p.figures {
		p.eachHost(f.patterns, func(host int, at token) {
			h, d := &p.file.Hosts[host], &p.details[host]
			if f.speedAt.line > 0 && p.once(&d.speed, f.speedAt, h) {
				h.Speed, h.given = f.speed, h.given|speedGiven
			}
			if f.memoryAt.line > 0 && p.once(&d.memory, f.memoryAt, h) {
				h.Memory, h.given = f.memory, h.given|memoryGiven
			}
			if s := f.share; s.File != "" && p.once(&d.share, token{line: s.Line, col: s.Col}, h) {
				h.Share = s
			}
		})
	}
	for i := range p.file.Hosts {
		h := &p.file.Hosts[i]
		if h.Set < 0 {
			continue
		}
		if h.given&speedGiven == 0 {
			h.Speed = p.file.Sets[h.Set].Speed
		}
		if h.given&memoryGiven == 0 {
			h.Memory = p.file.Sets[h.Set].Memory
		}
	}
}

// once notes where a figure is given, and fails if that is twice.
func (p *parser) once(first *token, at token, h *Host) bool {
	if first.line > 0 {
		p.fail(at.problem(0, fmt.Sprintf("figure of host %s again after line %d", h.Name, first.line), "it once"))
		return false
	}
	*first = at
	return true
}

// resolveManagers finds the Sets' managers among their hosts.
func (p *parser) resolveManagers() {
	for i := range p.file.Sets {
		manager, ok := p.managers[i]
		if !ok {
			continue
		}
		s, name, at := &p.file.Sets[i], manager.only(), manager.from
		host, others := p.names.lookUp(name)
		switch {
		case len(others) > 0:
			p.failAmbiguous(name, at, others)
		case host < 0 || p.details[host].gone || p.file.Hosts[host].Set != i:
			p.fail(at.problem(0, "manager "+quote(at.text), "a host of Set "+s.Name))
		case p.file.Hosts[host].Slots == 0:
			p.fail(at.problem(0, "manager "+quote(at.text)+", which has no slots", "a host where a rank runs"))
		default:
			s.Manager = p.file.Hosts[host].Name
		}
	}
}

// removeExcluded takes excluded hosts out of the file.
func (p *parser) removeExcluded() {
	kept := p.file.Hosts[:0]
	var before []int // the indices that they had
	for i, h := range p.file.Hosts {
		if p.details[i].gone {
			continue
		}
		kept, before = append(kept, h), append(before, i)
	}
	p.file.Hosts = kept
	p.checkRanks(before)
}

// checkSets fails for Sets without a host or a slot.
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

// resolveLinks finds the Sets of #@link lines and fills in missing figures.
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

// setOf returns the index of a Set by name, or -1 after an error.
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

// finish returns the File of a parser that has read everything.
func (p *parser) finish() (*File, error) {
	if len(p.errors) == 0 {
		p.resolve()
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return p.result(), nil
}

// result returns the File of a parser without errors.
func (p *parser) result() *File {
	slices.SortStableFunc(p.warnings, byPlace)
	p.file.Warnings = p.warnings
	return p.file
}

// checkRanks warns if the lines of a rankfile are in another order than its ranks.
// before are the indices that hosts had when the lines were read.
func (p *parser) checkRanks(before []int) {
	host, first := 0, 0 // and its first rank
	for _, rank := range slices.Sorted(maps.Keys(p.ranks)) {
		for host < len(before) && rank >= first+p.file.Hosts[host].Slots {
			first += p.file.Hosts[host].Slots
			host++
		}
		if line := p.ranks[rank]; host == len(before) || before[host] != line.host {
			p.warn(line.at.problem(0, fmt.Sprintf("rank %d out of order: emulated ranks fill the hosts' slots as the file names them", rank), ""))
			return
		}
	}
}
