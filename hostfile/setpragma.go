package hostfile

import "fmt"

// setPragma reads the rest of a #@set line.
func (p *parser) setPragma(c *cursor) {
	p.section = -1
	name, ok := p.setName(c)
	if !ok {
		return
	}
	values := p.pragmaAttributes(c, "manager", "nodes", "speed", "rate", "latency", "memory")
	if len(p.file.Sets) == maxHosts {
		p.failSets(name)
		return
	}
	index, again := p.sets[name.text]
	if again {
		p.fail(name.problem(0, fmt.Sprintf("Set %s, which is on line %d already", name.text, p.file.Sets[index].Line), "each Set once"))
	} else {
		index = p.newSet(name, values)
	}
	if nodes := values["nodes"]; nodes.line == 0 {
		p.section = index
	} else if list, problem := parseList(nodes); problem != nil {
		p.fail(problem)
	} else {
		p.members = append(p.members, members{set: index, patterns: list})
	}
}

// newSet enters a Set with the figures of its line.
func (p *parser) newSet(name token, values map[string]token) int {
	s := newSet(name.text, name.line)
	s.given = speedGiven.when(figure(p, values["speed"], parseSpeed, &s.Speed)) |
		rateGiven.when(figure(p, values["rate"], parseRate, &s.Rate)) |
		latencyGiven.when(figure(p, values["latency"], parseLatency, &s.Latency)) |
		memoryGiven.when(figure(p, values["memory"], parseMemory, &s.Memory))
	index := len(p.file.Sets)
	p.file.Sets = append(p.file.Sets, s)
	p.sets[name.text] = index
	if manager := values["manager"]; manager.line > 0 {
		p.setManager(index, manager)
	}
	return index
}

// setManager notes the name of a manager, which need not be known yet.
func (p *parser) setManager(set int, at token) {
	one, problem := parsePattern(at)
	if problem == nil && one.count != 1 {
		problem = at.problem(0, "manager "+quote(at.text), "one host")
	}
	if problem != nil {
		p.fail(problem)
		return
	}
	p.managers[set] = one
}

func newSet(name string, line int) Set {
	return Set{Name: name, Speed: DefaultSpeed, Rate: DefaultRate, Latency: DefaultLatency, Line: line}
}

func (p *parser) failSets(at token) {
	p.fail(at.problem(0, fmt.Sprintf("more than %d Sets", maxHosts), "fewer"))
	p.stopped = true
}

// setName reads the name of a Set, behind which attributes may stand.
func (p *parser) setName(c *cursor) (token, bool) {
	t := c.until(blanks + "=")
	if !p.checkSetName(t) {
		return t, false
	}
	if c.blank() && c.text[c.at] == '=' {
		p.fail(t.problem(0, quote(t.text)+" where a Set is named", "its name, then attributes"))
		return t, false
	}
	return t, true
}

// checkSetName tells whether a Set can have the name, and fails if not.
func (p *parser) checkSetName(t token) bool {
	for i := 0; i < len(t.text); i++ {
		if !isNameByte(t.text[i]) {
			p.fail(t.problem(i, quote(t.text)+" as the name of a Set", "letters, digits, - _ or ."))
			return false
		}
	}
	if t.text == "" || len(t.text) > maxNameLength {
		p.fail(t.problem(0, quote(t.text)+" where a Set is named", "its name, then attributes"))
		return false
	}
	return true
}
