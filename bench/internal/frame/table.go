package frame

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/ledger/tell/text"
)

// Table is rows of cells under a title and a header, with notes below.
type Table struct {
	Title  string // one or more lines
	Header []string
	Rows   [][]string
	Text   []int // columns of words; all others are numbers
	Notes  []string
	Part   string // of the page of -page that the table stands in, with others of this name
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write prints the table as text or as Markdown.
func (t *Table) Write(w io.Writer, markdown bool) error {
	if markdown {
		_, err := io.WriteString(w, t.markdown())
		return err
	}
	fmt.Fprintf(w, "\n%s", indented(strings.Split(t.Title, "\n")))
	if err := text.WriteRows(w, t.Header, t.Rows, t.Text...); err != nil {
		return err
	}
	_, err := io.WriteString(w, indented(t.Notes))
	return err
}

// indented are lines that begin where the cells of a table do.
func indented(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(" "+line, " ") + "\n")
	}
	return b.String()
}

func (t *Table) markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	fmt.Fprintf(&b, "\n%s:\n\n", strings.TrimRight(t.Title, ".:\n "))
	line(t.Header)
	b.WriteString("|")
	for i := range t.Header {
		if slices.Contains(t.Text, i) {
			b.WriteString("---|")
		} else {
			b.WriteString("--:|")
		}
	}
	b.WriteString("\n")
	for _, row := range t.Rows {
		line(row)
	}
	if len(t.Notes) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(t.Notes, "\n"))
	}
	return b.String()
}
