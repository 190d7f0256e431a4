// Compare runs bench/bsp, and the same measures on other libraries, in turns, and prints all in one
// table: MPI as written by hand, other BSPlibs, Bulk.
//
//	go run ./bench/compare -bspcc bspcc -bulk ../Bulk
//	go run ./bench/compare -transport tcp -p 2,16,64
//	go run ./bench/compare -c -bspcc bspcc -bsprun 'bsprun --rma -n NP' -name rma -bspcc bspcc -bsprun 'bsprun --msg -n NP' -name msg
//	go run ./bench/compare -bspcc 'lpfcc -engine pthread -lbsplib' -bsprun 'lpfrun -engine pthread -n NP' -name LPF
//	go run ./bench/compare -bspcc '' -with OTHER=results.jsonl
//
// It also compares the programs of the tree with references on one core, and measures the savings
// of rescheduling on each example platform; and it makes the pages of docs/gallery:
//
//	go run ./bench/compare programs
//	go run ./bench/compare gallery
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/compare/gallery"
	"github.com/migbsp/migbsp/bench/compare/programs"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings holds the parsed command line. Launchers are command lines in shell syntax, with NP for
// the number of processes.
type settings struct {
	transport *transport
	procs     []int
	nodeSize  int // of our nodes, in ranks; 0 for the transport's
	engine    string
	only      string
	wanted    *regexp.Regexp // only
	quick     bool
	limit     time.Duration // for a launch
	wait      time.Duration // for an idle machine, before each
	with      []string      // NAME=file

	bsplibs            []*bsplib
	mpirun             string
	mpicc, mpicxx, cxx string
	bulk               string          // a checkout
	given              map[string]bool // flags
}

func main() { measurement.Main() }

var measurement = frame.Program{
	Name: "compare", Rounds: 3, Flags: define, MPI: true, Others: []frame.Program{programs.Program, gallery.Program},
	Uses: []string{"./bench/bsp", "bench/c/*"},
	About: "Runs our benchmarks and the same in C and C++ on MPI by hand, another BSPlib and Bulk, in\n" +
		"turns, for each number of processes. -transport says how all of them exchange data: node, each\n" +
		"by its fastest way on one node; shm, ranks that share memory; tcp, ranks that are nodes of their\n" +
		"own, on the loopback. What is missing is said in the title. In launchers NP stands for the\n" +
		"number of processes. With -o FILE the rows of all launches are kept, for -with NAME=FILE another\n" +
		"time.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s, done := settingsOf(flags)
	return func() (frame.Work, error) { return s.run, done() }
}

// settingsOf defines the flags. done completes the settings once they are read.
func settingsOf(flags *flag.FlagSet) (s *settings, done func() error) {
	s = &settings{transport: &transports[0], procs: []int{2}, bsplibs: []*bsplib{{cc: "bspcc"}}, given: make(map[string]bool)}
	flags.Func("transport", "exchange data by `way`: node, shm or tcp (default node)", func(v string) (err error) {
		s.transport, err = transportOf(v)
		return err
	})
	flags.Var(frame.Numbers(&s.procs, 1, 1<<16), "p", "compare with each of these `numbers` of processes")
	flags.IntVar(&s.nodeSize, "node-size", 0, "our ranks form nodes of so many `ranks`, by shared memory; the others know no nodes (default: over TCP 1, else all)")
	flags.Func("bspcc", "a BSPlib's compiler `command` (default bspcc); '' for none. May be repeated: -bsprun, -name and -bspflags that follow are about it", func(v string) error {
		s.addBSPlib(v)
		return nil
	})
	own := func(name, usage string, of func(*bsplib) *string) {
		flags.Func(name, usage, func(v string) error {
			*of(s.last()) = v
			return nil
		})
	}
	own("bspflags", "more `flags` for it (see bench/c/dialect.h)", func(b *bsplib) *string { return &b.flags })
	own("bsprun", "`command` that runs its programs (default '"+defaultRun+"')", func(b *bsplib) *string { return &b.run })
	own("name", "`name` of the BSPlib in the table (default: its compiler)", func(b *bsplib) *string { return &b.name })
	flags.StringVar(&s.mpicc, "mpicc", "mpicc", "compiler `command` for MPI by hand; '' for none")
	flags.StringVar(&s.bulk, "bulk", "", "`directory` with a checkout of Bulk (github.com/jwbuurlage/Bulk)")
	flags.Bool("c", false, "run the programs in C with our own bspcc too")
	flags.StringVar(&s.cxx, "cxx", "c++", "compiler `command` for Bulk with threads")
	flags.StringVar(&s.mpicxx, "mpicxx", "mpicxx", "compiler `command` for Bulk with MPI")
	flags.StringVar(&s.mpirun, "mpirun", "mpirun -np NP", "`command` that runs programs under MPI")
	flags.StringVar(&s.engine, "go", "", "run ours `inprocess`, with mpi, or both (default both; with -transport shm and tcp mpi)")
	flags.StringVar(&s.only, "only", "", "compare only what this `regexp` matches; . for all (default: what most people ask for)")
	flags.BoolVar(&s.quick, "quick", false, "spend a quarter of the time on each measure")
	flags.DurationVar(&s.limit, "limit", 10*time.Minute, "end a program that takes longer than this `duration`, and leave it out unless it is ours")
	flags.DurationVar(&s.wait, "idle", 0, "wait at most this `duration` before each launch for an idle machine")
	flags.Func("with", "put the results in `NAME=file` beside them; may be repeated", func(v string) error {
		s.with = append(s.with, v)
		return nil
	})
	return s, func() error {
		flags.Visit(func(f *flag.Flag) { s.given[f.Name] = true })
		return s.check()
	}
}

