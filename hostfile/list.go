package hostfile

import "strings"

// split cuts a token at separators that are not within brackets or braces. It
// returns what is between them, be it nothing.
func (t token) split(separators string) []token {
	var parts []token
	depth, begin := 0, 0
	for at := 0; at <= len(t.text); at++ {
		switch {
		case at == len(t.text) || depth == 0 && strings.IndexByte(separators, t.text[at]) >= 0:
			parts = append(parts, t.part(begin, at))
			begin = at + 1
		case t.text[at] == '[', t.text[at] == '{':
			depth++
		case t.text[at] == ']', t.text[at] == '}':
			depth = max(0, depth-1)
		}
	}
	return parts
}

// parseList reads patterns with commas between them: "beta[1-2,5],gamma".
func parseList(t token) ([]pattern, *Problem) {
	var list []pattern
	for _, one := range t.split(",") {
		p, problem := parsePattern(one)
		if problem != nil {
			return nil, problem
		}
		list = append(list, p)
	}
	return list, nil
}
