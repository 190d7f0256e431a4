package hostfile

import (
	"fmt"
	"slices"
	"strings"
)

// ParseSlurmList reads a list of hosts as Slurm writes them: n[01-16,20],gpu1. It
// returns the names one by one, in the order of the list, which is the order of
// ranks; a name may be there twice. The argument name is for messages.
//
// Commas, white space and line feeds separate hosts. A number has as many digits as the
// first of its range; of several brackets the last changes fastest; a name may go on after
// them. An empty list has no names.
//
// Errors are Problems. Slurm's functions such as switch{s1} are refused: only its
// controller knows their hosts.
func ParseSlurmList(name, text string) ([]string, error) {
	p := newParser(name, Rules{})
	var names []string
	for _, one := range p.slurmList(text) {
		p.each(one, func(host string) { names = append(names, host) })
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return names, nil
}

// slurmList reads a list that may have several lines.
func (p *parser) slurmList(text string) []pattern {
	var list []pattern
	number := 0
	for line := range strings.Lines(text) {
		number++
		list = append(list, p.slurmLine(token{text: strings.TrimRight(line, "\r\n"), line: number, col: 1})...)
		if p.stopped {
			break
		}
	}
	return list
}

// slurmLine reads the hosts of one line.
func (p *parser) slurmLine(t token) []pattern {
	var list []pattern
	for _, one := range t.split("," + blanks) {
		if one.text == "" {
			continue
		}
		pattern, problem := parseSlurmHosts(one)
		if problem != nil {
			p.fail(problem)
			return list
		}
		list = append(list, pattern)
	}
	return list
}

// parseSlurmHosts reads a name with or without brackets.
func parseSlurmHosts(t token) (pattern, *Problem) {
	if brace := strings.IndexByte(t.text, '{'); brace >= 0 {
		return pattern{}, t.problem(0, fmt.Sprintf("%s, a function that only Slurm's controller knows", quote(t.text)),
			"names of hosts, such as scontrol show hostnames prints")
	}
	return parsePattern(t)
}

// ParseSlurmCounts reads counts by host as Slurm writes them: 2(x3),1 is 2, 2, 2,
// 1. The name is for messages. Errors are Problems.
func ParseSlurmCounts(name, text string) ([]int, error) {
	p := newParser(name, Rules{})
	var counts []int
	t := token{text: strings.TrimRight(text, blanks+"\r\n"), line: 1, col: 1}
	if t.text == "" {
		return nil, nil
	}
	for _, one := range t.split(",") {
		n, times, problem := parseSlurmCount(one)
		if problem == nil && times > maxHosts-len(counts) {
			problem = one.problem(0, fmt.Sprintf("counts for more than %d hosts", maxHosts), "fewer")
		}
		if problem != nil {
			p.fail(problem)
			return nil, p.err()
		}
		counts = append(counts, slices.Repeat([]int{n}, times)...)
	}
	return counts, nil
}

// parseSlurmCount reads "2" or "2(x3)".
func parseSlurmCount(t token) (n, times int, problem *Problem) {
	number, rest, repeated := strings.Cut(t.text, "(x")
	times = 1
	n, ok := parseCount(number, maxSlots)
	if ok && repeated {
		inner, closed := strings.CutSuffix(rest, ")")
		times, ok = parseCount(inner, maxCount)
		ok = ok && closed && times > 0
	}
	if !ok {
		return 0, 0, t.problem(0, quote(t.text)+" as a count", "a number such as 2, or 2(x3) for three hosts")
	}
	return n, times, nil
}

// maxCount keeps sums of counts far from overflow.
const maxCount = 1 << 30

// parseCount reads digits.
func parseCount(text string, most int) (int, bool) {
	digits, err := parseDigits(text)
	if err != nil || digits > int64(most) {
		return 0, false
	}
	return int(digits), true
}
