package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/migbsp/migbsp/ledger"
)

// bench runs lu and simulates it again, with the programs that are in a directory.
type bench struct {
	dir      string
	network  network
	rounds   int
	progress io.Writer
}

// point is a matrix factored on some hosts.
type point struct {
	hosts, order int
	grid         string
	seconds      float64 // of the factorisation
	rate         float64 // operations per second
	apart        float64 // the simulated run over the emulated one, less 1
}

// measure is the median point of several runs.
func (b *bench) measure(ctx context.Context, order, hosts int) (point, error) {
	platform, err := b.network.write(b.dir, hosts)
	if err != nil {
		return point{}, err
	}
	var points []point
	for round := range b.rounds {
		fmt.Fprintf(b.progress, "order %d on %d hosts, %d of %d\n", order, hosts, round+1, b.rounds)
		p, err := b.once(ctx, platform, order, hosts)
		if err != nil {
			return point{}, err
		}
		points = append(points, p)
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.seconds, b.seconds) })
	return points[len(points)/2], nil
}

// once factors a matrix with a process on each host of an emulated platform, and
// simulates the record on the same one.
func (b *bench) once(ctx context.Context, platform string, order, hosts int) (point, error) {
	record, err := os.MkdirTemp(b.dir, "run")
	if err != nil {
		return point{}, err
	}
	defer os.RemoveAll(record)
	if _, err := b.program(ctx, "lu", "-n", strconv.Itoa(order), "-procs", strconv.Itoa(hosts),
		"-hosts", platform, "-balance", "off", "-run-dir", record); err != nil {
		return point{}, err
	}
	h, err := ledger.Read(record)
	if err != nil {
		return point{}, err
	}
	if h.End == nil || h.End.Result == nil || h.End.Emulation == nil {
		return point{}, fmt.Errorf("the record of the run has no result")
	}
	result := h.End.Result
	p := point{hosts: hosts, order: order, seconds: result.Seconds, rate: result.Work / result.Seconds}
	for _, detail := range result.Details {
		if detail.Name == "Process grid" {
			p.grid = detail.Value
		}
	}
	text, err := b.program(ctx, "migbsp", "simulate", "-platform", platform, "-workload", record, "-scenario", "i", "-format", "json")
	if err != nil {
		return point{}, err
	}
	var simulated struct{ Time float64 }
	if err := json.Unmarshal(text, &simulated); err != nil {
		return point{}, fmt.Errorf("what migbsp simulate prints: %w", err)
	}
	p.apart = simulated.Time/h.End.Emulation.With - 1
	return p, nil
}

// program runs one of the programs and returns what it prints.
func (b *bench) program(ctx context.Context, name string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, filepath.Join(b.dir, name), args...)
	out, err := command.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if exit, ok := err.(*exec.ExitError); ok {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, exit.Stderr)
	}
	return out, err
}
