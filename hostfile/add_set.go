package hostfile

import "fmt"

// checkSetName reports whether a Set can have the name, and fails if not.
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

// enterSet enters a Set with its hosts.
func (p *parser) enterSet(name token, hosts []pattern) {
	if _, again := p.sets[name.text]; again {
		p.fail(name.problem(0, "Set "+name.text+" again", "each Set once"))
		return
	}
	if len(p.file.Sets) == maxHosts {
		p.failSets(name)
		return
	}
	p.members = append(p.members, members{set: p.newSet(name, nil), patterns: hosts})
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

// figure reads a value, if there is one, and reports whether there is.
func figure[T any](p *parser, t token, parse func(token) (T, *Problem), to *T) bool {
	if t.line == 0 {
		return false
	}
	value, problem := parse(t)
	if problem != nil {
		p.fail(problem)
		return false
	}
	*to = value
	return true
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

func (p *parser) failSets(at token) {
	p.fail(at.problem(0, fmt.Sprintf("more than %d Sets", maxHosts), "fewer"))
	p.stopped = true
}

// setOfLine reads "siteA=alpha[01-03]".
func (p *parser) setOfLine(t token) {
	c := &cursor{text: t.text, line: t.line}
	name := c.until(blanks + "=")
	name.col += t.col - 1
	if !p.checkSetName(name) {
		return
	}
	if !c.equals() || !c.blank() {
		p.fail(t.problem(c.at, "Set "+quote(name.text)+" without hosts", "SET=HOSTS, not a file"))
		return
	}
	p.enterSet(name, p.slurmLine(t.part(c.at, len(t.text))))
}
