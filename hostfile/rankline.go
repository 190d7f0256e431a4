package hostfile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

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
func (p *parser) rankLine(c *cursor, number token) {
	m, problem := parseHost(c.word())
	if problem == nil && (m.counted || m.excluded || m.pattern.count != 1) {
		problem = m.pattern.from.problem(0, quote(m.pattern.from.text)+" for a rank", "one host")
	}
	rank, err := strconv.Atoi(number.text)
	if err != nil {
		problem = number.problem(0, "rank "+quote(number.text), "the number of a rank")
	} else if other, ok := p.ranks[rank]; ok {
		problem = number.problem(0, fmt.Sprintf("rank %d, which is on line %d already", rank, other.at.line), "each rank once")
	}
	for problem == nil && c.blank() {
		var a attribute
		if a, problem = c.attribute(); problem == nil && a.key.text != "slot" {
			problem = a.key.problem(0, quote(a.key.text), "slot=")
		}
	}
	if problem != nil {
		p.fail(problem)
		return
	}
	m.counted = true
	p.add(m)
	if host, _ := p.lookUp(m.pattern.only()); host >= 0 {
		p.ranks[rank] = rankLine{at: number, host: host}
	}
}

// checkRanks warns if the lines of a rankfile are in another order than its ranks.
// before are the indices that hosts had when the lines were read.
func (p *parser) checkRanks(before []int) {
	host, first := 0, 0 // and its first rank
	for _, rank := range slices.Sorted(maps.Keys(p.ranks)) {
		for host < len(before) && rank >= first+p.file.Hosts[host].Slots {
			first += p.file.Hosts[host].Slots
			host++
		}
		if line := p.ranks[rank]; host == len(before) || before[host] != line.host {
			p.warn(line.at.problem(0, fmt.Sprintf("rank %d out of order: emulated ranks fill the hosts' slots as the file names them", rank), ""))
			return
		}
	}
}
