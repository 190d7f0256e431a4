// Arena compares all strategies of rescheduling on simulated platforms of several families, under
// loads that change in many ways. Cases are drawn at random from seeds: strategies may be tuned
// on the seeds from 1 on, and results are reported for seeds from 1001 on. A second generator,
// independent of the first, draws a load and a platform from each seed.
//
//	go run ./bench/arena
//	go run ./bench/arena -tuning -seeds 1 -only wander
//	go run ./bench/arena -loads second -seeds 5001-5200 -tries 0 -balance 'auto;percent'
//
// Ablation runs use the seeds for tuning and the platforms in examples:
//
//	go run ./bench/arena -ablation       one ingredient less at a time
//	go run ./bench/arena -parameters     half and double of each constant: twenty minutes of one core
//
// Comparison of seeds for tuning with fresh seeds, whose numbers follow from the commit:
//
//	go run ./bench/arena -unseen -seeds 1
//
// Search by an adversary for runs in which auto loses:
//
//	go run ./bench/arena -adversary 1m
//	go run ./bench/arena -duel 'hub/equal/none/17/0,4,0.1,3,1e+08,0'       one of them again, call by call
//
// Other simulations have names of their own: experiments of MigBSP's papers, bags of tasks,
// calls of more and more processes, and workloads compared with SimGrid:
//
//	go run ./bench/arena papers
//	go run ./bench/arena bags
//	go run ./bench/arena scale
//	go run ./bench/arena simgrid
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/arena/bags"
	"github.com/migbsp/migbsp/bench/arena/papers"
	"github.com/migbsp/migbsp/bench/arena/scale"
	"github.com/migbsp/migbsp/bench/arena/simgrid"
	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// settings holds the parsed command line.
type settings struct {
	loads    generator
	seeds    chosenSeeds
	tuning   bool
	only, on string
	each     bool
	tries    int
	plot     string
	fresh    bool
	ablation bool
	params   bool
	constant string
	search   time.Duration
	duel     *duel
	balance  []string
	specs    []rebalancer.Spec
}

func main() { program.Main() }

var program = frame.Program{
	Name: "arena", Flags: define, From: []string{"bench/arena/*.go", "./bench/arena/second", "./rebalancer", "./sim"},
	Others: []frame.Program{papers.Program, bags.Program, scale.Program, simgrid.Program},
	About:  "Tries all strategies of rescheduling on loads that change in many ways, on platforms of several families, simulated.",
}

// ours is the strategy that the others are compared with.
const ours = "auto"

// reported is the first of the seeds for reported results, and tuned the first of the seeds on
// which strategies may be tuned.
const reported, tuned = 1001, 1

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	names := frame.Each(rebalancer.Definitions(), func(d rebalancer.Definition) string { return d.Name })
	balance := flags.String("balance", strings.Join(names, ";"), "`specs` to compare, as for a program's -balance, with ; between them")
	flags.Var(&s.seeds, "seeds", "`number` of seeds, or FROM-TO for these seeds: each draws a case of each kind on each platform, or with -loads second one case (default 2, with -parameters 1, with -loads second 200)")
	loads := flags.String("loads", generators[0].name, "`generator` of loads and platforms: first or second")
	flags.BoolVar(&s.tuning, "tuning", false, fmt.Sprintf("take the seeds from %d on, which strategies may be tuned on, instead of those from %d on", tuned, reported))
	flags.StringVar(&s.only, "only", "", "only kinds of loads whose `name` contains this")
	flags.StringVar(&s.on, "on", "", "only families of platforms whose `name` contains this; with -ablation or -parameters, also only such examples")
	flags.BoolVar(&s.each, "each", false, "print a line for each case")
	flags.IntVar(&s.tries, "tries", 300, "changes to look at for the best mapping that stays, in each case; with 0 it is not searched for, nor is the best host")
	flags.StringVar(&s.plot, "plot", "", "write a picture of the distributions into this `file`")
	flags.BoolVar(&s.fresh, "unseen", false, "instead, compare seeds for tuning, held-out seeds, and fresh seeds of both generators, drawn from the commit; with -page always done too")
	flags.BoolVar(&s.ablation, "ablation", false, "instead, run auto with one ingredient less at a time, on seeds for tuning and on the platforms in examples")
	flags.BoolVar(&s.params, "parameters", false, fmt.Sprintf("instead, run auto with half and double of each constant, on the same, by default only -on %s", few))
	flags.DurationVar(&s.search, "adversary", 0, "instead, search for runs in which auto loses, for this `duration`")
	flags.Func("duel", "instead, run one that -adversary has found, given as its `text`, and print its calls", func(text string) error {
		d, err := parseDuel(text)
		s.duel = &d
		return err
	})
	flags.StringVar(&s.constant, "constant", "", "with -ablation or -parameters, only ingredients or constants whose `name` contains this")
	return func() (frame.Work, error) {
		var err error
		if s.loads, err = generatorOf(*loads); err != nil {
			return nil, err
		}
		s.seeds.number = cmp.Or(s.seeds.number, s.loads.seeds)
		if s.params {
			s.on = cmp.Or(s.on, few)
			if !frame.Given(flags, "seeds") {
				s.seeds.number = 1
			}
		}
		apart := s.ablation || s.params
		switch {
		case apart && (s.second() || s.seeds.fixed()):
			return nil, errors.New("-ablation -parameters: expected neither -loads second nor -seeds FROM-TO, only seeds for tuning")
		case s.fresh && (s.second() || s.seeds.fixed() || s.tuning):
			return nil, errors.New("-unseen: expected neither -loads second nor -tuning nor -seeds FROM-TO")
		case s.fresh && apart:
			return nil, errors.New("-unseen -ablation -parameters: expected one of them")
		case s.tuning && s.seeds.fixed():
			return nil, errors.New("-tuning -seeds FROM-TO: expected one of them")
		case s.ablation && s.params:
			return nil, errors.New("-ablation -parameters: expected one of them")
		case s.search < 0:
			return nil, fmt.Errorf("-adversary %v: expected a time to search for", s.search)
		case s.search > 0 && s.duel != nil:
			return nil, errors.New("-adversary -duel: expected one of them")
		case s.constant != "" && !apart:
			return nil, errors.New("-constant: expected with -ablation or -parameters")
		case s.tries < 0:
			return nil, fmt.Errorf("-tries %d: expected a number from 0 on", s.tries)
		case len(s.drawn()) == 0 && (!apart || len(s.drawnOnExamples()) == 0):
			return nil, fmt.Errorf("-only %s -on %s: no kind of load and platform has that in its name", s.only, s.on)
		}
		if err := parseAll(s, strings.Split(*balance, ";")...); err != nil {
			return nil, fmt.Errorf("-balance: %w", err)
		}
		switch {
		case apart:
			return s.apart, nil
		case s.fresh:
			return s.unseen, nil
		case s.duel != nil:
			return s.again, nil
		case s.search > 0:
			return s.adversary, nil
		}
		return s.run, nil
	}
}

