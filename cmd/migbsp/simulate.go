package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/rebalancer/bag"
	"github.com/migbsp/migbsp/sim"
)

var simulateCommand = cli.Command{
	Name:    "simulate",
	Summary: "runs a workload on a simulated platform, and reschedules it",
	About: `Simulates supersteps: processes compute on hosts whose cores they share fairly,
send messages over links that these share, and wait for each other. Rescheduling
decides as in a run, by the same code, and what hosts tell each other for it, and
moves, take time on the same links. Times are those of the platform; the same input
gives the same output.

-platform is a file as SimGrid describes platforms, or one of hosts with speeds and
rates, where speed 1 is a billion operations per second. -workload is a kind with figures,
a file of figures, or the record that a program has written with -run-dir (see
docs/guide/simulate.md):

` + indented(sim.WorkloadHelp()) + `
Figures may have alternatives, with | between them, and -workload and -balance may have
several texts, with ; between them: all are simulated, on all processors, and the table
has a line for each.

-mapping says where processes are at first: contiguous (one on each host in the order
of the file, then again from the first), ascending or descending (by speed), cpu (on
the host that would be done first), round-robin (one on each Set in turn); or what the
workload's file or record says, if it does and the platform has its hosts. There may be
several, with commas between them.

-run-dir keeps a record of the simulated run, for migbsp report and trace. If there are
several, each has a directory in it, such as iii-auto.

A bag of tasks (-workload bag) has no supersteps: a master gives chunks of tasks to workers
that ask, by each -policy, and the table has a line for each. -mapping is the order in which
workers ask at first.

Scenario i is without rescheduling, ii decides but moves nothing, iii moves. With
-possible two more show what there is to gain: static, the best mapping found for the
whole run, and bound, a time that nothing beats, with moves and messages for free.`,
	Examples: []cli.Example{
		{Line: "migbsp simulate -platform p.xml -workload lu:n=2000,p=50", Does: "all scenarios, with auto"},
		{Line: "migbsp simulate -platform p.xml -workload dp:n=50 -balance 'percent;auto'", Does: "strategies side by side"},
		{Line: "migbsp simulate -platform p.xml -workload 'lu:n=500|900,p=25|50'", Does: "all combinations"},
		{Line: "migbsp simulate -platform p.xml -workload dp:n=50 -export dp.csv", Does: "writes the workload for other simulators"},
		{Line: "migbsp simulate -platform p.hosts -workload runs/1", Does: "what a recorded run would have taken on other hosts"},
		{Line: "migbsp simulate -platform p.xml -workload bag:n=10000,flops=5e8 -policy all", Does: "a bag of tasks, shared out by all policies"},
		{Line: "migbsp simulate -platform p.xml -workload dp:n=50 -run-dir r", Does: "with records in r/i-off, r/ii-auto, r/iii-auto"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		s := new(simulation)
		s.format = cli.Choice(flags, "format", "how to print", "table", "json", "csv")
		s.platform = cli.Path(flags, "platform", "`file` of the platform", cli.File)
		s.workload = cli.Suggest(flags, "workload", "", "`kind:figures`, a file of figures, or a run's record or directory", cli.Values{Words: sim.WorkloadKinds(), Files: true})
		s.balance = cli.Suggest(flags, "balance", "auto", "`strategies` for ii and iii, as for a program's -balance, with ; between them", cli.OneOf(strategies()...))
		s.scenario = cli.Choice(flags, "scenario", "what to simulate", "all", "i", "ii", "iii")
		s.mapping = cli.Words(flags, "mapping", "where processes are at first (default file)", append([]string{"file"}, sim.Mappings...)...)
		s.mapFile = cli.Path(flags, "mapping-from", "`file` of lines map,process,host that mapping file means, instead of the workload's own", cli.File)
		flags.Float64Var(&s.barrier.Near, "barrier-near", 0, "`seconds` that a barrier takes for each process in the outer zone of process 0")
		flags.Float64Var(&s.barrier.Far, "barrier-far", 0, "`seconds` for each other process")
		flags.IntVar(&s.possible, "possible", 0, "also show what is possible, looking for the best mapping with so many `tries`")
		s.export = cli.Path(flags, "export", "write workload and mapping to `file`, and simulate nothing", cli.File)
		s.runDir = cli.Path(flags, "run-dir", "keep records of the simulated runs in `directory`, for migbsp report", cli.Directory)
		s.flags = flags
		s.bags.define(flags)
		flags.Float64Var(&s.reference, "reference", sim.Reference, "`operations` that a process of a recorded run does in a second on a rank of speed 1")
		return s.run
	},
}

// indented is text as it stands in a page.
func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// simulation has the flags of migbsp simulate.
type simulation struct {
	format, platform, scenario, export *string
	mapFile                            *string
	mapping                            *[]string
	workload, balance                  *string
	barrier                            sim.Barrier
	possible                           int // tries for the best mapping; 0: neither that nor a bound is shown
	runDir                             *string
	flags                              *flag.FlagSet
	bags                               bagFlags
	reference                          float64  // operations for a second of a recorded run
	notes                              []string // for the reader, before anything is simulated
}

// simulated is one line of the result.
type simulated struct {
	Workload string  `json:"workload"`
	Mapping  string  `json:"mapping"`
	Scenario string  `json:"scenario"`
	Balance  string  `json:"balance"`
	Time     float64 `json:"time"`
	Saved    float64 `json:"saved"` // part of the time of scenario i; 0 without that
	Deciding float64 `json:"deciding"`
	Moving   float64 `json:"moving"`
	Calls    int     `json:"calls"`
	Moves    int     `json:"moves"`
}

func (s *simulation) run(ctx context.Context, streams cli.Streams, _ []string) error {
	switch {
	case *s.bags.policy == "help":
		bag.Help(streams.Out)
		return nil
	case *s.platform == "":
		return cli.Usagef("-platform is missing: simulate needs a platform and a workload")
	case *s.workload == "":
		return cli.Usagef("-workload is missing: simulate needs a platform and a workload")
	}
	if err := s.check(); err != nil {
		return err
	}
	switch {
	case sim.IsBag(*s.workload):
		return s.runBags(ctx, streams)
	case s.possible < 0:
		return cli.Usagef("-possible %d: expected a number from 0 on", s.possible)
	case s.possible > 0 && *s.runDir != "":
		return cli.Usagef("-possible: records are of runs only; expected without -run-dir")
	case !(s.reference > 0) || math.IsInf(s.reference, 0):
		return cli.Usagef("-reference %g: expected a number above 0", s.reference)
	case *s.export != "" && *s.runDir != "":
		return cli.Usagef("-run-dir: -export simulates nothing that could be recorded")
	}
	if !(s.barrier.Near >= 0 && s.barrier.Far >= 0) || math.IsInf(s.barrier.Near+s.barrier.Far, 0) {
		return cli.Usagef("-barrier-near %g -barrier-far %g: expected numbers from 0 on", s.barrier.Near, s.barrier.Far)
	}
	p, err := sim.Read(*s.platform)
	if err != nil {
		return err
	}
	loads, err := s.place(p)
	if err != nil {
		return err
	}
	for _, note := range s.notes {
		fmt.Fprintf(streams.Err, "migbsp simulate: note: %s\n", ledger.Printable(note))
	}
	if *s.export != "" {
		if len(loads) > 1 {
			return cli.Usagef("-export: there are %d workloads and mappings; expected one", len(loads))
		}
		return writeWhole(*s.export, func(w io.Writer) error { return sim.WriteCSV(w, loads[0].load, p, loads[0].where) })
	}
	cases, err := s.cases(loads)
	if err != nil {
		return err
	}
	dirs, err := s.recordDirs(namesOf(cases))
	if err != nil {
		return err
	}
	for i := range dirs {
		cases[i].dir = dirs[i]
	}
	told := progress{cases: int64(len(cases)), of: "supersteps"}
	for _, c := range cases {
		if c.balance != "" {
			told.parts += int64(c.load.Steps())
		}
	}
	end := told.tell(streams.Err)
	results, err := sweep(ctx, cases, func(ctx context.Context, c *simulatedCase) (*sim.Result, error) {
		defer told.ended.Add(1)
		config := &sim.Config{Platform: p, Workload: c.load, Where: c.where, Barrier: s.barrier, Balance: c.spec}
		if r, done, err := s.possibleResult(ctx, c, config); done {
			return r, err
		}
		config.Workload = counted{c.load, &told.done}
		return s.recorded(ctx, c, config)
	})
	end()
	if err != nil {
		return err
	}
	if err := s.write(streams.Out, p, loads, simulatedLines(cases, results)); err != nil {
		return err
	}
	return s.tellRecords(streams, dirs)
}

// simulatedLines returns the lines of the results. The saving of a case is relative to scenario i
// of the same workload and mapping.
func simulatedLines(cases []*simulatedCase, results []*sim.Result) []simulated {
	var lines []simulated
	before := make(map[*placedLoad]float64)
	for i, c := range cases {
		r := results[i]
		l := simulated{
			Workload: c.workload, Mapping: c.mapping, Scenario: c.scenario, Balance: c.balance,
			Time: r.Time, Deciding: r.Deciding, Moving: r.Moving, Calls: r.Calls, Moves: r.Moves,
		}
		if c.scenario == "i" {
			before[c.placedLoad] = r.Time
		} else if before[c.placedLoad] > 0 {
			l.Saved = 1 - r.Time/before[c.placedLoad]
		}
		lines = append(lines, l)
	}
	return lines
}

func (s *simulation) write(w io.Writer, p *sim.Platform, loads []*placedLoad, lines []simulated) error {
	switch *s.format {
	case "json":
		return writeLines(w, lines)
	case "csv":
		t := table{rows: [][]string{{"workload", "mapping", "scenario", "balance", "time", "saved", "deciding", "moving", "calls", "moves"}}}
		for _, l := range lines {
			t.add(l.Workload, l.Mapping, l.Scenario, l.Balance, exact(l.Time), exact(l.Saved), exact(l.Deciding), exact(l.Moving), strconv.Itoa(l.Calls), strconv.Itoa(l.Moves))
		}
		return csv.NewWriter(w).WriteAll(t.rows)
	}
	t := table{heads: []string{"scenario", "balance", "time", "saved", "calls", "deciding", "moves", "moving"}, words: []int{0, 1}}
	for _, l := range lines {
		saved := ""
		if l.Scenario != "i" && lines[0].Scenario == "i" {
			saved = fmt.Sprintf("%.1f%%", 100*l.Saved)
		}
		row := []string{l.Scenario, l.Balance, fmt.Sprintf("%.4g s", l.Time), saved, "", "", "", ""}
		if l.Balance != "" {
			row = append(row[:4], strconv.Itoa(l.Calls), seconds(l.Deciding), strconv.Itoa(l.Moves), seconds(l.Moving))
		}
		t.add(row...)
	}
	t.distinguish("mapping", func(row int) string { return lines[row].Mapping })
	t.distinguish("workload", func(row int) string { return lines[row].Workload })
	_, err := io.WriteString(w, title(p, loads)+text.Rows(t.heads, t.rows, t.words...))
	return err
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
