package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/migbsp/migbsp/apps/internal/lines"
)

// marketHead is the head of a file, before the entries of the matrix.
type marketHead struct {
	pattern, symmetric bool
	order, entries     int
}

// nonzeros returns the maximum number of nonzeros in the matrix.
func (h marketHead) nonzeros() int {
	if h.symmetric {
		return 2 * h.entries
	}
	return h.entries
}

// cells returns the number of entries that the matrix can have.
func (h marketHead) cells() int {
	if h.symmetric {
		return h.order * (h.order + 1) / 2
	}
	return h.order * h.order
}

// room returns the number of entries that fit into bytes: a row, a column and, unless all
// are 1, a value, with a blank or the end of the line after each.
func (h marketHead) room(bytes int64) int {
	if h.pattern {
		return int(bytes/4) + 1
	}
	return int(bytes/6) + 1
}

// market reads a square matrix in Matrix Market's coordinate format. It allocates no memory
// by the figures of the head, which may be wrong.
type market struct {
	head     marketHead
	bytes    int64 // of the file
	headOnly bool
	kind     bool // the first line has been read
	sizes    bool // and that with the numbers of rows, columns and entries
	read     int  // entries so far
	line     int
	each     func(i, j int, a float64)
}

// readMarket calls each with the nonzeros of a file, counted from 0, in the order of
// the file; of a symmetric matrix with both. It returns the order.
func readMarket(name string, each func(i, j int, a float64)) (int, error) {
	m := market{each: each}
	err := m.open(name)
	return m.head.order, err
}

// readMarketHead reads the head of a file.
func readMarketHead(name string) (marketHead, error) {
	m := market{headOnly: true}
	err := m.open(name)
	return m.head, err
}

func (m *market) open(name string) error {
	is, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case !is.Mode().IsRegular():
		return fmt.Errorf("%s: it is no regular file, which can be read again and again", name)
	}
	m.bytes = is.Size()
	if err := lines.Open(name, m.take); err != nil {
		return err
	}
	return m.end(name)
}

// take parses a line.
func (m *market) take(l *lines.Line) error {
	m.line = l.Number
	switch {
	case !m.kind:
		return m.takeKind(l)
	case l.Comment('%'):
		return nil
	case !m.sizes:
		return m.takeSizes(l)
	case m.headOnly:
		return lines.Enough
	}
	return m.takeEntry(l)
}

func (m *market) takeKind(l *lines.Line) error {
	for _, options := range [][]string{
		{"%%MatrixMarket"}, {"matrix"}, {"coordinate"}, {"real", "integer", "pattern"}, {"general", "symmetric"},
	} {
		word, found := string(l.Next()), false
		for _, option := range options {
			found = found || strings.EqualFold(word, option)
		}
		if !found {
			return l.Expected(strings.Join(options, ", "))
		}
		m.head.pattern = m.head.pattern || strings.EqualFold(word, "pattern")
		m.head.symmetric = m.head.symmetric || strings.EqualFold(word, "symmetric")
	}
	m.kind = true
	return l.End()
}

func (m *market) takeSizes(l *lines.Line) error {
	rows, err := l.Int(1, largestOrder, "a number of rows")
	if err != nil {
		return err
	}
	columns, err := l.Int(1, largestOrder, "a number of columns")
	if err != nil {
		return err
	}
	if columns != rows {
		return l.Expected(fmt.Sprintf("%d columns, as many as rows", rows))
	}
	m.head.order = rows
	if m.head.entries, err = l.Int(0, m.head.cells(), "a number of entries"); err != nil {
		return err
	}
	if room := m.head.room(m.bytes); m.head.entries > room {
		return l.Expected(fmt.Sprintf("at most %d entries, for which a file of %d bytes has room", room, m.bytes))
	}
	m.sizes = true
	return l.End()
}

func (m *market) takeEntry(l *lines.Line) error {
	if m.read == m.head.entries {
		l.Next()
		return l.Expected(fmt.Sprintf("the end of the file after %d entries", m.head.entries))
	}
	i, err := l.Int(1, m.head.order, "a row")
	if err != nil {
		return err
	}
	columns, what := m.head.order, "a column"
	if m.head.symmetric {
		columns, what = i, "a column of the lower triangle,"
	}
	j, err := l.Int(1, columns, what)
	if err != nil {
		return err
	}
	a := 1.0
	if !m.head.pattern {
		if a, err = l.Float(); err != nil {
			return err
		}
	}
	m.read++
	m.each(i-1, j-1, a)
	if m.head.symmetric && i != j {
		m.each(j-1, i-1, a)
	}
	return l.End()
}

// end is an error if the file is not whole.
func (m *market) end(name string) error {
	missing := ""
	switch {
	case !m.kind:
		missing = "%%MatrixMarket"
	case !m.sizes:
		missing = "a line with rows, columns and entries"
	case m.read < m.head.entries && !m.headOnly:
		missing = fmt.Sprintf("%d more entries", m.head.entries-m.read)
	default:
		return nil
	}
	return fmt.Errorf("%s:%d:1: the file ends; expected %s", name, m.line+1, missing)
}
