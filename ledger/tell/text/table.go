package text

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/migbsp/migbsp/ledger/tell"
)

// WriteTable prints the balance of the run: see tell.Views. Where width is positive
// columns are left out, the least important first, until a line fits. Times that are not
// this machine's are labelled.
func WriteTable(w io.Writer, v *tell.View, name string, width int) error {
	t := v.Table(name)
	if t == nil {
		return nil
	}
	if clock := v.Account.Run.Clock(); clock != "" {
		if _, err := fmt.Fprintf(w, " %s times\n", clock); err != nil {
			return err
		}
	}
	return print(w, t, width)
}

// print lays a table out in lines of at most width, if that is positive.
func print(w io.Writer, t *tell.Table, width int) error {
	ranks, widths := make([]int, len(t.Columns)), make([]int, len(t.Columns))
	for i, c := range t.Columns {
		ranks[i], widths[i] = c.Drop, utf8.RuneCountInString(c.Heading)
		for _, row := range append(t.Rows[:len(t.Rows):len(t.Rows)], t.Footer) {
			if row != nil {
				widths[i] = max(widths[i], utf8.RuneCountInString(row[i].Shown))
			}
		}
	}
	if width <= 0 {
		width = 1 << 30
	}
	columns := tell.Fit(ranks, widths, nil, width-gap)
	var header []string
	var text []int
	for i, at := range columns {
		header = append(header, t.Columns[at].Heading)
		if t.Columns[at].Text {
			text = append(text, i)
		}
	}
	shown := func(row []tell.Cell) (texts []string) {
		if row != nil {
			for _, at := range columns {
				texts = append(texts, row[at].Shown)
			}
		}
		return texts
	}
	var rows [][]string
	for _, row := range t.Rows {
		rows = append(rows, shown(row))
	}
	return lay(w, header, rows, shown(t.Footer), text)
}

// gap is the number of blanks between columns.
const gap = 2

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

// WriteRows prints a table without frames under a header. Columns are numbers and stand to
// the right, but for those listed in text.
func WriteRows(w io.Writer, header []string, rows [][]string, text ...int) error {
	return lay(w, header, rows, nil, text)
}

// lay prints rows between a header and a footer, if there is one.
func lay(w io.Writer, header []string, rows [][]string, footer []string, text []int) error {
	l := layout{widths: make([]int, len(header)), left: make([]bool, len(header)), after: " "}
	for _, i := range text {
		l.left[i] = true
	}
	for _, row := range slices.Concat([][]string{header}, rows, [][]string{footer}) {
		for i, c := range row {
			l.widths[i] = max(l.widths[i], tell.Width(strings.TrimSpace(c)))
		}
	}
	out := l.line(header)
	if len(rows) > 0 {
		out += l.rule()
	}
	for _, row := range rows {
		out += l.line(row)
	}
	if footer != nil {
		out += l.rule() + l.line(footer)
	}
	_, err := io.WriteString(w, out)
	return err
}

// layout is how the lines of a table look.
type layout struct {
	widths []int
	left   []bool
	after  string // each cell
}

// line returns the line of a row, without blanks at its end.
func (l *layout) line(row []string) string {
	var b strings.Builder
	for i, c := range row {
		c = strings.TrimSpace(c)
		blanks := strings.Repeat(" ", max(0, l.widths[i]-tell.Width(c)))
		if l.left[i] {
			c, blanks = c+blanks, ""
		}
		b.WriteString(" " + blanks + c + l.after)
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// rule returns the line between header and rows.
func (l *layout) rule() string {
	n := 0
	for _, width := range l.widths {
		n += 1 + width + len(l.after)
	}
	return strings.Repeat("-", n) + "\n"
}
