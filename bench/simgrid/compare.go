package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// programs are the two simulators.
type programs struct {
	tree, migbsp, replay, csv string
}

// plainFlows makes SimGrid's network that of latency and shared rates, without what
// TCP adds.
var plainFlows = []string{
	"--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0", "--log=root.thres:critical",
}

// build makes both programs.
func build(ctx context.Context, tree, dir string, stderr io.Writer) (*programs, error) {
	p := &programs{tree: tree, migbsp: filepath.Join(dir, "migbsp"), replay: filepath.Join(dir, "replay"), csv: filepath.Join(dir, "workload.csv")}
	for _, command := range [][]string{
		{"go", "build", "-o", p.migbsp, "./cmd/migbsp"},
		{"g++", "-O2", "-o", p.replay, "bench/simgrid/replay/replay.cpp", "-lsimgrid"},
	} {
		make := exec.CommandContext(ctx, command[0], command[1:]...)
		make.Dir, make.Stderr = tree, stderr
		if err := make.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(command, " "), err)
		}
	}
	return p, nil
}

// comparison is a workload in both simulators.
type comparison struct {
	ours, theirs         float64 // simulated seconds
	oursTook, theirsTook time.Duration
}

// off is how far the simulated times are apart, as a part of SimGrid's.
func (c *comparison) off() float64 { return math.Abs(c.ours/c.theirs - 1) }

// compare simulates a workload in both.
func (p *programs) compare(ctx context.Context, w pair) (*comparison, error) {
	of := []string{"simulate", "-platform", w.platform, "-workload", w.workload}
	if _, _, err := p.output(ctx, p.migbsp, append(of, "-export", p.csv)...); err != nil {
		return nil, err
	}
	c := new(comparison)
	text, took, err := p.output(ctx, p.migbsp, append(of, "-scenario", "i", "-format", "json")...)
	if err != nil {
		return nil, err
	}
	var line struct{ Time float64 }
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	c.ours, c.oursTook = line.Time, took
	text, c.theirsTook, err = p.output(ctx, p.replay, append(plainFlows, w.platform, p.csv)...)
	if err != nil {
		return nil, err
	}
	c.theirs, err = strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return c, err
}

// output runs a program, and tells how long it used the processor.
func (p *programs) output(ctx context.Context, name string, args ...string) ([]byte, time.Duration, error) {
	var said bytes.Buffer
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Stderr = p.tree, &said
	text, err := command.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, said.Bytes())
	}
	return text, command.ProcessState.UserTime() + command.ProcessState.SystemTime(), nil
}

// missing says what is not there of what a comparison needs, "" if nothing.
func missing() string {
	if _, err := exec.LookPath("g++"); err != nil {
		return "a C++ compiler (Debian: g++)"
	}
	for _, dir := range []string{"/usr/include", "/usr/local/include"} {
		if _, err := os.Stat(filepath.Join(dir, "simgrid/s4u.hpp")); err == nil {
			return ""
		}
	}
	return "SimGrid with its headers (Debian: libsimgrid-dev)"
}
