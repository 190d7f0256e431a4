package main

import (
	"fmt"
	"io"

	tables "github.com/migbsp/migbsp/bench/internal/table"
)

// table shows how points compare with the first of them.
type table struct {
	title  string
	points []point
}

var header = []string{"hosts", "order", "grid", "time", "Gflop/s", "times faster", "efficiency", "simulated"}

func (t *table) rows() [][]string {
	var rows [][]string
	for _, p := range t.points {
		first := t.points[0]
		faster := p.rate / first.rate
		rows = append(rows, []string{
			fmt.Sprint(p.hosts), fmt.Sprint(p.order), p.grid, fmt.Sprintf("%.3g s", p.seconds), fmt.Sprintf("%.4g", p.rate/1e9),
			fmt.Sprintf("%.2f", faster), fmt.Sprintf("%.0f %%", 100*faster*float64(first.hosts)/float64(p.hosts)),
			fmt.Sprintf("%+.1f %%", 100*p.apart),
		})
	}
	return rows
}

// write prints the points, as Markdown or as tables look elsewhere here.
func (t *table) write(w io.Writer, markdown bool) error {
	printed := tables.Table{Title: t.title, Header: header, Rows: t.rows()}
	return printed.Write(w, markdown)
}