// check looks for mistakes and completes the settings.
func (s *settings) check() (err error) {
	if s.engine == "" && s.transport.threads {
		s.engine = "both"
	} else if s.engine == "" {
		s.engine = "mpi"
	}
	s.completeBSPlibs()
	switch {
	case !slices.Contains([]string{"inprocess", "mpi", "both"}, s.engine):
		return fmt.Errorf("-go %s: it is inprocess, mpi or both", s.engine)
	case s.engine != "mpi" && !s.transport.threads:
		return fmt.Errorf("-go %s -transport %s: processes of one program exchange nothing by a transport; expected -go mpi", s.engine, s.transport.name)
	case s.nodeSize < 0:
		return fmt.Errorf("-node-size %d: expected a number from 1 on", s.nodeSize)
	case s.nodeSize > 0 && s.engine == "inprocess":
		return errors.New("-node-size: there are no nodes with -go inprocess")
	case len(s.bsplibs) == 0 && s.mpicc == "" && s.bulk == "" && !s.given["c"] && len(s.with) == 0:
		return errors.New("nothing to compare with: give -c, -bspcc, -mpicc, -bulk or -with")
	}
	for _, w := range s.with {
		if name, file, ok := strings.Cut(w, "="); !ok || name == "" || file == "" {
			return fmt.Errorf("-with %s: it is NAME=file", w)
		}
	}
	if !strings.Contains(s.mpirun, "NP") {
		return fmt.Errorf("-mpirun %q: write NP where the number of ranks belongs, as in 'mpirun -np NP'", s.mpirun)
	}
	for _, b := range s.bsplibs {
		if !strings.Contains(b.run, "NP") {
			return fmt.Errorf("-bsprun %q: write NP where the number of processes belongs, as in '%s'", b.run, defaultRun)
		}
	}
	if s.wanted, err = regexp.Compile(s.only); err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	return nil
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	saved := make(map[int][]*contender)
	for _, procs := range s.procs {
		others, err := readAll(s.with, procs)
		if err != nil {
			return err
		}
		saved[procs] = others
	}
	theirs, missing, err := s.peers(ctx, session)
	if err != nil {
		return err
	}
	if err := s.buildOurs(ctx, session); err != nil {
		return err
	}
	for _, procs := range s.procs {
		if err := s.compare(ctx, session, procs, theirs, saved[procs], missing); err != nil {
			return err
		}
	}
	return nil
}

// compare runs all on procs processes and prints their table.
func (s *settings) compare(ctx context.Context, session *frame.Session, procs int, theirs, saved []*contender, missing []string) error {
	ours, err := s.ours(ctx, session, procs)
	if err != nil {
		return err
	}
	for _, c := range theirs {
		c.left = ""
		if c.spins && procs > machineCores {
			c.left = fmt.Sprintf("%d spinning threads on %s take turns of the scheduler for each barrier", procs, count(machineCores, "core"))
		}
	}
	t := &turns{settings: s, procs: procs, ours: ours}
	if err := t.launchAll(ctx, session, theirs); err != nil {
		return err
	}
	for _, o := range slices.Concat(ours, theirs) {
		for _, row := range o.merged.Rows() {
			if row.P == procs {
				session.Record(o.name, row.Measure, "us", o.merged.Minima(row.Measure, row.P)...)
			}
		}
	}
	c := comparison{
		procs: procs, rounds: session.Rounds, transport: s.transport, idle: t.idle,
		ours: ours, others: slices.Concat(theirs, saved), missing: missing,
	}
	session.Table(c.table())
	return nil
}
