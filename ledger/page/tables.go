package page

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// table is a table that the script can sort.
type table struct {
	ID, Caption string
	Columns     []heading
	Rows        [][]cell
	Note        string // on what is left out
}

type heading struct {
	Name   string
	Number bool
}

// cell is a text and, of numbers, the value to sort by.
type cell struct{ Text, Value string }

// maxTableRows bounds a table of the page; the tool prints all of it.
const maxTableRows = 300

// accountTable is one of the account's tables, made from its form for programs.
func accountTable(b *ledger.Account, name, caption string) table {
	t := table{ID: name, Caption: caption}
	var text bytes.Buffer
	if err := b.WriteCSV(&text, name); err != nil {
		t.Note = err.Error()
		return t
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(lines) == 0 {
		t.Note = fmt.Sprintf("the table cannot be read: %v", err)
		return t
	}
	for _, column := range lines[0] {
		t.Columns = append(t.Columns, heading{headingOf(column), !isText(column)})
	}
	for _, line := range lines[1:] {
		if len(t.Rows) == maxTableRows {
			t.Note = fmt.Sprintf("The first %d of %d; migbsp report -format csv -table %s prints all.", maxTableRows, len(lines)-1, name)
			break
		}
		var row []cell
		for i, value := range line {
			row = append(row, cellOf(lines[0][i], value))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// resultTable is a table of the program's own.
func resultTable(id string, of *ledger.ResultTable) table {
	t := table{ID: id, Caption: of.Title}
	for i, name := range of.Header {
		t.Columns = append(t.Columns, heading{name, !slices.Contains(of.Text, i)})
	}
	for _, line := range of.Rows {
		if len(t.Rows) == maxTableRows {
			t.Note = fmt.Sprintf("The first %d of %d; the record has all.", maxTableRows, len(of.Rows))
			break
		}
		var row []cell
		for i := range t.Columns {
			text := ""
			if i < len(line) {
				text = line[i]
			}
			number, _, _ := strings.Cut(text, " ")
			if _, err := strconv.ParseFloat(number, 64); err != nil {
				number = ""
			}
			row = append(row, cell{Text: text, Value: number})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// isText reports whether a column of the account's tables has words.
func isText(column string) bool {
	switch column {
	case "where", "slowest", "host", "set", "manager":
		return true
	}
	return false
}

// headings are names of columns that need other words than their own.
var headings = map[string]string{
	"h_per_step_bytes": "h per step", "predicted_s": "h g + l", "imbalance": "max/avg", "set": "Set",
	"procs": "processes", "work_of_avg": "of mean",
}

func headingOf(column string) string {
	bare := strings.TrimSuffix(strings.TrimSuffix(column, "_s"), "_bytes")
	return cmp.Or(headings[column], strings.ReplaceAll(bare, "_", " "))
}

// cellOf lays out a value by its column's name, which ends in its unit.
func cellOf(column, value string) cell {
	if isText(column) {
		return cell{Text: value}
	}
	x, err := strconv.ParseFloat(value, 64)
	c := cell{value, value}
	switch {
	case err != nil:
	case strings.HasSuffix(column, "_s"):
		c.Text = seconds(x)
	case strings.HasSuffix(column, "_bytes"):
		c.Text = ledger.Bytes(int64(x))
	case column == "idle":
		c.Text = share(x)
	case column == "imbalance" || column == "work_of_avg" || column == "speed":
		c.Text = factor(x)
	}
	return c
}

// ranksTable returns the account's table of ranks, with the processes that began there.
func ranksTable(h *ledger.History) table {
	t := accountTable(&h.Account, "ranks", "Ranks: where the work was")
	began := make([]int, len(h.Account.Run.Ranks))
	for _, rank := range h.Account.Run.Mapping.Where() {
		began[rank]++
	}
	for at, c := range t.Columns {
		if c.Name != "processes" {
			continue
		}
		t.Columns[at].Name = "processes last"
		t.Columns = insert(t.Columns, at, heading{"processes first", true})
		for rank := range t.Rows {
			n := strconv.Itoa(began[rank])
			t.Rows[rank] = insert(t.Rows[rank], at, cell{n, n})
		}
		break
	}
	return t
}

// insert returns a copy of list with x before its i-th element.
func insert[T any](list []T, i int, x T) []T {
	return append(append(append(make([]T, 0, len(list)+1), list[:i]...), x), list[i:]...)
}
