package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// outcome is what one run of a workload with a strategy gave.
type outcome struct {
	ledger.Emulation
	checksum string
}

// run measures all workloads on all platforms and prints a table for each pair.
func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) error {
	bin, err := os.MkdirTemp("", "strategies")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	var chosen []workload
	for _, w := range workloads {
		if strings.Contains(w.name, s.only) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("-only %s: no workload has that in its name", s.only)
	}
	built := make(map[string]bool)
	for _, w := range chosen {
		if built[w.program] {
			continue
		}
		built[w.program] = true
		build := exec.CommandContext(ctx, "go", "build", "-o", bin+"/", w.program)
		build.Stderr = stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building %s: %w", w.program, err)
		}
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
func (s *settings) compare(ctx context.Context, bin string, w workload, hosts string, stderr io.Writer) ([]score, error) {
	fmt.Fprintf(stderr, "%s on %s\n", w.name, filepath.Base(hosts))
	outcomes := make([][]outcome, len(s.balance))
	for range s.rounds {
		for i, spec := range s.balance {
			o, err := launch(ctx, bin, w, hosts, spec)
			if err != nil {
				return nil, fmt.Errorf("%s on %s with -balance %s: %w", w.name, hosts, spec, err)
			}
			if first := slices.Concat(outcomes...); len(first) > 0 && first[0].checksum != o.checksum {
				return nil, fmt.Errorf("%s on %s with -balance %s: checksum %s, without moves %s", w.name, hosts, spec, o.checksum, first[0].checksum)
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

var checksums = regexp.MustCompile(`(?m)^checksum +([0-9a-f]+)|PASSED`)

func launch(ctx context.Context, bin string, w workload, hosts, spec string) (outcome, error) {
	record, err := os.MkdirTemp(bin, "run")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(record)
	args := append(slices.Clone(w.args), "-hosts", hosts, "-balance", spec, "-run-dir", record)
	out, err := exec.CommandContext(ctx, filepath.Join(bin, filepath.Base(w.program)), args...).CombinedOutput()
	if err != nil {
		return outcome{}, fmt.Errorf("%w\n%s", err, out)
	}
	h, err := ledger.Read(record)
	if err != nil {
		return outcome{}, err
	}
	if h.End == nil || h.End.Emulation == nil {
		return outcome{}, fmt.Errorf("the record of the run does not tell of an emulated platform; the program said:\n%s", out)
	}
	return outcome{*h.End.Emulation, strings.Join(checksums.FindStringSubmatch(string(out)), " ")}, nil
}
