// Cluster measures what rescheduling is worth on real MPI: on an emulated
// cluster of clusters, where hosts are slower than others or become so, links are
// throttled, and others compute.
//
//	go run ./bench/cluster
//	go run ./bench/cluster -only throttled -rounds 1
//
// It needs root, Linux and Open MPI: see docs/guide/testbed.md. All scenarios of an
// experiment run in turns, several times; medians count.
package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are the values of the command line.
type settings struct {
	only string
	// strategy is the only one to compare with none, "" for all.
	strategy string
	// patience is how long the record of a run may stay as it is.
	patience time.Duration
}

func main() { program.Main() }

var program = frame.Program{
	Name: "cluster", Rounds: 3, RunDir: true, Flags: define, Command: "sudo go run ./bench/cluster", MPI: true,
	Uses: []string{"./bench/load", "./apps/lu", "./apps/fft", "./cmd/testbed", "examples/*.testbed"},
	About: "Measures what rescheduling is worth on real MPI, on an emulated cluster of clusters.\n" +
		"It needs root, Linux and Open MPI: see docs/guide/testbed.md.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	flags.StringVar(&s.only, "only", "", "only experiments whose `name` contains this")
	flags.StringVar(&s.strategy, "strategy", "", "only without rescheduling and with this `name` of a strategy, instead of all scenarios")
	flags.DurationVar(&s.patience, "patience", 2*time.Minute, "end a run whose record has nothing new for so `long`")
	return func() (frame.Work, error) {
		switch {
		case s.patience <= 0:
			return nil, fmt.Errorf("-patience %v: expected a time longer than 0", s.patience)
		case len(s.chosen()) == 0:
			return nil, fmt.Errorf("-only %s: no experiment has that in its name; there are %s", s.only, strings.Join(frame.Each(experiments, func(e experiment) string { return e.name }), "; "))
		}
		return s.run, choose(s.strategy)
	}
}

// choose leaves of the scenarios that without rescheduling and the one that moves something by
// a strategy, all if it is "".
func choose(strategy string) error {
	if strategy == "" {
		return nil
	}
	for _, one := range scenarios[moving:] {
		if one.balance == strategy {
			scenarios, moving = []scenario{scenarios[0], one}, 1
			return nil
		}
	}
	return fmt.Errorf("-strategy %s: there is no such scenario", strategy)
}

// chosen are the experiments that are wanted.
func (s *settings) chosen() []experiment {
	return slices.DeleteFunc(slices.Clone(experiments), func(e experiment) bool { return !strings.Contains(e.name, s.only) })
}
