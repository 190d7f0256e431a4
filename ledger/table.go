package ledger

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// WriteTable prints the balance of the run: see Views. Where width is positive
// columns are left out, the least important first, until a line fits. Times that are not
// this machine's are labelled.
func (a *Account) WriteTable(w io.Writer, name string, width int) error {
	v := a.view(name)
	if v == nil {
		return nil
	}
	if clock := a.Run.Clock(); clock != "" {
		if _, err := fmt.Fprintf(w, " %s times\n", clock); err != nil {
			return err
		}
	}
	return v.print(w, width)
}

// print lays the table out in lines of at most width, if that is positive.
func (v *view) print(w io.Writer, width int) error {
	v = v.fit(width)
	var header []string
	var text []int
	for i, c := range v.columns {
		header = append(header, c.heading)
		if c.text {
			text = append(text, i)
		}
	}
	t := NewTable(w, header, text...)
	for _, row := range v.rows {
		if err := t.Append(shown(row)); err != nil {
			return err
		}
	}
	if v.footer != nil {
		t.Footer(shown(v.footer))
	}
	return t.Render()
}

// WriteCSV prints the same table for programs: a header line, times in seconds,
// all columns. A name that a spreadsheet would take for a formula has an apostrophe in
// front.
func (a *Account) WriteCSV(w io.Writer, name string) error {
	v := a.view(name)
	if v == nil {
		return nil
	}
	out := csv.NewWriter(w)
	var line []string
	for _, c := range v.columns {
		line = append(line, c.name)
	}
	out.Write(line)
	for _, row := range v.rows {
		line = line[:0]
		for i, c := range row {
			exact := c.exact
			if v.columns[i].text && len(exact) > 1 && strings.ContainsRune("=+-@", rune(exact[0])) {
				exact = "'" + exact
			}
			line = append(line, exact)
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

func shown(row []cell) []string {
	texts := make([]string, len(row))
	for i, c := range row {
		texts[i] = c.shown
	}
	return texts
}

// fit returns the table without the columns that have no room.
func (v *view) fit(width int) *view {
	if width <= 0 {
		return v
	}
	for v.breadth() > width {
		out := -1
		for i, c := range v.columns {
			if c.drop > 0 && (out < 0 || c.drop > v.columns[out].drop) {
				out = i
			}
		}
		if out < 0 {
			return v
		}
		v = v.without(out)
	}
	return v
}

// breadth returns the length of a line of the table.
func (v *view) breadth() int {
	sum := 0
	for i, c := range v.columns {
		most := utf8.RuneCountInString(c.heading)
		for _, row := range v.rows {
			most = max(most, utf8.RuneCountInString(row[i].shown))
		}
		if v.footer != nil {
			most = max(most, utf8.RuneCountInString(v.footer[i].shown))
		}
		sum += most + 2
	}
	return sum
}

func (v *view) without(column int) *view {
	smaller := &view{columns: cut(v.columns, column)}
	for _, row := range v.rows {
		smaller.rows = append(smaller.rows, cut(row, column))
	}
	if v.footer != nil {
		smaller.footer = cut(v.footer, column)
	}
	return smaller
}

// cut returns a copy of list without the i-th element.
func cut[T any](list []T, i int) []T {
	return append(append(make([]T, 0, len(list)-1), list[:i]...), list[i+1:]...)
}

// NewTable begins a table without frames under a header. Columns are numbers
// and stand to the right, but for those listed in text. Nothing is printed
// before Render.
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

// rendition is how all tables look. Rows of a streaming one are printed as they come.
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

// WriteRows prints a whole table: see NewTable.
func WriteRows(w io.Writer, header []string, rows [][]string, text ...int) error {
	t := NewTable(w, header, text...)
	if err := t.Bulk(rows); err != nil {
		return err
	}
	return t.Render()
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
