package hostfile

import (
	"fmt"
	"strconv"
	"strings"
)

// mention is what a host line says of its hosts.
type mention struct {
	pattern  pattern
	user     string
	slots    int   // 1 if the line does not tell
	counted  bool  // host:n
	limit    int   // max_slots, or 0
	slotsAt  token // attribute slots=, if the line is not 0
	excluded bool
}

// hostLine reads a line that is not blank.
func (p *parser) hostLine(c *cursor) {
	if number, ok := rankNumber(c); ok {
		p.rankLine(c, number)
		return
	}
	m, problem := parseHost(c.word())
	if problem != nil {
		p.fail(problem)
		return
	}
	if p.hostAttributes(c, &m) {
		p.formOf(&m)
		p.add(m)
	}
}

// parseHost reads [^][user@]host[:n].
func parseHost(t token) (mention, *Problem) {
	m := mention{slots: 1}
	if strings.HasPrefix(t.text, "+") {
		return m, t.problem(0, quote(t.text)+", a host by its number in an allocation", "a name")
	}
	if strings.HasPrefix(t.text, "^") {
		m.excluded = true
		t = t.part(1, len(t.text))
	}
	if user, _, ok := strings.Cut(t.text, "@"); ok {
		if problem := checkUser(t.part(0, len(user))); problem != nil {
			return m, problem
		}
		m.user = user
		t = t.part(len(user)+1, len(t.text))
	}
	host, count := splitCount(t)
	if count.line > 0 {
		n, err := strconv.Atoi(count.text)
		if err != nil || n < 1 || n > maxSlots {
			return m, count.problem(0, quote(count.text)+" after the colon", fmt.Sprintf("a number of slots from 1 to %d", maxSlots))
		}
		m.slots, m.counted = n, true
	}
	var problem *Problem
	m.pattern, problem = parsePattern(host)
	return m, problem
}

// splitCount cuts ":n" off a host. Where there are more colons than one, they are
// those of an IPv6 address, unless this stands in brackets.
func splitCount(t token) (host, count token) {
	from := strings.LastIndexByte(t.text, ']') + 1
	colon := strings.LastIndexByte(t.text[from:], ':')
	if colon < 0 || from == 0 && strings.Count(t.text, ":") > 1 {
		return t, token{}
	}
	colon += from
	return t.part(0, colon), t.part(colon+1, len(t.text))
}

func checkUser(t token) *Problem {
	for i := 0; i < len(t.text); i++ {
		if !isNameByte(t.text[i]) {
			return t.problem(i, quote(t.text)+" as user", "letters, digits, - _ or .")
		}
	}
	if t.text == "" || t.text[0] == '-' || len(t.text) > maxNameLength {
		return t.problem(0, quote(t.text)+" as user", "a name")
	}
	return nil
}

// formOf warns of a comment behind hydra's form and, once, of a file that no MPI
// reads, for it has forms of two.
func (p *parser) formOf(m *mention) {
	at := m.pattern.from
	if m.counted && p.tail.line > 0 {
		p.warn(p.tail.problem(0, "comment behind a host, which some versions of hydra do not read", "it on a line of its own"))
	}
	switch {
	case m.slotsAt.line > 0 && p.slotsForm.line == 0:
		p.slotsForm = m.slotsAt
	case m.counted && p.countForm.line == 0:
		p.countForm = at
	default:
		return
	}
	if p.slotsForm.line > 0 && p.countForm.line > 0 {
		p.warn(at.problem(0, fmt.Sprintf("slots= (line %d, Open MPI) and host:n (line %d, hydra) in one file, which neither reads",
			p.slotsForm.line, p.countForm.line), ""))
	}
}
