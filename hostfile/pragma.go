package hostfile

import (
	"fmt"
	"slices"
)

// pragma reads a line after its "#@".
func (r *reader) pragma(c *cursor) {
	word := token{line: c.line, col: c.at + 1}
	if c.at < len(c.text) && c.text[c.at] != ' ' && c.text[c.at] != '\t' {
		word = c.word()
	}
	switch word.text {
	case "set":
		r.setPragma(c)
	case "host":
		r.hostPragma(c)
	case "link":
		r.linkPragma(c)
	case "platform":
		r.platformPragma(c)
	default:
		r.p.warn(word.problem(0, quote("#@"+word.text)+", which is read as a comment", "#@set, #@host, #@link or #@platform"))
	}
}

// pragmaAttributes reads the rest of a line, of attributes with the given keys.
// A value that is not there has line 0.
func (r *reader) pragmaAttributes(c *cursor, keys ...string) map[string]token {
	values := map[string]token{}
	for c.blank() {
		a, problem := c.attribute()
		if problem != nil {
			r.p.fail(problem)
			return values
		}
		switch _, again := values[a.key.text]; {
		case !slices.Contains(keys, a.key.text):
			r.p.fail(a.key.problem(0, "attribute "+quote(a.key.text), listed(keys)))
		case again:
			r.p.fail(a.key.problem(0, a.key.text+"= again", "it once"))
		default:
			values[a.key.text] = a.value
		}
	}
	return values
}

// hostPragma reads the rest of a #@host line.
func (r *reader) hostPragma(c *cursor) {
	name := c.word()
	list, problem := parseList(name)
	if problem != nil {
		r.p.fail(problem)
		return
	}
	if !c.blank() {
		r.p.fail(name.problem(len(name.text), "#@host without figures", "speed=, memory= or share="))
		return
	}
	values := r.pragmaAttributes(c, "speed", "memory", "share")
	h := hostFigures{patterns: list, speedAt: values["speed"], memoryAt: values["memory"]}
	figure(r.p, h.speedAt, parseSpeed, &h.speed)
	figure(r.p, h.memoryAt, parseMemory, &h.memory)
	figure(r.p, values["share"], parseShare, &h.share)
	r.p.figures = append(r.p.figures, h)
}

// linkPragma reads the rest of a #@link line.
func (r *reader) linkPragma(c *cursor) {
	from, ok := r.setName(c)
	if !ok {
		return
	}
	to, ok := r.setName(c)
	if !ok {
		return
	}
	values := r.pragmaAttributes(c, "rate", "latency", "share")
	l := linkLine{from: from, to: to}
	l.given = rateGiven.when(figure(r.p, values["rate"], parseRate, &l.rate)) |
		latencyGiven.when(figure(r.p, values["latency"], parseLatency, &l.latency))
	figure(r.p, values["share"], parseShare, &l.share)
	r.p.links = append(r.p.links, l)
}

// platformPragma reads the rest of a #@platform line.
func (r *reader) platformPragma(c *cursor) {
	barrier := r.pragmaAttributes(c, "barrier")["barrier"]
	if barrier.line == 0 {
		return
	}
	if r.p.barrierAt.line > 0 {
		r.p.fail(barrier.problem(0, fmt.Sprintf("barrier again after line %d", r.p.barrierAt.line), "it once"))
		return
	}
	r.p.barrierAt = barrier
	r.p.file.barrierGiven = figure(r.p, barrier, parseBarrier, &r.p.file.Barrier)
}

// setPragma reads the rest of a #@set line.
func (r *reader) setPragma(c *cursor) {
	r.p.section = -1
	name, ok := r.setName(c)
	if !ok {
		return
	}
	values := r.pragmaAttributes(c, "manager", "nodes", "speed", "rate", "latency", "memory")
	if len(r.p.file.Sets) == maxHosts {
		r.p.failSets(name)
		return
	}
	index, again := r.p.sets[name.text]
	if again {
		r.p.fail(name.problem(0, fmt.Sprintf("Set %s, which is on line %d already", name.text, r.p.file.Sets[index].Line), "each Set once"))
	} else {
		index = r.p.newSet(name, values)
	}
	if nodes := values["nodes"]; nodes.line == 0 {
		r.p.section = index
	} else if list, problem := parseList(nodes); problem != nil {
		r.p.fail(problem)
	} else {
		r.p.members = append(r.p.members, members{set: index, patterns: list})
	}
}

// setName reads the name of a Set, which attributes may follow.
func (r *reader) setName(c *cursor) (token, bool) {
	t := c.until(blanks + "=")
	if !r.p.checkSetName(t) {
		return t, false
	}
	if c.blank() && c.text[c.at] == '=' {
		r.p.fail(t.problem(0, quote(t.text)+" where a Set is named", "its name, then attributes"))
		return t, false
	}
	return t, true
}
