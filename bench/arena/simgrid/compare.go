package simgrid

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// programs are the two simulators.
type programs struct {
	tree, migbsp, replay, csv string
}

// plainFlows limits SimGrid's network model to latency and shared rates, without the effects
// of TCP.
var plainFlows = []string{
	"--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0", "--log=root.thres:critical",
}

// build makes both programs, in the session's directory.
//
// Errors: what they need is missing.
func build(ctx context.Context, session *frame.Session) (*programs, error) {
	if what := missing(); what != "" {
		return nil, fmt.Errorf("%s is missing", what)
	}
	tree, err := frame.Root(ctx)
	if err != nil {
		return nil, err
	}
	if err := session.Build(ctx, "./cmd/migbsp"); err != nil {
		return nil, err
	}
	p := &programs{tree: tree, migbsp: session.Built("migbsp"), replay: session.Built("replay"), csv: session.Built("workload.csv")}
	_, err = frame.Output(ctx, tree, "g++", "-O2", "-o", p.replay, "bench/arena/simgrid/replay/replay.cpp", "-lsimgrid")
	return p, err
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
	if _, _, err := frame.Timed(ctx, p.tree, p.migbsp, append(of, "-export", p.csv)...); err != nil {
		return nil, err
	}
	c := new(comparison)
	text, took, err := frame.Timed(ctx, p.tree, p.migbsp, append(of, "-scenario", "i", "-format", "json")...)
	if err != nil {
		return nil, err
	}
	var line struct{ Time float64 }
	if err := json.Unmarshal([]byte(text), &line); err != nil {
		return nil, err
	}
	c.ours, c.oursTook = line.Time, took
	text, c.theirsTook, err = frame.Timed(ctx, p.tree, p.replay, append(plainFlows, w.platform, p.csv)...)
	if err != nil {
		return nil, err
	}
	c.theirs, err = strconv.ParseFloat(strings.TrimSpace(text), 64)
	return c, err
}

// missing returns the missing requirements of a comparison, "" if none.
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
