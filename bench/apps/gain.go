package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/ledger"
)

// gains prints what auto saves of each workload on each platform, and what is possible
// there at most.
func (s *settings) gains(ctx context.Context, dir string, workloads []emulated.Workload, stdout, stderr io.Writer) error {
	header := []string{"program"}
	for _, hosts := range s.hosts {
		header = append(header, strings.TrimSuffix(filepath.Base(hosts), ".hosts"))
	}
	var rows [][]string
	for _, w := range workloads {
		row := []string{w.Name}
		for _, hosts := range s.hosts {
			fmt.Fprintf(stderr, "%s on %s\n", w.Name, filepath.Base(hosts))
			var saved, possible []float64
			for range s.rounds {
				o, err := emulated.Launch(ctx, dir, w, hosts, "auto")
				if err != nil {
					return fmt.Errorf("%s on %s: %w", w.Name, hosts, err)
				}
				saved, possible = append(saved, o.Gain()), append(possible, o.Possible())
			}
			slices.Sort(saved)
			slices.Sort(possible)
			row = append(row, fmt.Sprintf("%.0f of %.0f%%", 100*saved[len(saved)/2], 100*possible[len(possible)/2]))
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(stdout, "\n time saved by auto, of what is possible at most (emulated), medians of %d\n", s.rounds)
	return ledger.WriteRows(stdout, header, rows, 0)
}
