// Strategies puts the strategies of rescheduling side by side: each program of
// the tree runs with each of them on each example platform, emulated.
//
//	go run ./bench/strategies
//	go run ./bench/strategies -balance 'off;auto' -hosts examples/two-sets.hosts -only lu
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	balance   []string
	hosts     []string
	workloads []emulated.Workload
}

func main() { program.Main() }

var program = frame.Program{
	Name: "strategies", Rounds: 3, RunDir: true, Flags: define, Uses: append(emulated.Programs(workloads), "examples/*.hosts"),
	About: "Runs the programs of the tree with each strategy of rescheduling on each platform, emulated, in turns.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	var s settings
	var platforms emulated.Platforms
	balance := flags.String("balance", "off;percent;migcube;mighull;auto", "`specs` to compare, as for a program's -balance, with ; between them")
	platforms.Flag(flags, "")
	only := flags.String("only", "", "only workloads whose `name` contains this")
	return func() (_ frame.Work, err error) {
		for spec := range strings.SplitSeq(*balance, ";") {
			s.balance = append(s.balance, strings.TrimSpace(spec))
		}
		for _, w := range workloads {
			if strings.Contains(w.Name, *only) {
				s.workloads = append(s.workloads, w)
			}
		}
		if len(s.workloads) == 0 {
			return nil, fmt.Errorf("-only %s: no workload has that in its name", *only)
		}
		if s.hosts, err = platforms.Files(); err == nil && len(s.hosts) == 0 {
			err = errors.New("-hosts: expected files of platforms")
		}
		return s.run, err
	}
}

// run measures all workloads on all platforms and prints a table for each pair.
func (s *settings) run(ctx context.Context, session *frame.Session) error {
	if err := session.Build(ctx, emulated.Programs(s.workloads)...); err != nil {
		return err
	}
	var all []score
	overview := overviewOf(s.balance)
	for _, w := range s.workloads {
		for _, hosts := range s.hosts {
			scores, err := s.compare(ctx, session, w, hosts)
			if err != nil {
				return err
			}
			all = append(all, scores...)
			session.Table(tableOf(w, hosts, scores))
			overview.Add(rowOf(w, hosts, scores)...)
		}
	}
	session.Table(overview)
	session.Table(summary(s.balance, all))
	return nil
}

// compare runs a workload on a platform with all strategies in turns.
func (s *settings) compare(ctx context.Context, session *frame.Session, w emulated.Workload, hosts string) ([]score, error) {
	session.Progress("%s on %s", w.Name, emulated.Short(hosts))
	outcomes := make([][]emulated.Outcome, len(s.balance))
	for range session.Rounds {
		for i, spec := range s.balance {
			o, err := emulated.Launch(ctx, session, w, hosts, spec)
			if err != nil {
				return nil, fmt.Errorf("%s on %s with -balance %s: %w", w.Name, hosts, spec, err)
			}
			if first := slices.Concat(outcomes...); len(first) > 0 && first[0].Checksum != o.Checksum {
				return nil, fmt.Errorf("%s on %s with -balance %s: checksum %s, without moves %s", w.Name, hosts, spec, o.Checksum, first[0].Checksum)
			}
			outcomes[i] = append(outcomes[i], o)
		}
	}
	scores := make([]score, len(s.balance))
	for i, spec := range s.balance {
		scores[i] = scoreOf(session, fmt.Sprintf("%s on %s, %s", w.Name, emulated.Short(hosts), spec), spec, outcomes[i])
	}
	return scores, nil
}
