// Package lines reads files of words and numbers in lines. Its errors contain the position, the text
// that was read, and the expected text. It writes files completely or not at all.
package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"sync"

	"github.com/migbsp/migbsp/internal/settings"
)

// Line is a line of a file, whose words are taken one by one.
type Line struct {
	File   string
	Number int // from 1

	text       []byte
	start, end int // of the word that was taken last
}

// longest is the length that a line may have.
const longest = 1 << 20

// Enough is returned by a function that needs no more lines. It is not an error of the
// file.
var Enough = errors.New("no more lines are needed")

// Open calls each with all lines of a file, until one returns an error. A Line is the
// callee's until it returns.
func Open(name string, each func(*Line) error) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, settings.OfFile(name, err))
	}
	defer f.Close()
	return Read(f, name, each)
}

// Read is Open for any reader; name is its name in errors.
func Read(from io.Reader, name string, each func(*Line) error) error {
	scanner := bufio.NewScanner(from)
	scanner.Buffer(make([]byte, 1<<16), longest)
	line := Line{File: name}
	for scanner.Scan() {
		line.Number++
		line.text, line.start, line.end = scanner.Bytes(), 0, 0
		if err := each(&line); errors.Is(err, Enough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d:1: a line of more than %d bytes; expected shorter ones", name, line.Number+1, longest)
	case err != nil:
		return fmt.Errorf("%s:%d:1: %w", name, line.Number+1, settings.OfFile(name, err))
	}
	return nil
}

// Next returns the next word, or an empty word at the end.
func (l *Line) Next() []byte {
	l.start = l.end
	for l.start < len(l.text) && space(l.text[l.start]) {
		l.start++
	}
	for l.end = l.start; l.end < len(l.text) && !space(l.text[l.end]); l.end++ {
	}
	return l.text[l.start:l.end]
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

// Done reports whether no words are left.
func (l *Line) Done() bool {
	rest := *l
	return len(rest.Next()) == 0
}

// Comment reports whether the line has no words, or begins with mark.
func (l *Line) Comment(mark byte) bool {
	rest := *l
	word := rest.Next()
	return len(word) == 0 || word[0] == mark
}

// Float parses the next word as a finite number.
func (l *Line) Float() (float64, error) {
	x, err := strconv.ParseFloat(string(l.Next()), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, l.Expected("a number")
	}
	return x, nil
}

// Int parses the next word as an integer from least to most; errors describe it by the last argument.
func (l *Line) Int(least, most int, what string) (int, error) {
	n, err := strconv.Atoi(string(l.Next()))
	if err != nil || n < least || n > most {
		return 0, l.Expected(fmt.Sprintf("%s from %d to %d", what, least, most))
	}
	return n, nil
}

// End returns an error if words are left.
func (l *Line) End() error {
	if len(l.Next()) > 0 {
		return l.Expected("the end of the line")
	}
	return nil
}

// Expected returns the error that the last word is not as expected.
func (l *Line) Expected(what string) error {
	read := "the line ends"
	if word := l.text[l.start:l.end]; len(word) > 40 {
		read = fmt.Sprintf("read %q...", word[:40])
	} else if len(word) > 0 {
		read = fmt.Sprintf("read %q", word)
	}
	return fmt.Errorf("%s:%d:%d: %s; expected %s", l.File, l.Number, l.start+1, read, what)
}

// Counted counts lines of files, each file at most once.
type Counted struct {
	Count func(name string) (int, error)
	mutex sync.Mutex
	known map[string]counted
}

type counted struct {
	n   int
	err error
}

// Of is the count of a file.
func (c *Counted) Of(name string) (int, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	k, known := c.known[name]
	if !known {
		if c.known == nil {
			c.known = make(map[string]counted)
		}
		k.n, k.err = c.Count(name)
		c.known[name] = k
	}
	return k.n, k.err
}
