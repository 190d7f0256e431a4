package hostfile

import (
	"iter"
	"strconv"
	"strings"
)

// names are all that a pattern stands for; the last bracket changes fastest.
func (p pattern) names() iter.Seq[string] {
	return func(yield func(string) bool) { expand(p.parts, make([]byte, 0, maxNameLength), yield) }
}

// expand yields begin with what the parts stand for. It returns false when
// nothing more is wanted.
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

// only is the name of a pattern that stands for one.
func (p pattern) only() string {
	for name := range p.names() {
		return name
	}
	return ""
}
