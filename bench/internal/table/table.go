// Package table prints tables, also as Markdown.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// Table is a title and rows of cells under a header. All columns but those in Text are
// numbers.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
	Text   []int
}

// Write prints the table: as Markdown, or as tables look elsewhere here.
func (t *Table) Write(w io.Writer, markdown bool) error {
	if !markdown {
		fmt.Fprintf(w, "\n %s\n", t.Title)
		return ledger.WriteRows(w, t.Header, t.Rows, t.Text...)
	}
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s:\n\n%s|", t.Title, line(t.Header))
	for i := range t.Header {
		if slices.Contains(t.Text, i) {
			b.WriteString("---|")
		} else {
			b.WriteString("--:|")
		}
	}
	b.WriteString("\n")
	for _, row := range t.Rows {
		b.WriteString(line(row))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
