// Simgrid simulates workloads here and in SimGrid, and puts the times side by side:
// those that are simulated, and those that simulating takes.
//
//	go run ./bench/simgrid
//	go run ./bench/simgrid -workload 'dp:n=100;lu:n=1000,p=100' -platform examples/clusters-of-clusters.xml
//
// SimGrid is set to plain flows: latency, and bytes over a rate that is shared max-min
// fairly. It is needed with its headers (Debian: libsimgrid-dev), and so is a C++
// compiler.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct{ pairs []pair }

// pair is a workload on a platform.
type pair struct{ platform, workload string }

// usual are the workloads of MigBSP's papers.
var usual = []pair{
	{"examples/clusters-of-clusters.xml", "dp:n=10"},
	{"examples/clusters-of-clusters.xml", "dp:n=50"},
	{"examples/clusters-of-clusters.xml", "dp:n=200"},
	{"examples/clusters-of-clusters.xml", "lu:n=500,p=25,even=1,element=4"},
	{"examples/clusters-of-clusters.xml", "lu:n=500,p=100,even=1,element=4"},
	{"examples/clusters-of-clusters.xml", "lu:n=500,p=200"},
	{"examples/clusters-of-clusters.xml", "lu:n=1000,p=50"},
	{"examples/grid5000.xml", "lbm:p=60,steps=100"},
}

func main() { program.Main() }

var program = frame.Program{
	Name: "simgrid", Flags: define,
	Uses:  []string{"./cmd/migbsp", "bench/simgrid/replay", "examples/clusters-of-clusters.xml", "examples/grid5000.xml"},
	About: "Simulates workloads here and in SimGrid, which is needed with its headers (Debian:\nlibsimgrid-dev) and a C++ compiler, and puts the times side by side.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := &settings{pairs: usual}
	platform := flags.String("platform", "", "`file` as SimGrid describes platforms, with -workload")
	workloads := flags.String("workload", "", "`workloads` of migbsp simulate, with ; between them; those of the papers if empty")
	return func() (frame.Work, error) {
		switch {
		case (*platform == "") != (*workloads == ""):
			return nil, errors.New("-platform and -workload: expected both or none")
		case *platform != "":
			s.pairs = nil
			for workload := range strings.SplitSeq(*workloads, ";") {
				s.pairs = append(s.pairs, pair{*platform, strings.TrimSpace(workload)})
			}
		}
		return s.run, nil
	}
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	if what := missing(); what != "" {
		return fmt.Errorf("%s is missing", what)
	}
	both, err := build(ctx, session)
	if err != nil {
		return err
	}
	t := frame.Table{
		Part:   "simgrid",
		Title:  "SIMULATED: times on described platforms, of workloads without rescheduling.",
		Header: []string{"workload", "platform", "migbsp", "SimGrid", "off by", "migbsp takes", "SimGrid takes", "times as long"}, Text: []int{0, 1},
	}
	for _, p := range s.pairs {
		session.Progress("%s", p.workload)
		c, err := both.compare(ctx, p)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", p.workload, p.platform, err)
		}
		c.record(session, p.workload)
		t.Add(
			p.workload, strings.TrimSuffix(filepath.Base(p.platform), ".xml"), fmt.Sprintf("%.6f s", c.ours), fmt.Sprintf("%.6f s", c.theirs),
			fmt.Sprintf("%.1e", c.off()), fmt.Sprintf("%.2f s", c.oursTook.Seconds()), fmt.Sprintf("%.2f s", c.theirsTook.Seconds()),
			fmt.Sprintf("%.1f", c.theirsTook.Seconds()/c.oursTook.Seconds()))
	}
	session.Table(t)
	return nil
}

func (c *comparison) record(session *frame.Session, workload string) {
	session.Record(workload+", migbsp", "simulated time", "s", c.ours)
	session.Record(workload+", SimGrid", "simulated time", "s", c.theirs)
	session.Record(workload+", migbsp", "processor time", "s", c.oursTook.Seconds())
	session.Record(workload+", SimGrid", "processor time", "s", c.theirsTook.Seconds())
}
