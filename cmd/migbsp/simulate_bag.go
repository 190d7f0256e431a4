package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/rebalancer/bag"
	"github.com/migbsp/migbsp/sim"
	"github.com/migbsp/migbsp/sim/record"
)

// bagFlags has the flags of migbsp simulate that are for bags of tasks only.
type bagFlags struct {
	policy   *string
	master   string
	sends    *string
	managers bool
	workers  bool // print a row for each worker
}

func (f *bagFlags) define(flags *flag.FlagSet) {
	offers := []string{"all", "help"}
	for _, policy := range bag.All() {
		offers = append(offers, policy.String())
	}
	f.policy = cli.Suggest(flags, "policy", "all", "of a bag: `policies` by which tasks are given out, with ; between them; all, or help", cli.OneOf(offers...))
	f.sends = cli.Choice(flags, "sends", "of a bag: how the master sends chunks", "serial", "parallel")
	flags.BoolVar(&f.managers, "managers", false, "of a bag: managers of Sets draw chunks from the master, and share them out in their Sets")
	flags.StringVar(&f.master, "master", "", "of a bag: `host` of the master (default: the first), which computes nothing")
	flags.BoolVar(&f.workers, "workers", false, "of a bag: also print a row for each worker")
}

// forBags and forPrograms are the flags that mean something for the one kind of workload
// only.
var (
	forBags     = []string{"policy", "sends", "managers", "master", "workers"}
	forPrograms = []string{"balance", "scenario", "mapping-from", "barrier-near", "barrier-far", "possible", "export", "reference"}
)

// check refuses flags that would have no effect.
func (s *simulation) check() error {
	bags, wrong, others := sim.IsBag(*s.workload), forBags, "bags: -workload bag:n=10000,flops=5e8,kb=1"
	if bags {
		wrong, others = forPrograms, "programs, not for a bag of tasks"
	}
	var err error
	s.flags.Visit(func(f *flag.Flag) {
		if err == nil && slices.Contains(wrong, f.Name) {
			err = cli.Usagef("-%s is for %s", f.Name, others)
		}
	})
	return err
}

// bagCase is a bag with a policy.
type bagCase struct {
	workload, mapping, policy string
	config                    *sim.BagConfig
}

func (c *bagCase) String() string { return c.workload + " with " + c.policy }

// bagLine is one line of the result.
type bagLine struct {
	Workload  string  `json:"workload"`
	Mapping   string  `json:"mapping"`
	Policy    string  `json:"policy"`
	Time      float64 `json:"time"`
	Bound     float64 `json:"bound"`
	Over      float64 `json:"over"` // Time over Bound
	Chunks    int     `json:"chunks"`
	Copies    int     `json:"copies"`
	Duplicate int     `json:"duplicate"`
	Busy      float64 `json:"busy"` // part of the workers' time
	Idle      float64 `json:"idle"` // at the end, seconds of the mean worker
	Master    float64 `json:"master"`
	Messages  int     `json:"messages"`
	Bytes     float64 `json:"bytes"`
	Crossing  int     `json:"crossing_messages"`
	CrossingB float64 `json:"crossing_bytes"`

	Workers []bagWorkerLine `json:"workers"`
}

type bagWorkerLine struct {
	Host   string  `json:"host"`
	Chunks int     `json:"chunks"`
	Tasks  int     `json:"tasks"`
	Busy   float64 `json:"busy"`
	Idle   float64 `json:"idle"`
}