// parseAll sets the strategies that are compared.
func parseAll(s *settings, specs ...string) error {
	for _, text := range specs {
		spec, err := rebalancer.Parse(strings.TrimSpace(text))
		if err != nil {
			return err
		}
		s.balance, s.specs = append(s.balance, spec.String()), append(s.specs, spec)
	}
	return nil
}

// drawn is the cases that are run.
func (s *settings) drawn() []ticket { return s.loads.cases(s.span(), s.only, s.on) }

// outcome is the result of a strategy in a case.
type outcome struct {
	saved    float64 // part of the time without moves
	deciding float64 // part of it
	moving   float64 // part of it
	calls    int
	moves    int
}

// contest is a case with its results. The load is dropped: many contests would fill the memory.
type contest struct {
	entry        *entry
	procs, hosts int
	off          float64 // seconds without moves
	outcomes     []outcome
	static       float64 // part of off that the best mapping that stays saves; 0 if not searched for
	host         float64 // and all processes on one host, the best for that; likewise
	possible     float64 // upper bound of the saving
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	all, err := s.contests(ctx, session)
	if err != nil {
		return err
	}
	if err := s.report(session, all); err != nil || s.second() || !session.Wants(unseenPart) {
		return err
	}
	return s.unseen(ctx, session)
}

// contests runs all cases that are drawn, several at once.
func (s *settings) contests(ctx context.Context, session *frame.Session) ([]*contest, error) {
	drawn := s.drawn()
	all := make([]*contest, len(drawn))
	begins := func(i int) {
		if i%20 == 0 {
			session.Progress("case %d of %d", i+1, len(drawn))
		}
	}
	return all, frame.AtOnce(ctx, len(drawn), begins, func(ctx context.Context, i int) (err error) {
		all[i], err = s.contest(ctx, drawn[i])
		return err
	})
}

// contest runs a case without moves, with all strategies and with the best mapping that
// stays.
func (s *settings) contest(ctx context.Context, drawn ticket) (*contest, error) {
	e, err := drawn()
	if err != nil {
		return nil, err
	}
	c := &contest{entry: e, procs: len(e.config.Where), hosts: len(e.config.Platform.Hosts)}
	off, err := sim.Run(ctx, &e.config, sim.Report{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name(), err)
	}
	c.off = off.Time
	for _, spec := range s.specs {
		config := e.config
		config.Balance = spec
		r, err := sim.Run(ctx, &config, sim.Report{})
		if err != nil {
			return nil, fmt.Errorf("%s with %s: %w", e.name(), spec, err)
		}
		c.outcomes = append(c.outcomes, outcome{
			saved: 1 - r.Time/c.off, deciding: r.Deciding / c.off, moving: r.Moving / c.off, calls: r.Calls, moves: r.Moves,
		})
	}
	bound, err := sim.Bound(e.config.Platform, e.config.Workload, e.config.Barrier, 0)
	if err == nil && s.tries > 0 {
		err = s.stay(ctx, c)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name(), err)
	}
	c.possible = 1 - bound/c.off
	e.config = sim.Config{}
	return c, nil
}

// stay computes the saving of the best mapping without moves, and the best host for all processes.
func (s *settings) stay(ctx context.Context, c *contest) error {
	config := &c.entry.config
	_, static, err := sim.BestStatic(ctx, config, [][]int32{config.Where}, s.tries)
	_, host, errHost := sim.BestHost(ctx, config)
	c.static, c.host = 1-min(static, host)/c.off, 1-host/c.off
	return cmp.Or(err, errHost)
}

// of returns the index of a strategy among those that run, -1 if it does not run.
func (s *settings) of(spec string) int { return slices.Index(s.balance, spec) }
