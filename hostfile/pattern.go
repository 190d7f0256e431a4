package hostfile

import (
	"fmt"
	"iter"
	"net/netip"
	"strconv"
	"strings"
)

// Limits keep the memory that a file takes small.
const (
	maxHosts      = 1 << 16 // of a file, and of a pattern
	maxNameLength = 253     // as in DNS
	maxDigits     = 18
)

const tooMany = "more than 65536 hosts in one name"

// pattern is a name of a host in which bracketed numbers stand for many:
// node[01-16]. An address is a pattern too.
type pattern struct {
	from  token
	parts []part
	count int // of names
}

// part is text or, if there are spans, one of their numbers.
type part struct {
	text  string
	spans []span
}

// span is the numbers from low to high, with zeros before them up to a width.
type span struct {
	low, high int64
	width     int
}

func (s span) count() int { return int(s.high - s.low + 1) }

// parsePattern reads a name, with or without brackets, or an address; IPv6
// addresses may stand in brackets.
func parsePattern(t token) (pattern, *Problem) {
	text := t.text
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && strings.Contains(text, ":") {
		text = text[1 : len(text)-1]
	}
	if strings.Contains(text, ":") && !strings.Contains(text, "[") {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" {
			return pattern{}, t.problem(0, quote(t.text), "an IPv6 address or a name without colons")
		}
		return pattern{from: t, parts: []part{{text: address.String()}}, count: 1}, nil
	}
	return parseRanges(t)
}

func parseRanges(t token) (pattern, *Problem) {
	p := pattern{from: t, count: 1}
	longest := 0
	for at := 0; at < len(t.text); {
		one, length, problem := parsePart(t, at)
		if problem != nil {
			return p, problem
		}
		p.parts = append(p.parts, one)
		longest += one.longest()
		if one.count() > maxHosts/p.count {
			return p, t.problem(at, tooMany, "fewer")
		}
		p.count *= one.count()
		at += length
	}
	switch first := strings.TrimLeft(t.text, "["); {
	case first == "":
		return p, t.problem(0, "no name", "a host")
	case first[0] == '-' || first[0] == '.':
		return p, t.problem(0, quote(t.text), "a name that begins with a letter or digit")
	case longest > maxNameLength:
		return p, t.problem(0, fmt.Sprintf("name of %d characters", longest), fmt.Sprintf("at most %d", maxNameLength))
	}
	return p, nil
}

// parsePart reads the text up to the next bracket, or the content of brackets, and returns
// its length in the token.
func parsePart(t token, at int) (part, int, *Problem) {
	rest := t.text[at:]
	if rest[0] != '[' {
		n := 0
		for n < len(rest) && isNameByte(rest[n]) {
			n++
		}
		if n < len(rest) && rest[n] != '[' {
			return part{}, 0, t.unexpected(at + n)
		}
		return part{text: rest[:n]}, n, nil
	}
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return part{}, 0, t.problem(at, "bracket that nothing closes", "] after the numbers")
	}
	spans, problem := parseSpans(t.part(at+1, at+end))
	return part{spans: spans}, end + 1, problem
}

func isNameByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '-' || b == '_' || b == '.'
}

// parseSpans reads "1-3,5".
func parseSpans(t token) ([]span, *Problem) {
	var spans []span
	total := 0
	for at := 0; at <= len(t.text); {
		end := len(t.text)
		if n := strings.IndexByte(t.text[at:], ','); n >= 0 {
			end = at + n
		}
		one, problem := parseSpan(t.part(at, end))
		if problem != nil {
			return nil, problem
		}
		if total += one.count(); total > maxHosts {
			return nil, t.problem(at, tooMany, "fewer")
		}
		spans = append(spans, one)
		at = end + 1
	}
	return spans, nil
}

// parseSpan reads "7" or "01-16". The low number has the width.
func parseSpan(t token) (span, *Problem) {
	low, high, isRange := strings.Cut(t.text, "-")
	if !isRange {
		high = low
	}
	from, err := parseDigits(low)
	if err != nil {
		return span{}, t.problem(0, quote(t.text)+" in brackets", "numbers such as 1-4 or 1,3")
	}
	to, err := parseDigits(high)
	if err != nil {
		return span{}, t.problem(0, quote(t.text)+" in brackets", "numbers such as 1-4 or 1,3")
	}
	switch {
	case from > to:
		return span{}, t.problem(0, "range "+t.text+" from high to low", "the lower number first")
	case to-from >= maxHosts:
		return span{}, t.problem(0, "range "+t.text+": "+tooMany, "fewer")
	}
	return span{low: from, high: to, width: len(low)}, nil
}

func parseDigits(text string) (int64, error) {
	if text == "" || len(text) > maxDigits || strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(text, 10, 64)
}

func (p part) count() int {
	if p.spans == nil {
		return 1
	}
	n := 0
	for _, s := range p.spans {
		n += s.count()
	}
	return n
}

// longest returns the length of the longest text that the part stands for.
func (p part) longest() int {
	n := len(p.text)
	for _, s := range p.spans {
		n = max(n, s.width, len(strconv.FormatInt(s.high, 10)))
	}
	return n
}

// names returns all that a pattern stands for; the last bracket changes fastest.
func (p pattern) names() iter.Seq[string] {
	return func(yield func(string) bool) { expand(p.parts, make([]byte, 0, maxNameLength), yield) }
}

// expand yields begin followed by each name that the parts stand for. It returns false
// once yield has.
func expand(parts []part, begin []byte, yield func(string) bool) bool {
	if len(parts) == 0 {
		return yield(string(begin))
	}
	if parts[0].spans == nil {
		return expand(parts[1:], append(begin, parts[0].text...), yield)
	}
	for _, s := range parts[0].spans {
		for n := s.low; n <= s.high; n++ {
			digits := strconv.FormatInt(n, 10)
			next := append(begin, strings.Repeat("0", max(0, s.width-len(digits)))...)
			if !expand(parts[1:], append(next, digits...), yield) {
				return false
			}
		}
	}
	return true
}

// only returns the name of a pattern that stands for one.
func (p pattern) only() string {
	for name := range p.names() {
		return name
	}
	return ""
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