// runBags simulates bags of tasks.
func (s *simulation) runBags(ctx context.Context, streams cli.Streams) error {
	p, err := sim.Read(*s.platform)
	if err != nil {
		return err
	}
	cases, err := s.bagCases(p)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range cases {
		names = append(names, strings.Join(append(differing(c, cases, func(c *bagCase) []string { return []string{c.workload, c.mapping} }), c.policy), "-"))
	}
	dirs, err := s.recordDirs(names)
	if err != nil {
		return err
	}
	told := progress{cases: int64(len(cases)), of: "tasks"}
	for _, c := range cases {
		told.parts += int64(c.config.Bag.Tasks)
	}
	end := told.tell(streams.Err)
	results, err := sweep(ctx, cases, func(ctx context.Context, c *bagCase) (*sim.BagResult, error) {
		defer told.ended.Add(1)
		c.config.Progress = func(tasks int) { told.done.Add(int64(tasks)) }
		return sim.RunBag(ctx, c.config)
	})
	end()
	if err != nil {
		return err
	}
	for i, dir := range dirs {
		if err := record.Bag(dir, s.aboutBag(cases[i]), cases[i].config, results[i]); err != nil {
			return fmt.Errorf("-run-dir: %w", err)
		}
	}
	if err := s.writeBags(streams, p, cases, results); err != nil {
		return err
	}
	return s.tellRecords(streams, dirs)
}

// bagCases returns all bags with all policies.
func (s *simulation) bagCases(p *sim.Platform) ([]*bagCase, error) {
	texts, err := listed(*s.workload)
	if err != nil {
		return nil, cli.Usagef("-workload: %v", err)
	}
	policies, err := s.policies()
	if err != nil {
		return nil, cli.Usagef("-policy: %v", err)
	}
	master := 0
	if s.bags.master != "" {
		if master = slices.IndexFunc(p.Hosts, func(h sim.Host) bool { return h.Name == s.bags.master }); master < 0 {
			return nil, cli.Usagef("-master %s: %s has no host of that name", s.bags.master, *s.platform)
		}
	}
	mappings := *s.mapping
	if len(mappings) == 0 || slices.Equal(mappings, []string{"file"}) {
		mappings = []string{"contiguous"}
	}
	if n := len(texts) * len(mappings) * len(policies); n > mostCases {
		return nil, cli.Usagef("-workload, -mapping and -policy make %d cases; expected at most %d", n, mostCases)
	}
	var all []*bagCase
	for _, text := range texts {
		b, err := sim.ParseBag(text)
		if err != nil {
			return nil, cli.Usagef("%v", err)
		}
		for _, mapping := range mappings {
			where, err := b.Place(p, master, mapping)
			if err != nil {
				return nil, cli.Usagef("-workload %s: %v", text, err)
			}
			for _, policy := range policies {
				all = append(all, &bagCase{workload: text, mapping: mapping, policy: policy.String(), config: &sim.BagConfig{
					Platform: p, Bag: b, Policy: policy, Master: master, Where: where, Parallel: *s.bags.sends == "parallel", Managers: s.bags.managers,
				}})
			}
		}
	}
	return all, nil
}

// policies returns the policies of -policy.
func (s *simulation) policies() ([]bag.Spec, error) {
	if *s.bags.policy == "all" {
		return bag.All(), nil
	}
	texts, err := listed(*s.bags.policy)
	if err != nil {
		return nil, err
	}
	var all []bag.Spec
	for _, text := range texts {
		spec, err := bag.Parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, spec)
	}
	return all, nil
}

// aboutBag returns a record's description of a case: it includes the command that simulates
// it alone.
func (s *simulation) aboutBag(c *bagCase) record.About {
	args := []string{"simulate", "-platform", *s.platform, "-workload", c.workload, "-policy", c.policy, "-mapping", c.mapping, "-sends", *s.bags.sends}
	if s.bags.managers {
		args = append(args, "-managers")
	}
	if s.bags.master != "" {
		args = append(args, "-master", s.bags.master)
	}
	return record.About{
		Title: c.workload, Program: "migbsp", Args: args, Platform: *s.platform, Strategy: c.policy, Started: time.Now().UTC().Truncate(time.Second),
	}
}

