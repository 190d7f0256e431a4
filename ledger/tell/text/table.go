package text

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/migbsp/migbsp/ledger/tell"
)

// WriteTable prints a table of the run: see tell.Views. If width is positive, columns are
// left out until a line fits, the least important first. Emulated and simulated times are
// labelled.
func WriteTable(w io.Writer, v *tell.View, name string, width int) error {
	t := v.Table(name)
	if t == nil {
		return nil
	}
	if clock := v.Account.Run().Clock(); clock != "" {
		if _, err := fmt.Fprintf(w, " %s times\n", clock); err != nil {
			return err
		}
	}
	return print(w, t, width)
}

// print lays a table out in lines of at most width, if that is positive.
func print(w io.Writer, t *tell.Table, width int) error {
	t = fit(t, width)
	var header []string
	var text []int
	for i, c := range t.Columns {
		header = append(header, c.Heading)
		if c.Text {
			text = append(text, i)
		}
	}
	out := NewTable(w, header, text...)
	for _, row := range t.Rows {
		if err := out.Append(shown(row)); err != nil {
			return err
		}
	}
	if t.Footer != nil {
		out.Footer(shown(t.Footer))
	}
	return out.Render()
}

// WriteCSV prints the same table for programs: a header line, times in seconds,
// all columns. A name that a spreadsheet would take for a formula has an apostrophe in
// front.
func WriteCSV(w io.Writer, v *tell.View, name string) error {
	t := v.Table(name)
	if t == nil {
		return nil
	}
	out := csv.NewWriter(w)
	var line []string
	for _, c := range t.Columns {
		line = append(line, c.Name)
	}
	out.Write(line)
	for _, row := range t.Rows {
		line = line[:0]
		for i, c := range row {
			exact := c.Exact
			if t.Columns[i].Text && len(exact) > 1 && strings.ContainsRune("=+-@", rune(exact[0])) {
				exact = "'" + exact
			}
			line = append(line, exact)
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

func shown(row []tell.Cell) []string {
	texts := make([]string, len(row))
	for i, c := range row {
		texts[i] = c.Shown
	}
	return texts
}

// fit returns the table without the columns that have no room.
func fit(v *tell.Table, width int) *tell.Table {
	if width <= 0 {
		return v
	}
	for breadth(v) > width {
		out := -1
		for i, c := range v.Columns {
			if c.Drop > 0 && (out < 0 || c.Drop > v.Columns[out].Drop) {
				out = i
			}
		}
		if out < 0 {
			return v
		}
		v = without(v, out)
	}
	return v
}

// breadth returns the length of a line of the table.
func breadth(v *tell.Table) int {
	sum := 0
	for i, c := range v.Columns {
		most := utf8.RuneCountInString(c.Heading)
		for _, row := range v.Rows {
			most = max(most, utf8.RuneCountInString(row[i].Shown))
		}
		if v.Footer != nil {
			most = max(most, utf8.RuneCountInString(v.Footer[i].Shown))
		}
		sum += most + 2
	}
	return sum
}

func without(v *tell.Table, column int) *tell.Table {
	smaller := &tell.Table{Columns: slices.Delete(slices.Clone(v.Columns), column, column+1)}
	for _, row := range v.Rows {
		smaller.Rows = append(smaller.Rows, slices.Delete(slices.Clone(row), column, column+1))
	}
	if v.Footer != nil {
		smaller.Footer = slices.Delete(slices.Clone(v.Footer), column, column+1)
	}
	return smaller
}

// NewTable begins a table without frames under a header. Columns are numbers and stand to
// the right, except the columns listed in text. Render prints it.
func NewTable(w io.Writer, header []string, text ...int) *tablewriter.Table {
	align := make(tw.Alignment, len(header))
	for i := range align {
		align[i] = tw.AlignRight
		if slices.Contains(text, i) {
			align[i] = tw.AlignLeft
		}
	}
	t := tablewriter.NewTable(&trimmer{w: w},
		tablewriter.WithRenderer(renderer.NewBlueprint(rendition(false))),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithFooterAutoFormat(tw.Off),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithAlignment(align),
		tablewriter.WithPadding(tw.Padding{Left: " ", Right: " ", Overwrite: true}),
	)
	t.Header(header)
	return t
}

// rendition returns the look of all tables. A streaming one prints rows as they come.
func rendition(streaming bool) tw.Rendition {
	return tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleASCII),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowHeaderLine: tw.On, ShowFooterLine: tw.On},
		},
		Streaming: streaming,
	}
}

// WriteRows prints a whole table: see Rows.
func WriteRows(w io.Writer, header []string, rows [][]string, text ...int) error {
	_, err := io.WriteString(w, Rows(header, rows, text...))
	return err
}

// Rows returns the text of a whole table: see NewTable.
func Rows(header []string, rows [][]string, text ...int) string {
	var b strings.Builder
	t := NewTable(&b, header, text...)
	if err := errors.Join(t.Bulk(rows), t.Render()); err != nil {
		panic(err) // it is only in memory
	}
	return b.String()
}

// trimmer leaves out blanks at the ends of lines.
type trimmer struct {
	w      io.Writer
	blanks int // held back
}

// Write is io.Writer's.
func (t *trimmer) Write(b []byte) (int, error) {
	text := make([]byte, 0, len(b)+t.blanks)
	for _, c := range b {
		switch c {
		case ' ':
			t.blanks++
			continue
		case '\n':
		default:
			text = append(text, bytes.Repeat([]byte{' '}, t.blanks)...)
		}
		t.blanks = 0
		text = append(text, c)
	}
	if _, err := t.w.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}
