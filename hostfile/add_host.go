package hostfile

import (
	"fmt"
	"strings"
)

// add enters the hosts of a line.
func (p *parser) add(m mention) {
	if m.excluded {
		p.excluded = append(p.excluded, m.pattern)
		p.warn(m.pattern.from.problem(-1, "^ before a host, which Open MPI 4 does not read", ""))
		return
	}
	p.each(m.pattern, func(name string) {
		if host, ok := p.enterHost(name, m.pattern.from); ok {
			p.count(host, &m)
		}
	})
}

// enterHost finds the host of a name, which may be new.
func (p *parser) enterHost(name string, at token) (host int, ok bool) {
	host, others := p.names.lookUp(name)
	switch {
	case len(others) > 0:
		p.failAmbiguous(name, at, others)
		return -1, false
	case host < 0:
		return p.newHost(name, at)
	}
	p.rename(host, name, at)
	return host, true
}

// newHost enters a host that has not been named before.
func (p *parser) newHost(name string, at token) (host int, ok bool) {
	host = len(p.file.Hosts)
	if host == maxHosts {
		p.fail(at.problem(0, fmt.Sprintf("more than %d hosts", maxHosts), "fewer"))
		p.stopped = true
		return -1, false
	}
	if p.rules.Form == Launchers && !p.rules.SetsOnly {
		p.warnOfName(name, at)
	}
	p.file.Hosts = append(p.file.Hosts, Host{Name: name, Set: -1, Line: at.line})
	p.details = append(p.details, detail{})
	p.names.enter(name, host)
	return host, true
}

// warnOfName warns of names that launchers read differently.
func (p *parser) warnOfName(name string, at token) {
	if strings.Trim(name, "0123456789.") == "" && strings.Count(name, ".") != 3 {
		p.warn(at.problem(0, "host "+quote(name)+" of digits, which ssh takes for an address", ""))
	}
	if others := p.names.namesakes(name); len(others) > 0 {
		other := p.file.Hosts[others[0]]
		p.warn(at.problem(0, fmt.Sprintf("host %s, which Open MPI takes for %s of line %d", name, other.Name, other.Line), ""))
	}
}

// rename gives a host known without domain the name that has one, and warns of
// names that differ in case.
func (p *parser) rename(host int, name string, at token) {
	h := &p.file.Hosts[host]
	if h.Name == name {
		return
	}
	if strings.EqualFold(h.Name, name) {
		if p.rules.Form != Launchers || p.rules.SetsOnly {
			return
		}
		p.warn(at.problem(0, fmt.Sprintf("host %s, here the same as %s of line %d, but not for Open MPI", name, h.Name, h.Line), ""))
		return
	}
	if _, dotted := label(name); dotted {
		p.names.forget(h.Name, host)
		h.Name = name
		p.names.enter(name, host)
	}
}

// count adds a line's slots to a host.
func (p *parser) count(host int, m *mention) {
	h, d, at := &p.file.Hosts[host], &p.details[host], m.pattern.from
	if d.counted && m.slotsAt.line > 0 {
		p.fail(m.slotsAt.problem(0, fmt.Sprintf("slots of host %s, which line %d names already", h.Name, h.Line),
			"slots= where a host is first named, or the host once for each slot"))
		return
	}
	h.open = !d.counted && m.slotsAt.line == 0 && !m.counted && m.limit == 0
	d.counted = true
	h.Slots += m.slots
	if m.limit > 0 {
		h.MaxSlots = m.limit
	}
	most := maxSlots
	if h.MaxSlots > 0 {
		most = h.MaxSlots
	}
	if h.Slots > most {
		p.fail(at.problem(0, fmt.Sprintf("%d slots on host %s", h.Slots, h.Name), fmt.Sprintf("at most %d", most)))
	}
	if m.user != "" {
		h.User = m.user
	}
	if p.section >= 0 {
		p.assign(host, p.section, at)
	}
}

// give gives a host a slot if no line has its number of slots.
func (p *parser) give(host int) {
	if h, d := &p.file.Hosts[host], &p.details[host]; !d.counted {
		h.Slots, h.open, d.counted = 1, true, true
	}
}

// assign puts a host into a Set.
func (p *parser) assign(host, set int, at token) {
	h, d := &p.file.Hosts[host], &p.details[host]
	if h.Set >= 0 && h.Set != set {
		p.fail(at.problem(0, fmt.Sprintf("host %s in Set %s, which line %d puts into Set %s", h.Name, p.file.Sets[set].Name, d.set.line, p.file.Sets[h.Set].Name),
			"each host in one Set"))
		return
	}
	if h.Set < 0 {
		h.Set, d.set = set, at
	}
}
