package hostfile

import (
	"fmt"
	"strings"
)

// ParseSlurmList reads a list of hosts as Slurm writes them: n[01-16,20],gpu1. It
// returns the names one by one, in the order of the list, which is the order of
// ranks, with those that stand there twice. The name is for messages.
//
// Commas, white space and line feeds separate hosts. The zeros before a number
// are those of the first of its range; of several brackets the last changes
// fastest; a name may go on behind them. An empty list has no names.
//
// Errors are Problems. Slurm's functions such as switch{s1} are none of them
// read, for only its controller knows what they mean.
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
