package hostfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Keys of host lines, with _ for the - that may stand in its place.
var (
	slotKeys    = []string{"slots", "cpu", "count"}
	limitKeys   = []string{"slots_max", "cpu_max", "count_max", "max_slots", "max_cpu", "max_count"}
	userKeys    = []string{"user", "username", "user_name"}
	ignoredKeys = []string{"binding", "port", "boards", "sockets", "sockets_per_board", "cores", "cores_per_socket"}
	figureKeys  = []string{"speed", "rate", "latency", "memory", "set", "manager"}
)

// hostAttributes reads the rest of a host line and tells whether it is right.
func (p *parser) hostAttributes(c *cursor, m *mention) bool {
	seen := map[string]bool{}
	for c.blank() {
		a, problem := c.attribute()
		if problem == nil {
			problem = m.set(a, seen)
		}
		if problem != nil {
			p.fail(problem)
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
