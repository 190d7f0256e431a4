package settings

import (
	"fmt"
	"strconv"
	"strings"
)

// Problem is a place in a configuration file that is wrong.
type Problem struct {
	File      string
	Line, Col int // from 1; columns are bytes
	Read      string
	Expected  string
}

// Error is "file:line:col: what was read, expected what".
func (p *Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s, expected %s", p.File, p.Line, p.Col, p.Read, p.Expected)
}

// problem says that something else was expected here.
func (c *cursor) problem(expected string) *Problem {
	p := &Problem{Line: c.line, Col: c.at + 1, Read: "the end of the line", Expected: expected}
	if !c.over() {
		p.Read = quote(c.word())
	}
	return p
}

// again is the problem of a name that was there before.
func (c *cursor) again(at int, name string, before int) *Problem {
	return &Problem{Line: c.line, Col: at + 1, Read: fmt.Sprintf("%s again after line %d", name, before), Expected: "it once"}
}

const quoteLength = 40 // of what is cited

// quote cites text from a file, and not too much of it.
func quote(text string) string {
	if len(text) > quoteLength {
		text = strings.ToValidUTF8(text[:quoteLength], "") + "..."
	}
	return strconv.Quote(text)
}
