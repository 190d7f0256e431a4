package hostfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// hostLine reads a line that is not blank.
func (r *reader) hostLine(c *cursor) {
	if number, ok := rankNumber(c); ok {
		r.rankLine(c, number)
		return
	}
	m, problem := parseHost(c.word())
	if problem != nil {
		r.p.fail(problem)
		return
	}
	if r.hostAttributes(c, &m) {
		r.formOf(&m)
		r.p.add(m)
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

// splitCount cuts ":n" off a host. Several colons belong to an IPv6 address, unless this
// stands in brackets.
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

// formOf warns of a comment after hydra's form and, once, of a file that mixes two forms,
// which no MPI reads.
func (r *reader) formOf(m *mention) {
	at := m.pattern.from
	if m.counted && r.tail.line > 0 {
		r.p.warn(r.tail.problem(0, "comment behind a host, which some versions of hydra do not read", "it on a line of its own"))
	}
	switch {
	case m.slotsAt.line > 0 && r.slotsForm.line == 0:
		r.slotsForm = m.slotsAt
	case m.counted && r.countForm.line == 0:
		r.countForm = at
	default:
		return
	}
	if r.slotsForm.line > 0 && r.countForm.line > 0 {
		r.p.warn(at.problem(0, fmt.Sprintf("slots= (line %d, Open MPI) and host:n (line %d, hydra) in one file, which neither reads",
			r.slotsForm.line, r.countForm.line), ""))
	}
}

// Keys of host lines, with _ where - is possible too.
var (
	slotKeys    = []string{"slots", "cpu", "count"}
	limitKeys   = []string{"slots_max", "cpu_max", "count_max", "max_slots", "max_cpu", "max_count"}
	userKeys    = []string{"user", "username", "user_name"}
	ignoredKeys = []string{"binding", "port", "boards", "sockets", "sockets_per_board", "cores", "cores_per_socket"}
	figureKeys  = []string{"speed", "rate", "latency", "memory", "set", "manager"}
)

// hostAttributes reads the rest of a host line and reports whether it is right.
func (r *reader) hostAttributes(c *cursor, m *mention) bool {
	seen := map[string]bool{}
	for c.blank() {
		a, problem := c.attribute()
		if problem == nil {
			problem = m.set(a, seen)
		}
		if problem != nil {
			r.p.fail(problem)
			return false
		}
	}
	if m.limit > 0 && m.slotsAt.line == 0 && !m.counted {
		m.slots = m.limit
	}
	return true
}

// set enters one attribute; seen are the kinds that the line had before.
func (m *mention) set(a attribute, seen map[string]bool) (problem *Problem) {
	key := strings.ReplaceAll(a.key.text, "-", "_")
	kind := key
	switch {
	case slices.Contains(slotKeys, key):
		kind, m.slotsAt = "slots", a.key
		m.slots, problem = parseSlots(a, 0)
	case slices.Contains(limitKeys, key):
		kind = "max_slots"
		m.limit, problem = parseSlots(a, 1)
	case slices.Contains(userKeys, key):
		kind, m.user = "user", a.value.text
		problem = checkUser(a.value)
	case slices.Contains(figureKeys, key):
		return a.key.problem(0, quote(key)+" on a host line, which MPI does not read", "it on a line #@host or #@set")
	case !slices.Contains(ignoredKeys, key):
		return a.key.problem(0, quote(a.key.text), "slots=, max_slots=, user= or another key that Open MPI or hydra has")
	}
	if problem == nil && seen[kind] {
		return a.key.problem(0, kind+"= again", "it once")
	}
	seen[kind] = true
	return problem
}

// parseSlots reads the value of slots= or max_slots=.
func parseSlots(a attribute, least int) (int, *Problem) {
	n, err := strconv.Atoi(a.value.text)
	if err != nil || n < least || n > maxSlots || a.value.text[0] == '+' {
		return 0, a.value.problem(0, a.key.text+"="+quote(a.value.text), fmt.Sprintf("a number from %d to %d", least, maxSlots))
	}
	return n, nil
}

// rankNumber passes over "rank N =", if the line begins so, and returns N.
func rankNumber(c *cursor) (token, bool) {
	try := *c
	if try.word().text != "rank" {
		return token{}, false
	}
	number := try.until(blanks + "=")
	if number.text == "" || strings.Trim(number.text, "0123456789") != "" || !try.equals() {
		return token{}, false
	}
	*c = try
	return number, true
}

// rankLine reads the rest of a line of a rankfile: host slot=cores.
func (r *reader) rankLine(c *cursor, number token) {
	m, problem := parseHost(c.word())
	if problem == nil && (m.counted || m.excluded || m.pattern.count != 1) {
		problem = m.pattern.from.problem(0, quote(m.pattern.from.text)+" for a rank", "one host")
	}
	rank, err := strconv.Atoi(number.text)
	if err != nil {
		problem = number.problem(0, "rank "+quote(number.text), "the number of a rank")
	} else if other, ok := r.p.ranks[rank]; ok {
		problem = number.problem(0, fmt.Sprintf("rank %d, which is on line %d already", rank, other.at.line), "each rank once")
	}
	for problem == nil && c.blank() {
		var a attribute
		if a, problem = c.attribute(); problem == nil && a.key.text != "slot" {
			problem = a.key.problem(0, quote(a.key.text), "slot=")
		}
	}
	if problem != nil {
		r.p.fail(problem)
		return
	}
	m.counted = true
	r.p.add(m)
	if host, _ := r.p.names.lookUp(m.pattern.only()); host >= 0 {
		r.p.ranks[rank] = rankLine{at: number, host: host}
	}
}
