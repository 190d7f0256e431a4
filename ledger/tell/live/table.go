package live

import (
	"slices"

	"github.com/migbsp/migbsp/ledger/tell"
)

// column is one of a table.
type column struct {
	head  string
	right bool // figures stand at the right
	// rank is the order in which columns are left out where there is no room: the
	// highest first, 0 never.
	rank int
	// least is the width to which the column may be cut where there is no room;
	// 0 if it may not.
	least int
	grows bool // takes the room that is left
}

// table is a table before it is laid out. Where a row has fewer cells than there
// are columns, the last one takes the room of the rest.
type table struct {
	columns []column
	rows    [][]chunk
}

const gap = 2 // blanks between the columns of a table

// lay makes lines of the table, the head first, none longer than width.
func (t *table) lay(width int) []line {
	shown, widths := t.fit(width)
	head := make([]chunk, len(t.columns))
	for i, c := range t.columns {
		head[i] = chunk{c.head, strong}
	}
	lines := []line{t.row(head, shown, widths).cut(width)}
	for _, row := range t.rows {
		lines = append(lines, t.row(row, shown, widths).cut(width))
	}
	return lines
}

// fit chooses columns and their widths.
func (t *table) fit(width int) (shown, widths []int) {
	var ranks, least []int
	for i, c := range t.columns {
		widths, ranks, least = append(widths, tell.Width(c.head)), append(ranks, c.rank), append(least, c.least)
		for _, row := range t.rows {
			if i < len(row)-1 || i < len(row) && len(row) == len(t.columns) {
				widths[i] = max(widths[i], tell.Width(row[i].text))
			}
		}
	}
	shown = tell.Fit(ranks, widths, least, width)
	left := width + gap
	for _, i := range shown {
		left -= widths[i] + gap
	}
	for _, i := range shown {
		if t.columns[i].grows && left > 0 {
			widths[i] += left
			break
		}
	}
	return shown, widths
}

func (t *table) row(cells []chunk, shown, widths []int) line {
	var l line
	for k, i := range shown {
		if i >= len(cells) {
			break
		}
		if k > 0 {
			l = append(l, chunk{"  ", plain})
		}
		width := widths[i]
		if i == len(cells)-1 {
			for _, after := range shown[k+1:] {
				width += gap + widths[after]
			}
		}
		l = append(l, chunk{padded(cells[i].text, width, t.columns[i].right), cells[i].as})
	}
	return l
}

// item is a part of a line of facts.
type item struct {
	line line
	rank int // as of a column
}

// facts puts items beside each other, without those that have no room.
func facts(width int, items ...item) line {
	items = slices.DeleteFunc(slices.Clone(items), func(i item) bool { return len(i.line) == 0 })
	for {
		sum := -gap
		out := -1
		for k, i := range items {
			sum += i.line.width() + gap
			if i.rank > 0 && (out < 0 || i.rank >= items[out].rank) {
				out = k
			}
		}
		if sum <= width || out < 0 {
			break
		}
		items = slices.Delete(items, out, out+1)
	}
	var l line
	for k, i := range items {
		if k > 0 {
			l = append(l, chunk{"  ", plain})
		}
		l = append(l, i.line...)
	}
	return l.cut(width)
}

// ends puts one line at the left and one at the right, which is kept where there
// is room for one only.
func ends(width int, left, right line) line {
	right = right.cut(width)
	room := width - right.width() - gap
	if room < 4 {
		return right
	}
	left = left.cut(room)
	blanks := width - left.width() - right.width()
	return append(append(left, chunk{padded("", blanks, false), plain}), right...)
}
