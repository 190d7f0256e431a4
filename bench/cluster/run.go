package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// run carries out all chosen experiments and prints a table for each.
func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) error {
	bin, err := os.MkdirTemp("", "cluster")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	if err := build(ctx, bin, s.chosen(), stderr); err != nil {
		return err
	}
	log := csv.NewWriter(io.Discard)
	if s.csv != "" {
		f, err := os.Create(s.csv)
		if err != nil {
			return err
		}
		defer f.Close()
		log = csv.NewWriter(f)
	}
	log.Write([]string{"experiment", "scenario", "round", "seconds", "possible", "calls", "moves", "event_superstep", "recovery_calls"})
	var all []*result
	for _, e := range s.chosen() {
		r, err := s.measure(ctx, bin, &e, log, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if err := r.write(stdout); err != nil {
			return err
		}
		all = append(all, r)
	}
	return writeTargets(stdout, all)
}

// build makes the programs of experiments for real MPI.
func build(ctx context.Context, bin string, chosen []experiment, stderr io.Writer) error {
	built := make(map[string]bool)
	for _, e := range chosen {
		if built[e.program] {
			continue
		}
		built[e.program] = true
		command := exec.CommandContext(ctx, "go", "build", "-tags", "mpi", "-o", bin+"/", e.program)
		command.Stderr = stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("building %s: %w", e.program, err)
		}
	}
	return nil
}

// measure runs all scenarios of an experiment in turns on a testbed of its own,
// after a first run that tells how many supersteps there are.
func (s *settings) measure(ctx context.Context, bin string, e *experiment, log *csv.Writer, stderr io.Writer) (*result, error) {
	bed, err := bring(ctx, e.testbed)
	if err != nil {
		return nil, err
	}
	defer bed.run(context.WithoutCancel(ctx), "down")
	fmt.Fprintf(stderr, "%s\n", e.name)
	first, err := launch(ctx, bed, bin, e, "off", 0, s.patience)
	if err != nil {
		return nil, fmt.Errorf("the first run: %w", err)
	}
	at := 0
	if e.event != nil {
		at = int(e.event.after * float64(first.history.Steps[len(first.history.Steps)-1].Last))
	}
	r := newResult(e, bed)
	for round := range s.rounds {
		for i, scenario := range scenarios {
			o, err := launch(ctx, bed, bin, e, scenario.balance, at, s.patience)
			if err == nil && e.event != nil {
				err = bed.restore(ctx, e.event)
			}
			if err != nil {
				return nil, fmt.Errorf("round %d, %s: %w", round+1, scenario.name, err)
			}
			run := r.take(i, o)
			fmt.Fprintf(stderr, "  round %d  %-12s %8.3f s\n", round+1, scenario.name, run.seconds)
			log.Write([]string{
				e.name, scenario.name, strconv.Itoa(round + 1), figure(run.seconds), figure(run.possible),
				strconv.Itoa(run.calls), strconv.Itoa(run.moves), strconv.Itoa(run.event), strconv.Itoa(run.recovery),
			})
			if log.Flush(); log.Error() != nil {
				return nil, log.Error()
			}
		}
	}
	return r, nil
}

func figure(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
