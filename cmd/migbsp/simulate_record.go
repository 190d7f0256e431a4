package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
	"github.com/migbsp/migbsp/sim/record"
)

// readRecord makes a workload of a recorded run. Its processes are on their recorded hosts,
// if the platform has all of these, else where a run would begin.
func (s *simulation) readRecord(path string, p *sim.Platform) (sim.Workload, []string, error) {
	r, err := record.Open(path, s.reference)
	if err != nil {
		return nil, nil, err
	}
	s.notes = append(s.notes, r.Warnings()...)
	names := r.Hosts()
	if _, err := p.Named(names); err != nil {
		if len(*s.mapping) == 0 || slices.Contains(*s.mapping, "file") {
			s.notes = append(s.notes, fmt.Sprintf("%s: %v; its processes begin where those of a run there would", path, err))
		}
		where, err := p.Place(r.Processes(), "blocks")
		if err != nil {
			return nil, nil, err
		}
		for pid, host := range where {
			names[pid] = p.Hosts[host].Name
		}
	}
	return r, names, nil
}

// recordDirs returns a directory for each case's record within the directory of -run-dir, by the
// case's name; a single case uses the directory itself. It returns nil if no records are requested.
//
// Errors: a record exists already.
func (s *simulation) recordDirs(names []string) (dirs []string, err error) {
	if *s.runDir == "" {
		return nil, nil
	}
	taken := make(map[string]bool)
	for _, name := range names {
		one := *s.runDir
		if len(names) > 1 {
			within := safe(name)
			for n := 2; taken[within]; n++ {
				within = safe(fmt.Sprintf("%s-%d", name, n))
			}
			taken[within] = true
			one = filepath.Join(one, within)
		}
		dirs = append(dirs, one)
		file := filepath.Join(one, ledger.RecordName)
		if _, err := os.Stat(file); err == nil {
			return nil, cli.Usagef("-run-dir: %s has the record of a run already; give another directory, or remove it", file)
		}
	}
	return dirs, nil
}

// namesOf names cases: scenario and strategy of each, preceded by its workload and mapping if these
// differ between cases.
func namesOf(cases []*simulatedCase) (names []string) {
	for _, c := range cases {
		parts := differing(c, cases, func(c *simulatedCase) []string { return []string{c.workload, c.mapping} })
		names = append(names, strings.Join(append(parts, c.scenario, c.balance), "-"))
	}
	return names
}

// differing returns the parts of a case in which it differs from others.
func differing[C any](c C, cases []C, of func(c C) []string) (parts []string) {
	for i, part := range of(c) {
		if slices.ContainsFunc(cases, func(other C) bool { return of(other)[i] != part }) {
			parts = append(parts, part)
		}
	}
	return parts
}

// safe returns a text as the name of a directory anywhere: letters, digits and a few signs,
// not too many.
func safe(name string) string {
	const most = 120
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.=+", r) {
			return r
		}
		return '_'
	}, name)
	return strings.TrimLeft(name[max(0, len(name)-most):], ".-_")
}

// recorded simulates a case, with a record if one is asked for.
func (s *simulation) recorded(ctx context.Context, c *simulatedCase, config *sim.Config) (*sim.Result, error) {
	if c.dir == "" {
		return sim.Run(ctx, config, sim.Report{})
	}
	r, err := record.Create(c.dir, s.about(c), config)
	if err != nil {
		return nil, fmt.Errorf("-run-dir: %w", err)
	}
	result, err := sim.Run(ctx, config, r.Report())
	return result, r.Close(result, err)
}

// about returns a record's description of a case: it includes the command that simulates it
// alone.
func (s *simulation) about(c *simulatedCase) record.About {
	args := []string{"simulate", "-platform", *s.platform, "-workload", c.workload, "-mapping", c.mapping, "-scenario", c.scenario}
	if c.mapping == "file" && *s.mapFile != "" {
		args = append(args, "-mapping-from", *s.mapFile)
	}
	strategy := c.balance
	switch c.scenario {
	case "ii":
		strategy += " (without moves)"
		fallthrough
	case "iii":
		args = append(args, "-balance", c.balance)
	}
	for _, f := range []struct {
		name         string
		value, usual float64
	}{{"-barrier-near", s.barrier.Near, 0}, {"-barrier-far", s.barrier.Far, 0}, {"-reference", s.reference, sim.Reference}} {
		if f.value != f.usual {
			args = append(args, f.name, exact(f.value))
		}
	}
	about := record.About{
		Title: c.workload, Program: "migbsp", Args: args, Platform: *s.platform, Strategy: strategy, Started: time.Now().UTC().Truncate(time.Second),
	}
	if r, ok := c.load.(*record.Replay); ok {
		about.Recorded, about.Size = r.Of()
	}
	return about
}

// tellRecords prints the directories of the records, if any.
func (s *simulation) tellRecords(streams cli.Streams, all []string) error {
	if *s.runDir == "" {
		return nil
	}
	w := streams.Out
	if *s.format != "table" {
		w = streams.Err
	}
	const most = 8
	dirs := slices.Clone(all[:min(most, len(all))])
	if len(all) == 1 {
		_, err := fmt.Fprintf(w, " record: %s (migbsp report %s)\n", filepath.Join(dirs[0], ledger.RecordName), dirs[0])
		return err
	}
	if more := len(all) - len(dirs); more > 0 {
		dirs = append(dirs, fmt.Sprintf("%d more", more))
	}
	_, err := fmt.Fprintf(w, " records: %s (migbsp report %s %s)\n", strings.Join(dirs, ", "), all[0], all[len(all)-1])
	return err
}
