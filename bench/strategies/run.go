package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/emulated"
)

// run measures all workloads on all platforms and prints a table for each pair.
func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) error {
	bin, err := os.MkdirTemp("", "strategies")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	var chosen []emulated.Workload
	for _, w := range workloads {
		if strings.Contains(w.Name, s.only) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("-only %s: no workload has that in its name", s.only)
	}
	if err := emulated.Build(ctx, bin, chosen, stderr); err != nil {
		return err
	}
	var all []score
	for _, w := range chosen {
		for _, hosts := range s.hosts {
			scores, err := s.compare(ctx, bin, w, hosts, stderr)
			if err != nil {
				return err
			}
			all = append(all, scores...)
			if err := writeScores(stdout, w, hosts, scores); err != nil {
				return err
			}
		}
	}
	return writeSummary(stdout, s.balance, all)
}

// compare runs a workload on a platform with all strategies in turns.
func (s *settings) compare(ctx context.Context, bin string, w emulated.Workload, hosts string, stderr io.Writer) ([]score, error) {
	fmt.Fprintf(stderr, "%s on %s\n", w.Name, filepath.Base(hosts))
	outcomes := make([][]emulated.Outcome, len(s.balance))
	for range s.rounds {
		for i, spec := range s.balance {
			o, err := emulated.Launch(ctx, bin, w, hosts, spec)
			if err != nil {
				return nil, fmt.Errorf("%s on %s with -balance %s: %w", w.Name, hosts, spec, err)
			}
			if first := slices.Concat(outcomes...); len(first) > 0 && first[0].Checksum != o.Checksum {
				return nil, fmt.Errorf("%s on %s with -balance %s: checksum %s, without moves %s", w.Name, hosts, spec, o.Checksum, first[0].Checksum)
			}
			outcomes[i] = append(outcomes[i], o)
		}
	}
	scores := make([]score, len(s.balance))
	for i, spec := range s.balance {
		scores[i] = scoreOf(spec, outcomes[i])
	}
	return scores, nil
}
