package main

import (
	"context"
	"fmt"
	"os"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
	"github.com/migbsp/migbsp/sim/record"
)

// placedLoad is a workload with its processes on hosts.
type placedLoad struct {
	workload, mapping string
	load              sim.Workload
	where             []int32
}

// simulatedCase is a scenario with a strategy for a workload.
type simulatedCase struct {
	*placedLoad
	scenario, balance string
	spec              rebalancer.Spec
	dir               string // of its record, "" if none is asked for
}

func (c *simulatedCase) String() string {
	text := fmt.Sprintf("workload %s, mapping %s, scenario %s", c.workload, c.mapping, c.scenario)
	if c.scenario != "i" && c.balance != "" {
		text += " with " + c.balance
	}
	return text
}

// place reads the workloads and finds the initial hosts of their processes.
func (s *simulation) place(p *sim.Platform) ([]*placedLoad, error) {
	texts := []string{*s.workload}
	if _, err := os.Stat(*s.workload); err != nil {
		if texts, err = listed(*s.workload); err != nil {
			return nil, cli.Usagef("-workload: %v", err)
		}
	}
	mappings := *s.mapping
	if len(mappings) == 0 {
		mappings = []string{"file"}
	}
	var all []*placedLoad
	for _, text := range texts {
		load, names, err := s.readWorkload(text, p)
		if err == nil && *s.mapFile != "" {
			names, err = s.readMapping(p, text, load)
		}
		if err != nil {
			return nil, err
		}
		for _, how := range mappings {
			l := &placedLoad{workload: text, mapping: how, load: load}
			if how == "file" {
				if l.where, err = p.Named(names); err != nil {
					return nil, err
				}
				l.mapping = "contiguous"
			}
			if l.where == nil {
				if l.where, err = p.Place(load.Processes(), l.mapping); err != nil {
					return nil, err
				}
			} else {
				l.mapping = "file"
			}
			all = append(all, l)
		}
	}
	return all, nil
}

// readWorkload reads a workload, and the initial hosts that it gives its processes, if it
// does.
func (s *simulation) readWorkload(text string, p *sim.Platform) (sim.Workload, []string, error) {
	if record.Is(text) {
		return s.readRecord(text, p)
	}
	if _, err := os.Stat(text); err != nil {
		load, err := sim.ParseWorkload(text)
		if err != nil {
			err = cli.Usagef("%v", err)
		}
		return load, nil, err
	}
	t, err := sim.ReadCSV(text, p)
	if err != nil {
		return nil, nil, err
	}
	return t, t.Where, nil
}

// readMapping reads where a workload's processes are at first.
func (s *simulation) readMapping(p *sim.Platform, text string, load sim.Workload) ([]string, error) {
	t, err := sim.ReadCSV(*s.mapFile, p)
	if err != nil {
		return nil, err
	}
	if t.Processes() != load.Processes() {
		return nil, fmt.Errorf("%s: %d processes; workload %s has %d", *s.mapFile, t.Processes(), text, load.Processes())
	}
	return t.Where, nil
}

// cases returns all scenarios of all workloads with all strategies, grouped by workload.
func (s *simulation) cases(loads []*placedLoad) ([]*simulatedCase, error) {
	strategies, err := listed(*s.balance)
	if err != nil {
		return nil, cli.Usagef("-balance: %v", err)
	}
	scenarios := []string{*s.scenario}
	if *s.scenario == "all" {
		scenarios = []string{"i", "ii", "iii"}
	}
	each := make([]simulatedCase, 0, 1+2*len(strategies))
	add := func(scenario, balance, spec string) error {
		parsed, err := rebalancer.Parse(spec)
		each = append(each, simulatedCase{scenario: scenario, balance: balance, spec: parsed})
		return err
	}
	if scenarios[0] == "i" {
		err = add("i", "off", "off")
		scenarios = scenarios[1:]
	}
	for _, balance := range strategies {
		for _, scenario := range scenarios {
			spec := balance
			switch {
			case balance == "off" && *s.scenario == "all":
				continue // it is scenario i
			case balance == "off" && scenario == "ii":
				return nil, cli.Usagef("-scenario ii is what deciding costs, and with -balance off nothing is decided; expected a strategy")
			case scenario == "ii":
				spec += ",moves=0"
			}
			if err := add(scenario, balance, spec); err != nil {
				return nil, cli.Usagef("-balance: %v", err)
			}
		}
	}
	if s.possible > 0 {
		each = append(each, simulatedCase{scenario: staticScenario}, simulatedCase{scenario: boundScenario})
	}
	if len(loads)*len(each) > mostCases {
		return nil, cli.Usagef("-workload, -mapping and -balance make %d cases; expected at most %d", len(loads)*len(each), mostCases)
	}
	var all []*simulatedCase
	for _, load := range loads {
		for _, c := range each {
			c.placedLoad = load
			all = append(all, &c)
		}
	}
	return all, err
}

// title returns the heading of a table.
func title(p *sim.Platform, loads []*placedLoad) string {
	what, size := fmt.Sprintf("%d workloads and mappings", len(loads)), ""
	if first := loads[0]; len(loads) == 1 {
		what = first.workload
		size = fmt.Sprintf("; %d processes, %d supersteps", first.load.Processes(), first.load.Steps())
	}
	return fmt.Sprintf("SIMULATED: %s on %d hosts in %d Sets%s. Times are those of the platform.\n", what, len(p.Hosts), len(p.Sets), size)
}

// Scenarios that show the possible gain.
const (
	staticScenario = "static" // the best mapping found, without rescheduling
	boundScenario  = "bound"  // a lower bound of the time
)

// possibleResult returns the result of such a scenario; done reports whether the case is
// one.
func (s *simulation) possibleResult(ctx context.Context, c *simulatedCase, config *sim.Config) (r *sim.Result, done bool, err error) {
	switch c.scenario {
	case staticScenario:
		r = new(sim.Result)
		r.Where, r.Time, err = sim.BestStatic(ctx, config, [][]int32{c.where}, s.possible)
		return r, true, err
	case boundScenario:
		r = new(sim.Result)
		r.Time, err = sim.Bound(config.Platform, config.Workload, config.Barrier, 0)
		return r, true, err
	}
	return nil, false, nil
}
