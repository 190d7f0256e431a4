package settings

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// cursor is a place in a line.
type cursor struct {
	text string
	line int // from 1
	at   int
}

const aValue = "a string in quotes, a number, true or false"

// space goes on to what is not a blank.
func (c *cursor) space() {
	for c.at < len(c.text) && strings.IndexByte(" \t", c.text[c.at]) >= 0 {
		c.at++
	}
}

// rest is what has not been read.
func (c *cursor) rest() string { return c.text[c.at:] }

// over tells whether there is nothing more but a comment.
func (c *cursor) over() bool { return c.rest() == "" || c.text[c.at] == '#' }

// take reads a sign, if it is there, after blanks.
func (c *cursor) take(sign string) bool {
	c.space()
	if !strings.HasPrefix(c.rest(), sign) {
		return false
	}
	c.at += len(sign)
	return true
}

// word is what stands here up to a blank or comment.
func (c *cursor) word() string {
	if i := strings.IndexAny(c.rest(), " \t#"); i >= 0 {
		return c.rest()[:i]
	}
	return c.rest()
}

var (
	bareName = regexp.MustCompile(`^[A-Za-z0-9_-]+`)
	number   = regexp.MustCompile(`^[+-]?(0|[1-9](_?[0-9])*)(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9](_?[0-9])*)?$`)
)

// name reads a name, bare or in quotes.
func (c *cursor) name(expected string) (string, *Problem) {
	start := *c
	name := bareName.FindString(c.rest())
	switch {
	case name != "":
		c.at += len(name)
	case c.over() || strings.IndexByte(`"'`, c.text[c.at]) < 0:
		return "", c.problem(expected)
	default:
		var problem *Problem
		if name, problem = c.str(); problem != nil {
			return "", problem
		}
		if name == "" {
			return "", start.problem(expected)
		}
	}
	if c.space(); strings.HasPrefix(c.rest(), ".") {
		return "", start.problem("a name without dots")
	}
	return name, nil
}

// value reads a value and returns it as flag.Set takes it.
func (c *cursor) value() (string, *Problem) {
	if c.over() {
		return "", c.problem(aValue)
	}
	if strings.IndexByte(`"'`, c.text[c.at]) >= 0 {
		return c.str()
	}
	word := c.word()
	if word != "true" && word != "false" && !number.MatchString(word) {
		return "", c.problem(aValue)
	}
	c.at += len(word)
	return strings.TrimPrefix(strings.ReplaceAll(word, "_", ""), "+"), nil
}

// str reads a string in quotes.
func (c *cursor) str() (string, *Problem) {
	sign := c.text[c.at : c.at+1]
	if strings.HasPrefix(c.rest(), strings.Repeat(sign, 3)) {
		return "", c.problem("a string on one line, between single quotes or double ones")
	}
	c.at++
	if sign == "'" {
		return c.literal()
	}
	return c.basic()
}

// literal reads a string up to its second ', in which all stands for itself.
func (c *cursor) literal() (string, *Problem) {
	inside, _, closed := strings.Cut(c.rest(), "'")
	c.at += len(inside)
	if !closed {
		return "", c.problem("a ' that ends the string")
	}
	c.at++
	return inside, nil
}

// basic reads a string up to its second ", in which a backslash begins what
// stands for something else.
func (c *cursor) basic() (string, *Problem) {
	var b strings.Builder
	for {
		switch {
		case c.rest() == "":
			return "", c.problem(`a " that ends the string`)
		case c.text[c.at] == '"':
			c.at++
			return b.String(), nil
		case c.text[c.at] == '\\':
			r, problem := c.escape()
			if problem != nil {
				return "", problem
			}
			b.WriteRune(r)
		default:
			b.WriteByte(c.text[c.at])
			c.at++
		}
	}
}

// escapes are what letters after a backslash stand for.
var escapes = map[byte]rune{'b': '\b', 't': '\t', 'n': '\n', 'f': '\f', 'r': '\r', '"': '"', '\\': '\\'}

// escape reads a backslash and what follows it.
func (c *cursor) escape() (rune, *Problem) {
	rest := c.rest()[1:]
	if rest != "" {
		if r, ok := escapes[rest[0]]; ok {
			c.at += 2
			return r, nil
		}
		if digits := map[byte]int{'u': 4, 'U': 8}[rest[0]]; digits > 0 && len(rest) > digits {
			code, err := strconv.ParseUint(rest[1:1+digits], 16, 32)
			if err == nil && code <= utf8.MaxRune && utf8.ValidRune(rune(code)) {
				c.at += 2 + digits
				return rune(code), nil
			}
		}
	}
	return 0, c.problem(`\b, \t, \n, \f, \r, \", \\, \u and 4 or \U and 8 hexadecimal digits; between single quotes a backslash is itself`)
}
