package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// table is a table that the script can sort.
type table struct {
	ID, Caption string
	Columns     []heading
	Rows        [][]cell
	Note        string // on rows that are left out
}

type heading struct {
	Name   string
	Number bool
}

// cell is a text and, of numbers, the value to sort by.
type cell struct{ Text, Value string }

// maxTableRows bounds a table of the page; the tool prints all rows.
const maxTableRows = 300

// accountTable is one of the account's tables, with the exact values in the page's own form.
func accountTable(v *tell.View, name, caption string) table {
	t, of := table{ID: name, Caption: caption}, v.Table(name)
	for _, c := range of.Columns {
		t.Columns = append(t.Columns, heading{headingOf(c.Name), !c.Text})
	}
	for _, cells := range of.Rows {
		if len(t.Rows) == maxTableRows {
			t.Note = fmt.Sprintf("The first %d of %d; migbsp report -format csv -table %s prints all.", maxTableRows, len(of.Rows), name)
			break
		}
		var row []cell
		for i, c := range cells {
			row = append(row, cellOf(of.Columns[i], c.Exact))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// resultTable returns a table of the program's own.
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
func cellOf(of tell.Column, value string) cell {
	if of.Text {
		return cell{Text: value}
	}
	x, err := strconv.ParseFloat(value, 64)
	c := cell{value, value}
	switch column := of.Name; {
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
func ranksTable(v *tell.View) table {
	t := accountTable(v, "ranks", "Ranks: where the work was")
	began := make([]int, len(v.Account.Run().Ranks))
	for _, rank := range v.Account.Run().Mapping.Where() {
		began[rank]++
	}
	for at, c := range t.Columns {
		if c.Name != "processes" {
			continue
		}
		t.Columns[at].Name = "processes last"
		t.Columns = slices.Insert(t.Columns, at, heading{"processes first", true})
		for rank := range t.Rows {
			n := strconv.Itoa(began[rank])
			t.Rows[rank] = slices.Insert(t.Rows[rank], at, cell{n, n})
		}
		break
	}
	return t
}
