package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/exchange/ranks/report"
	"github.com/migbsp/migbsp/bench/exchange/traffic"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// compared are the columns that are measured, by the names in reports.
var compared = []struct {
	name string
	column
}{
	{report.Empty, column{traffic.Empty, inRounds}},
	{report.Barrier, column{traffic.Empty, doubled}},
	{report.Halo, column{traffic.Halo, inRounds}},
	{report.HaloByHand, column{traffic.Halo, manual}},
	{report.HaloAndBarrier, column{traffic.Halo, dissem}},
	{report.AllToAll, column{traffic.AllToAll, inRounds}},
	{report.AllToAllByHand, column{traffic.AllToAll, manual}},
}

// measured is what several runs of a shape have found.
type measured struct {
	traffic.Shape
	flat    bool // there is a barrier of all ranks, which the library does not know to share nodes
	engine  string
	message report.Message
	times   map[string][]float64
}

// parse joins the reports of runs.
func parse(texts []string) (*measured, error) {
	all := &measured{times: make(map[string][]float64)}
	var figures [7][]float64
	for _, text := range texts {
		var r report.Report
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return nil, fmt.Errorf("what ranks prints: %w:\n%s", err, text)
		}
		all.Shape, all.engine = r.Shape, r.Engine
		for name, times := range r.Times {
			all.times[name] = append(all.times[name], times...)
		}
		m := r.Message
		for i, x := range []float64{m.RoundTrip, m.Send, m.Receive, m.Gap, m.PerByte, m.Byte, m.Copying} {
			figures[i] = append(figures[i], x)
		}
	}
	all.message = report.Message{
		RoundTrip: slices.Min(figures[0]), Send: slices.Min(figures[1]), Receive: slices.Min(figures[2]),
		Gap: slices.Min(figures[3]), PerByte: slices.Min(figures[4]), Byte: slices.Min(figures[5]), Copying: slices.Min(figures[6]),
	}
	return all, nil
}

// measuredNetwork is what two ranks on two nodes have found of messages, and on one node of
// its memory. What the processors do is part of the round trip, and so is not of the network.
func measuredNetwork(name string, apart, together *measured) network {
	m := apart.message
	return network{
		Name: name, From: "Measured: " + apart.engine,
		L: max(0, m.RoundTrip/2-m.Send-m.Receive), O: m.Send, R: m.Receive, W: m.Gap,
		G: max(0, m.PerByte-2*max(0, m.Byte)), B: max(0, m.Byte), M: slices.Min(together.times[report.Empty]), C: together.message.Copying,
	}
}

// onThisMachine measures over TCP between ranks of this machine.
func (s *settings) onThisMachine(ctx context.Context, session *frame.Session) error {
	if err := session.BuildTagged(ctx, "mpi", "./bench/exchange/ranks"); err != nil {
		return err
	}
	launch := func(environment string, ranks int) func(context.Context) (string, error) {
		line := fmt.Sprintf(`%s exec %s -np %d "$0" -halo %d -all %d`, environment, s.mpirun, ranks, s.halo, s.all)
		return func(ctx context.Context) (string, error) {
			return frame.Output(ctx, "", "sh", "-c", line, session.Built("ranks", "mpi"))
		}
	}
	const alone, fours = "export MIGBSP_SHM=off;", "export MIGBSP_NODE_SIZE=4;"
	found, err := s.launches(ctx, session, []func(context.Context) (string, error){
		launch(alone, 2), launch("", 2), launch(alone, 4), launch(alone, 8), launch(alone, 16), launch(fours, 16),
	})
	if err != nil {
		return err
	}
	n := measuredNetwork("loopback", found[0], found[1])
	n.Cores = runtime.NumCPU()
	found[5].flat = true
	return s.compare(session, "exchange-measured", n, append(found[:1], found[2:]...))
}

// launches makes all runs in turns, and joins those of each.
func (s *settings) launches(ctx context.Context, session *frame.Session, all []func(context.Context) (string, error)) ([]*measured, error) {
	texts := make([][]string, len(all))
	for round := range session.Rounds {
		for i, launch := range all {
			session.Progress("round %d of %d: run %d of %d", round+1, session.Rounds, i+1, len(all))
			limited, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, fmt.Errorf("a run takes longer than two minutes"))
			text, err := launch(limited)
			cancel()
			if err != nil {
				return nil, err
			}
			texts[i] = append(texts[i], lastLine(text))
		}
	}
	var found []*measured
	for _, t := range texts {
		m, err := parse(t)
		if err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return found, nil
}

