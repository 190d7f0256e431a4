package hostfile

import (
	"fmt"
	"strings"
)

// token is a piece of a line.
type token struct {
	text      string
	line, col int
}

// problem is one with the token, at an offset in its text.
func (t token) problem(offset int, read, expected string) *Problem {
	return &Problem{Line: t.line, Col: t.col + offset, Read: read, Expected: expected}
}

// problemIn returns a problem where no parser gives it the name of its file.
func (t token) problemIn(file, read, expected string) *Problem {
	p := t.problem(0, read, expected)
	p.File = file
	return p
}

// part returns the token of text[from:to].
func (t token) part(from, to int) token {
	return token{text: t.text[from:to], line: t.line, col: t.col + from}
}

// cursor reads a line without comments from left to right.
type cursor struct {
	text string
	line int
	at   int
}

const blanks = " \t\v\f"

// blank passes over white space and reports whether something follows it.
func (c *cursor) blank() bool {
	rest := strings.TrimLeft(c.text[c.at:], blanks)
	c.at = len(c.text) - len(rest)
	return rest != ""
}

// until returns the token up to one of the bytes in stop.
func (c *cursor) until(stop string) token {
	c.blank()
	end := len(c.text)
	if n := strings.IndexAny(c.text[c.at:], stop); n >= 0 {
		end = c.at + n
	}
	t := token{text: c.text[c.at:end], line: c.line, col: c.at + 1}
	c.at = end
	return t
}

// word returns the token up to white space.
func (c *cursor) word() token { return c.until(blanks) }

// equals passes over "=" with white space round it.
func (c *cursor) equals() bool {
	if c.blank() && c.text[c.at] == '=' {
		c.at++
		return true
	}
	return false
}

// value returns a word, or the content of quotation marks.
func (c *cursor) value() (token, *Problem) {
	if !c.blank() || c.text[c.at] != '"' {
		return c.word(), nil
	}
	open := c.at
	c.at++
	t := c.until(`"`)
	if c.at == len(c.text) {
		return t, token{line: c.line, col: open + 1}.problem(0, "quotation mark that nothing closes", `another " on the same line`)
	}
	c.at++
	return t, nil
}

// attribute is "key=value".
type attribute struct{ key, value token }

// attribute reads the next one; a Problem makes the rest of the line unreadable.
func (c *cursor) attribute() (attribute, *Problem) {
	key := c.until(blanks + "=")
	if !c.equals() {
		return attribute{}, key.problem(0, quote(key.text)+" without a value", "key=value")
	}
	value, problem := c.value()
	if problem == nil && value.text == "" {
		problem = value.problem(0, quote(key.text+"=")+" without a value", "key=value")
	}
	return attribute{key, value}, problem
}

// split cuts a token at separators that are not within brackets or braces. It
// returns the tokens between them, empty ones too.
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

// unexpected returns the problem of a character that names do not have.
func (t token) unexpected(at int) *Problem {
	r := []rune(t.text[at:min(len(t.text), at+4)])[0]
	return t.problem(at, fmt.Sprintf("%q in the name of a host", r), "letters, digits, - _ . or numbers in brackets")
}
