package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// point is a matrix factored on some hosts.
type point struct {
	hosts, order int
	grid         string
	seconds      float64 // of the factorisation
	rate         float64 // operations per second
	apart        float64 // the simulated run over the emulated one, less 1
}

func (p point) time() float64 { return p.seconds }
func (p point) off() float64  { return p.apart }

// measure is the run of median time.
func (s *settings) measure(ctx context.Context, session *frame.Session, order, hosts int) (point, error) {
	platform, err := s.platform(session.Dir, hosts)
	if err != nil {
		return point{}, err
	}
	of := fmt.Sprintf("order %d on %d hosts", order, hosts)
	var points []point
	for round := range session.Rounds {
		session.Progress("%s, %d of %d", of, round+1, session.Rounds)
		p, err := once(ctx, session, platform, order, hosts)
		if err != nil {
			return point{}, err
		}
		points = append(points, p)
	}
	session.Record(of, "time", "s", frame.Each(points, point.time)...)
	session.Record(of, "simulated over emulated, less 1", "", frame.Each(points, point.off)...)
	return frame.Middle(points, point.time), nil
}

// platform writes a file with so many equal hosts into a directory, and returns its name.
func (s *settings) platform(dir string, hosts int) (string, error) {
	name := filepath.Join(dir, fmt.Sprintf("%d.hosts", hosts))
	text := fmt.Sprintf("#@set cluster manager=node1 speed=1 rate=%s latency=%s\n", s.rate, s.latency)
	for i := range hosts {
		text += fmt.Sprintf("node%d slots=1\n", i+1)
	}
	return name, os.WriteFile(name, []byte(text), 0o644)
}

// once factors a matrix with a process on each host of an emulated platform, and
// simulates the record on the same one.
func once(ctx context.Context, session *frame.Session, platform string, order, hosts int) (point, error) {
	record, done, err := session.RunDir("lu", strconv.Itoa(order), "on", strconv.Itoa(hosts))
	if err != nil {
		return point{}, err
	}
	defer done()
	if _, err := frame.Output(ctx, "", session.Built("lu"), "-n", strconv.Itoa(order), "-procs", strconv.Itoa(hosts),
		"-hosts", platform, "-balance", "off", "-run-dir", record); err != nil {
		return point{}, err
	}
	h, err := ledger.Read(record)
	if err != nil {
		return point{}, err
	}
	if h.End == nil || h.End.Result == nil || h.End.Emulation == nil {
		return point{}, errors.New("the record of the run has no result")
	}
	result := h.End.Result
	p := point{hosts: hosts, order: order, seconds: result.Seconds, rate: result.Work / result.Seconds}
	for _, detail := range result.Details {
		if detail.Name == "Process grid" {
			p.grid = detail.Value
		}
	}
	text, err := frame.Output(ctx, "", session.Built("migbsp"), "simulate", "-platform", platform, "-workload", record, "-scenario", "i", "-format", "json")
	if err != nil {
		return point{}, err
	}
	var simulated struct{ Time float64 }
	if err := json.Unmarshal([]byte(text), &simulated); err != nil {
		return point{}, fmt.Errorf("what migbsp simulate prints: %w", err)
	}
	p.apart = simulated.Time/h.End.Emulation.With - 1
	return p, nil
}