// lastLine leaves out what launchers say before.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// compare prints what was measured beside what is simulated for the same.
func (s *settings) compare(session *frame.Session, part string, n network, found []*measured) error {
	session.Line(figuresOf{n})
	cores, turns := n.Cores, []string(nil)
	n.Cores = 0
	t := frame.Table{
		Part: part, Text: []int{0, 1}, Title: fmt.Sprintf("Measured, median and best, and simulated with what messages between two ranks take; us.\nDeviations are from the best: others use this machine too.\n%s", n),
		Header: []string{"nodes x ranks", "superstep", "median", "best", "simulated", "deviation"},
	}
	for _, m := range found {
		sharing := m.Size()
		if n.PerNode {
			sharing = m.Ranks
		}
		if n.Cores = cores; sharing <= cores {
			n.Cores = 0
		} else {
			n.Turn = slices.Min(m.times[report.Turn]) * float64(cores) / float64(sharing)
		}
		for _, c := range compared {
			shape := m.Shape
			if m.flat && (c.how == manual || c.how == dissem || c.how == doubled) {
				continue // their neighbours would be others
			}
			took, _, ok := s.one(n, shape, c.column, 40)
			of := m.Shape.String() + ", " + c.name
			median, best := session.Record(of, "measured", "us", m.times[c.name]...).Center, slices.Min(m.times[c.name])
			if !ok {
				continue
			}
			session.Record(of, "simulated", "us", took)
			t.Add(m.Shape.String(), c.name, us(median), us(best), us(took), fmt.Sprintf("%+.0f %%", 100*(took/best-1)))
		}
		if n.Cores > 0 {
			session.Record(m.Shape.String(), "a turn of a rank", "us", n.Turn)
			turns = append(turns, fmt.Sprintf("%.3g us with %v", n.Turn, m.Shape))
		}
	}
	if len(turns) > 0 {
		t.Notes = []string{"Ranks share cores, and pass them on in " + strings.Join(turns, ", ") + "."}
	}
	session.Table(t)
	return nil
}

// Two testbeds: of two hosts, for messages, and of four. Each host is a cluster, so that all
// are behind lines of a millisecond, and all are equal.
func described(hosts, slots int) string {
	var text strings.Builder
	text.WriteString("cores 2\n")
	for i := range hosts {
		fmt.Fprintf(&text, "cluster h%dh hosts=1 speed=40%% rate=200Mb/s slots=%d\n", i, slots)
		for before := range i {
			fmt.Fprintf(&text, "link h%dh h%dh rate=200Mb/s latency=1ms\n", before, i)
		}
	}
	return text.String()
}

// onTestbed measures between hosts of the testbed.
func (s *settings) onTestbed(ctx context.Context, session *frame.Session) error {
	if err := session.BuildTagged(ctx, "mpi", "./bench/exchange/ranks"); err != nil {
		return err
	}
	root, err := frame.Root(ctx)
	if err != nil {
		return err
	}
	bed := func(ctx context.Context, args ...string) (string, error) {
		return frame.Output(ctx, root, filepath.Join("scripts", "testbed"), args...)
	}
	launch := func(hosts, slots int) func(context.Context) (string, error) {
		return func(ctx context.Context) (text string, err error) {
			file := filepath.Join(session.Dir, fmt.Sprintf("%dx%d.testbed", hosts, slots))
			if err := os.WriteFile(file, []byte(described(hosts, slots)), 0o644); err != nil {
				return "", err
			}
			if _, err := bed(ctx, "up", file); err != nil {
				return "", err
			}
			defer func() {
				if _, failed := bed(context.WithoutCancel(ctx), "down"); err == nil {
					err = failed
				}
			}()
			return bed(ctx, "mpirun", session.Built("ranks", "mpi"), "-halo", fmt.Sprint(s.halo), "-all", fmt.Sprint(s.all), "-each", "60ms")
		}
	}
	found, err := s.launches(ctx, session, []func(context.Context) (string, error){launch(2, 1), launch(1, 2), launch(4, 1), launch(4, 4)})
	if err != nil {
		return err
	}
	n := measuredNetwork("testbed", found[0], found[1])
	n.Cores, n.PerNode = 1, true
	return s.compare(session, "exchange-testbed", n, append(found[:1], found[2:]...))
}
