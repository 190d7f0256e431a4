package hostfile

import "strings"

// FormOf guesses the form of a file from the first line with hosts. What is no
// other form is one of Launchers.
func FormOf(text string) Form {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		first := token{text: words[0]}
		switch {
		case len(words) == 4 && strings.Contains(words[2], "@") && strings.Trim(words[1], "0123456789") == "":
			return GridEngine
		case len(first.split(",")) > 1, len(first.split("*")) > 1,
			len(words) > 1 && !strings.ContainsAny(line, "=@:/"):
			return SlurmHosts
		}
		break
	}
	return Launchers
}

// formLine reads a line that is not blank, in the form that the rules name.
func (r *reader) formLine(c *cursor) {
	switch r.p.rules.Form {
	case SlurmHosts:
		r.p.slurmHostLine(c)
	case GridEngine:
		r.p.gridLine(c)
	default:
		r.hostLine(c)
	}
}

// slurmHostLine reads a line of hosts with commas or white space between them.
func (p *parser) slurmHostLine(c *cursor) {
	line := token{text: c.text, line: c.line, col: 1}
	for _, one := range line.split("," + blanks) {
		if one.text == "" {
			continue
		}
		m := mention{slots: 1, counted: true}
		var problem *Problem
		if at := strings.LastIndexByte(one.text, '*'); at >= 0 {
			m.slots, problem = parseTimes(one.part(at+1, len(one.text)))
			one = one.part(0, at)
		}
		if problem == nil {
			m.pattern, problem = parseSlurmHosts(one)
		}
		if problem != nil {
			p.fail(problem)
			return
		}
		p.add(m)
	}
}

// parseTimes reads the number after a *.
func parseTimes(t token) (int, *Problem) {
	n, ok := parseCount(t.text, maxSlots)
	if !ok || n == 0 {
		return 0, t.problem(0, quote(t.text)+" after *", "how often the host stands there")
	}
	return n, nil
}

// gridLine reads "host slots queue@host UNDEFINED".
func (p *parser) gridLine(c *cursor) {
	host, slots := c.word(), c.word()
	m := mention{counted: true}
	var problem *Problem
	if m.pattern, problem = parsePattern(host); problem == nil {
		var ok bool
		if m.slots, ok = parseCount(slots.text, maxSlots); !ok {
			problem = slots.problem(0, quote(slots.text)+" behind host "+host.text, "its number of slots")
		}
	}
	if problem != nil {
		p.fail(problem)
		return
	}
	p.add(m)
}
