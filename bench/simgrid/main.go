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
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// settings are what the command line says.
type settings struct {
	tree  string // directory of the source tree
	pairs []pair
}

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

var program = frame.Program{Name: "simgrid", Flags: define}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := &settings{tree: ".", pairs: usual}
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

func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "simgrid")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if what := missing(); what != "" {
		return fmt.Errorf("%s is missing", what)
	}
	both, err := build(ctx, s.tree, dir, stderr)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, "SIMULATED: times on described platforms, of workloads without rescheduling.")
	var rows [][]string
	for _, p := range s.pairs {
		fmt.Fprintf(stderr, "%s\n", p.workload)
		c, err := both.compare(ctx, p)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", p.workload, p.platform, err)
		}
		rows = append(rows, []string{
			p.workload, strings.TrimSuffix(filepath.Base(p.platform), ".xml"), fmt.Sprintf("%.6f s", c.ours), fmt.Sprintf("%.6f s", c.theirs),
			fmt.Sprintf("%.1e", c.off()), fmt.Sprintf("%.2f s", c.oursTook.Seconds()), fmt.Sprintf("%.2f s", c.theirsTook.Seconds()),
			fmt.Sprintf("%.1f", c.theirsTook.Seconds()/c.oursTook.Seconds()),
		})
	}
	return ledger.WriteRows(stdout, []string{
		"workload", "platform", "migbsp", "SimGrid", "off by", "migbsp takes", "SimGrid takes", "times as long",
	}, rows, 0, 1)
}