// writeBags prints the results.
func (s *simulation) writeBags(streams cli.Streams, p *sim.Platform, cases []*bagCase, results []*sim.BagResult) error {
	var lines []bagLine
	for i, c := range cases {
		lines = append(lines, bagLineOf(p, c, results[i]))
	}
	w := streams.Out
	switch *s.format {
	case "json":
		return writeLines(w, lines)
	case "csv":
		t := table{rows: [][]string{{"workload", "mapping", "policy", "time", "bound", "over", "chunks", "copies", "duplicate", "busy", "idle", "master", "messages", "bytes", "crossing_messages", "crossing_bytes"}}}
		for _, l := range lines {
			t.add(l.Workload, l.Mapping, l.Policy, exact(l.Time), exact(l.Bound), exact(l.Over), strconv.Itoa(l.Chunks), strconv.Itoa(l.Copies), strconv.Itoa(l.Duplicate),
				exact(l.Busy), exact(l.Idle), exact(l.Master), strconv.Itoa(l.Messages), exact(l.Bytes), strconv.Itoa(l.Crossing), exact(l.CrossingB))
		}
		return csv.NewWriter(w).WriteAll(t.rows)
	}
	what := "several bags"
	if !slices.ContainsFunc(cases, func(c *bagCase) bool { return c.workload != cases[0].workload }) {
		what = cases[0].workload
	}
	sends := "sends one chunk after the other"
	if *s.bags.sends == "parallel" {
		sends = "sends all chunks at once"
	}
	t := table{heads: []string{"policy", "time", "of bound", "chunks", "copies", "busy", "idle at end", "master busy", "messages", "between Sets"}, words: []int{0}}
	for _, l := range lines {
		t.add(
			l.Policy, fmt.Sprintf("%.4g s", l.Time), fmt.Sprintf("%.3f", l.Over), strconv.Itoa(l.Chunks), strconv.Itoa(l.Copies), fmt.Sprintf("%.1f%%", 100*l.Busy),
			seconds(l.Idle), fmt.Sprintf("%.1f%%", 100*l.Master/max(l.Time, 1e-300)), strconv.Itoa(l.Messages), strconv.Itoa(l.Crossing),
		)
	}
	t.distinguish("order", func(row int) string { return lines[row].Mapping })
	t.distinguish("workload", func(row int) string { return lines[row].Workload })
	said := fmt.Sprintf("SIMULATED: %s, %d workers, %d hosts in %d Sets; the master %s. Times are those of the platform.\n",
		what, len(cases[0].config.Where), len(p.Hosts), len(p.Sets), sends)
	said += text.Rows(t.heads, t.rows, t.words...)
	said += fmt.Sprintf(" bound     %.4g s, all workers computing from beginning to end\n", lines[0].Bound)
	if s.bags.workers {
		for i, c := range cases {
			t := record.Workers(c.config, results[i])
			said += fmt.Sprintf("%s, %s\n", c.workload, c.policy) + text.Rows(t.Header, t.Rows, t.Text...)
		}
	}
	return streams.Print(said)
}

// bagLineOf returns the line of a result.
func bagLineOf(p *sim.Platform, c *bagCase, r *sim.BagResult) bagLine {
	l := bagLine{
		Workload: c.workload, Mapping: c.mapping, Policy: c.policy, Time: r.Time, Bound: r.Bound, Over: r.Time / r.Bound,
		Chunks: r.Stats.Chunks, Copies: r.Stats.Copies, Duplicate: r.Stats.Duplicate, Master: r.MasterBusy,
		Messages: r.Messages, Bytes: r.Bytes, Crossing: r.Crossing.Messages, CrossingB: r.Crossing.Bytes,
	}
	n := float64(len(r.Workers))
	for _, w := range r.Workers {
		l.Busy += w.Busy / n / max(r.Time, 1e-300)
		l.Idle += w.Idle / n
		l.Workers = append(l.Workers, bagWorkerLine{p.Hosts[w.Host].Name, w.Chunks, w.Tasks, w.Busy, w.Idle})
	}
	return l
}
