// Package simgrid simulates workloads here and in SimGrid, and puts the times side by side:
// those that are simulated, and those that simulating takes.
//
//	go run ./bench/arena simgrid
//	go run ./bench/arena simgrid -workload 'dp:n=100;lu:n=1000,p=100' -platform examples/clusters-of-clusters.xml
//	go run ./bench/arena simgrid -generated 50 -files SIMGRID/examples/platforms
//
// With -generated it compares platforms made at random, and with -files those in a
// directory: routes link by link, and the times of computing on each host and of messages
// along each route.
//
// SimGrid is set to plain flows: latency, and bytes over a rate that is shared max-min
// fairly. It is needed with its headers (Debian: libsimgrid-dev), and so is a C++
// compiler.
package simgrid

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings holds the parsed command line.
type settings struct {
	pairs     []pair
	generated int
	files     string
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

// Program is the one of the package.
var Program = frame.Program{
	Name: "arena simgrid", Flags: define,
	Uses:  []string{"./cmd/migbsp", "bench/arena/simgrid/replay", "examples/clusters-of-clusters.xml", "examples/grid5000.xml"},
	About: "Simulates workloads here and in SimGrid, which is needed with its headers (Debian:\nlibsimgrid-dev) and a C++ compiler, and puts the times side by side.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := &settings{pairs: usual}
	platform := flags.String("platform", "", "`file` as SimGrid describes platforms, with -workload")
	workloads := flags.String("workload", "", "`workloads` of migbsp simulate, with ; between them; those of the papers if empty")
	flags.IntVar(&s.generated, "generated", 0, "compare the routes of this `number` of platforms made at random, instead of workloads")
	flags.StringVar(&s.files, "files", "", "compare the routes of the platforms in a `directory`, instead of workloads")
	return func() (frame.Work, error) {
		switch {
		case s.generated < 0:
			return nil, fmt.Errorf("-generated %d: expected a number from 0 on", s.generated)
		case (s.generated > 0 || s.files != "") && *platform+*workloads != "":
			return nil, errors.New("-generated and -files: expected without -platform and -workload")
		case s.generated > 0 || s.files != "":
			return s.compareRoutes, nil
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

// compareRoutes compares platforms.
func (s *settings) compareRoutes(ctx context.Context, session *frame.Session) error {
	both, err := build(ctx, session)
	if err != nil {
		return err
	}
	t := frame.Table{
		Part: "routes", Title: "SIMULATED: routes of described platforms, and times of messages along them.",
		Header: []string{"platform", "hosts", "routes", "differing", "migbsp", "SimGrid", "off by"}, Text: []int{0},
	}
	var files []string
	for seed := range s.generated {
		file, err := write(filepath.Dir(session.Built("platforms")), uint64(seed))
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	if s.files != "" {
		found, err := platformFiles(s.files)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	for _, file := range files {
		session.Progress("%s", filepath.Base(file))
		r, err := both.route(ctx, file)
		if err != nil {
			return err
		}
		r.row(&t, strings.TrimSuffix(filepath.Base(file), ".xml"))
	}
	session.Table(t)
	return nil
}

func (r *routed) row(t *frame.Table, name string) {
	switch {
	case r.refused != nil:
		t.Add(name, "", "", "", "refused", "", "")
		t.Notes = append(t.Notes, r.refused.Error())
	case r.refusedThere != "":
		t.Add(name, fmt.Sprint(r.hosts), "", "", "", "refused", "")
		t.Notes = append(t.Notes, name+", in SimGrid: "+r.refusedThere)
	default:
		t.Add(name, fmt.Sprint(r.hosts), fmt.Sprint(r.pairs), fmt.Sprint(r.differing), fmt.Sprintf("%.6f s", r.ours), fmt.Sprintf("%.6f s", r.theirs), fmt.Sprintf("%.1e", r.off()))
	}
	if r.first != "" {
		t.Notes = append(t.Notes, name+": "+r.first)
	}
}

func (c *comparison) record(session *frame.Session, workload string) {
	session.Record(workload+", migbsp", "simulated time", "s", c.ours)
	session.Record(workload+", SimGrid", "simulated time", "s", c.theirs)
	session.Record(workload+", migbsp", "processor time", "s", c.oursTook.Seconds())
	session.Record(workload+", SimGrid", "processor time", "s", c.theirsTook.Seconds())
}
