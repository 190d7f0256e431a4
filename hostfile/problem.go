package hostfile

import (
	"cmp"
	"fmt"
	"strings"
)

// Problem is a wrong place in a host file, or as a warning a place that other readers may
// understand differently.
type Problem struct {
	File      string
	Line, Col int // from 1; columns are bytes
	Read      string
	Expected  string // "" in some warnings
}

// Error returns "file:line:col: text that was read, what was expected".
func (p Problem) Error() string {
	text := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Read)
	if p.Expected != "" {
		text += ", expected " + p.Expected
	}
	return text
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

const (
	maxProblems = 10
	quoteLength = 60 // of the quoted text
	maxListed   = 12 // of names that are expected
)

func byPlace(a, b Problem) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// quote quotes text from a file, up to quoteLength.
func quote(text string) string {
	if len(text) > quoteLength {
		text = text[:quoteLength] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// listed returns "a, b or c", or the first of them.
func listed(words []string) string {
	if len(words) > maxListed {
		return strings.Join(words[:maxListed], ", ") + ", ..."
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
