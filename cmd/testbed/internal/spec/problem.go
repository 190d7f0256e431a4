package spec

import (
	"fmt"
	"strings"
)

// Problem is a wrong place in a description.
type Problem struct {
	File           string
	Line, Col      int // from 1; columns are bytes
	Read, Expected string
}

// Error returns "file:line:col: text that was read, what was expected".
func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s, expected %s", p.File, p.Line, p.Col, p.Read, p.Expected)
}

// Problems is the error of Parse: all that is wrong, by line, but no more than 10.
type Problems []Problem

// Error has one line for each Problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}
