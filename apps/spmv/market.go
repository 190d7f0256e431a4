package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/migbsp/migbsp/apps/internal/lines"
)

// market reads a square matrix in Matrix Market's coordinate format.
type market struct {
	pattern, symmetric bool
	head               bool // has been read
	n, entries         int  // n is 0 before it is known
	read               int  // entries so far
	line               int
	each               func(i, j int, a float64)
}

// readMarket calls each with the nonzeros of a file, counted from 0, in the order of
// the file; of a symmetric matrix with both. It returns the order.
func readMarket(name string, each func(i, j int, a float64)) (int, error) {
	m := market{each: each}
	if err := lines.Open(name, m.take); err != nil {
		return 0, err
	}
	return m.end(name)
}

func parseMarket(from io.Reader, name string, each func(i, j int, a float64)) (int, error) {
	m := market{each: each}
	if err := lines.Read(from, name, m.take); err != nil {
		return 0, err
	}
	return m.end(name)
}

// take takes a line.
func (m *market) take(l *lines.Line) error {
	m.line = l.Number
	switch {
	case !m.head:
		return m.takeHead(l)
	case l.Comment('%'):
		return nil
	case m.n == 0:
		return m.takeSize(l)
	}
	return m.takeEntry(l)
}

func (m *market) takeHead(l *lines.Line) error {
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
		m.pattern = m.pattern || strings.EqualFold(word, "pattern")
		m.symmetric = m.symmetric || strings.EqualFold(word, "symmetric")
	}
	m.head = true
	return l.End()
}

func (m *market) takeSize(l *lines.Line) error {
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
	if m.entries, err = l.Int(0, 1<<48, "a number of entries"); err != nil {
		return err
	}
	m.n = rows
	return l.End()
}

func (m *market) takeEntry(l *lines.Line) error {
	if m.read == m.entries {
		l.Next()
		return l.Expected(fmt.Sprintf("the end of the file after %d entries", m.entries))
	}
	i, err := l.Int(1, m.n, "a row")
	if err != nil {
		return err
	}
	columns, what := m.n, "a column"
	if m.symmetric {
		columns, what = i, "a column of the lower triangle,"
	}
	j, err := l.Int(1, columns, what)
	if err != nil {
		return err
	}
	a := 1.0
	if !m.pattern {
		if a, err = l.Float(); err != nil {
			return err
		}
	}
	m.read++
	m.each(i-1, j-1, a)
	if m.symmetric && i != j {
		m.each(j-1, i-1, a)
	}
	return l.End()
}

// end is the order of the matrix, if all of it was there.
func (m *market) end(name string) (int, error) {
	missing := ""
	switch {
	case !m.head:
		missing = "%%MatrixMarket"
	case m.n == 0:
		missing = "a line with rows, columns and entries"
	case m.read < m.entries:
		missing = fmt.Sprintf("%d more entries", m.entries-m.read)
	default:
		return m.n, nil
	}
	return 0, fmt.Errorf("%s:%d:1: the file ends; expected %s", name, m.line+1, missing)
}
