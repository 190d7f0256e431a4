package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/table"
)

// gains prints what auto saves of each workload on each platform, and what is possible
// there at most.
func (s *settings) gains(ctx context.Context, dir string, workloads []emulated.Workload, stdout, stderr io.Writer) error {
	t := table.Table{
		Title:  fmt.Sprintf("Time saved by auto, of what is possible at most (emulated); medians of %d", s.rounds),
		Header: []string{"program"}, Text: []int{0},
	}
	for _, hosts := range s.hosts {
		t.Header = append(t.Header, strings.TrimSuffix(filepath.Base(hosts), ".hosts"))
	}
	for _, w := range workloads {
		row := []string{w.Name}
		for _, hosts := range s.hosts {
			fmt.Fprintf(stderr, "%s on %s\n", w.Name, filepath.Base(hosts))
			cell, err := s.gain(ctx, dir, w, hosts)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", w.Name, hosts, err)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t.Write(stdout, s.markdown)
}

// gain is what auto saves of a workload on a platform, and what is possible there.
func (s *settings) gain(ctx context.Context, dir string, w emulated.Workload, hosts string) (string, error) {
	var saved, possible []float64
	for range s.rounds {
		o, err := emulated.Launch(ctx, dir, w, hosts, "auto")
		if err != nil {
			return "", err
		}
		saved, possible = append(saved, o.Gain()), append(possible, o.Possible())
	}
	slices.Sort(saved)
	slices.Sort(possible)
	return fmt.Sprintf("%.0f of %.0f %%", 100*saved[len(saved)/2], 100*possible[len(possible)/2]), nil
}
