package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/migbsp/migbsp/ledger"
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

func (t *table) write(w io.Writer, markdown bool) error {
	if !markdown {
		fmt.Fprintf(w, "\n %s\n", t.title)
		return ledger.WriteRows(w, header, t.rows())
	}
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	fmt.Fprintf(&b, "\n%s:\n\n", t.title)
	line(header)
	b.WriteString(strings.Repeat("|--:", len(header)) + "|\n")
	for _, row := range t.rows() {
		line(row)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
