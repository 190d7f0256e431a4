package live

import "slices"

// column is one of a table.
type column struct {
	head  string
	right bool // figures stand at the right
	// rank is the order in which columns are left out of a narrow table: the highest first, 0
	// never.
	rank int
	// least is the minimum width to which the column may be cut; 0 if it may not.
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
	widths = make([]int, len(t.columns))
	sum := -gap
	for i, c := range t.columns {
		widths[i] = widthOf(c.head)
		for _, row := range t.rows {
			if i < len(row)-1 || i < len(row) && len(row) == len(t.columns) {
				widths[i] = max(widths[i], widthOf(row[i].text))
			}
		}
		shown = append(shown, i)
		sum += widths[i] + gap
	}
	for sum > width {
		over := sum - width
		if room := t.room(shown, widths); room >= over || !t.optional(shown) {
			t.shrink(shown, widths, over)
			return shown, widths
		}
		out := t.first(shown)
		sum -= widths[shown[out]] + gap
		shown = slices.Delete(shown, out, out+1)
	}
	for _, i := range shown {
		if t.columns[i].grows {
			widths[i] += width - sum
			break
		}
	}
	return shown, widths
}

// room returns the number of characters by which columns can be cut.
func (t *table) room(shown, widths []int) int {
	sum := 0
	for _, i := range shown {
		if least := t.columns[i].least; least > 0 {
			sum += max(0, widths[i]-least)
		}
	}
	return sum
}

// shrink cuts the longest of the columns that can be cut, one by one.
func (t *table) shrink(shown, widths []int, over int) {
	for range over {
		longest := -1
		for _, i := range shown {
			if least := t.columns[i].least; least > 0 && widths[i] > least && (longest < 0 || widths[i] > widths[longest]) {
				longest = i
			}
		}
		if longest < 0 {
			return
		}
		widths[longest]--
	}
}

// optional reports whether a column can be left out.
func (t *table) optional(shown []int) bool { return t.columns[shown[t.first(shown)]].rank > 0 }

// first returns the column that is left out first.
func (t *table) first(shown []int) int {
	first := 0
	for k, i := range shown {
		if t.columns[i].rank > t.columns[shown[first]].rank {
			first = k
		}
	}
	return first
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

// facts puts items side by side and leaves out items that have no room.
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

// ends puts one line at the left and one at the right; without room for both it keeps the
// right one.
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
