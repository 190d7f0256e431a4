package hostfile

import (
	"fmt"
	"slices"
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
