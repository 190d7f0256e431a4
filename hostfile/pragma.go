package hostfile

import (
	"fmt"
	"slices"
	"time"
)

// pragma reads a line after its "#@".
func (p *parser) pragma(c *cursor) {
	word := token{line: c.line, col: c.at + 1}
	if c.at < len(c.text) && c.text[c.at] != ' ' && c.text[c.at] != '\t' {
		word = c.word()
	}
	switch word.text {
	case "set":
		p.setPragma(c)
	case "host":
		p.hostPragma(c)
	case "link":
		p.linkPragma(c)
	case "platform":
		p.platformPragma(c)
	default:
		p.warn(word.problem(0, quote("#@"+word.text)+", which is read as a comment", "#@set, #@host, #@link or #@platform"))
	}
}

// pragmaAttributes reads the rest of a line, of attributes with the given keys.
// A value that is not there has line 0.
func (p *parser) pragmaAttributes(c *cursor, keys ...string) map[string]token {
	values := map[string]token{}
	for c.blank() {
		a, problem := c.attribute()
		if problem != nil {
			p.fail(problem)
			return values
		}
		switch _, again := values[a.key.text]; {
		case !slices.Contains(keys, a.key.text):
			p.fail(a.key.problem(0, "attribute "+quote(a.key.text), listed(keys)))
		case again:
			p.fail(a.key.problem(0, a.key.text+"= again", "it once"))
		default:
			values[a.key.text] = a.value
		}
	}
	return values
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

func parseLatency(t token) (time.Duration, *Problem) { return parseDuration(t, "latency") }
func parseBarrier(t token) (time.Duration, *Problem) { return parseDuration(t, "barrier") }

// hostPragma reads the rest of a #@host line.
func (p *parser) hostPragma(c *cursor) {
	name := c.word()
	list, problem := parseList(name)
	if problem != nil {
		p.fail(problem)
		return
	}
	if !c.blank() {
		p.fail(name.problem(len(name.text), "#@host without figures", "speed=, memory= or share="))
		return
	}
	values := p.pragmaAttributes(c, "speed", "memory", "share")
	h := hostFigures{patterns: list, speedAt: values["speed"], memoryAt: values["memory"]}
	figure(p, h.speedAt, parseSpeed, &h.speed)
	figure(p, h.memoryAt, parseMemory, &h.memory)
	figure(p, values["share"], parseShare, &h.share)
	p.figures = append(p.figures, h)
}

// linkPragma reads the rest of a #@link line.
func (p *parser) linkPragma(c *cursor) {
	from, ok := p.setName(c)
	if !ok {
		return
	}
	to, ok := p.setName(c)
	if !ok {
		return
	}
	values := p.pragmaAttributes(c, "rate", "latency", "share")
	l := linkLine{from: from, to: to}
	l.given = rateGiven.when(figure(p, values["rate"], parseRate, &l.rate)) |
		latencyGiven.when(figure(p, values["latency"], parseLatency, &l.latency))
	figure(p, values["share"], parseShare, &l.share)
	p.links = append(p.links, l)
}

// platformPragma reads the rest of a #@platform line.
func (p *parser) platformPragma(c *cursor) {
	barrier := p.pragmaAttributes(c, "barrier")["barrier"]
	if barrier.line == 0 {
		return
	}
	if p.barrierAt.line > 0 {
		p.fail(barrier.problem(0, fmt.Sprintf("barrier again after line %d", p.barrierAt.line), "it once"))
		return
	}
	p.barrierAt = barrier
	p.file.barrierGiven = figure(p, barrier, parseBarrier, &p.file.Barrier)
}

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
