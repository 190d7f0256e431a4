package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// table is a title and rows of cells under a header. All columns but those in text are
// numbers.
type table struct {
	title  string
	header []string
	rows   [][]string
	text   []int
}

// write prints the table: as Markdown, or as tables look elsewhere here.
func (t *table) write(w io.Writer, markdown bool) error {
	if !markdown {
		fmt.Fprintf(w, "\n %s\n", t.title)
		return ledger.WriteRows(w, t.header, t.rows, t.text...)
	}
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s:\n\n%s|", t.title, line(t.header))
	for i := range t.header {
		if slices.Contains(t.text, i) {
			b.WriteString("---|")
		} else {
			b.WriteString("--:|")
		}
	}
	b.WriteString("\n")
	for _, row := range t.rows {
		b.WriteString(line(row))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
