// Cluster measures what rescheduling is worth on real MPI: on an emulated
// cluster of clusters, where hosts are slower than others or become so, links are
// throttled, and others compute.
//
//	go run ./bench/cluster
//	go run ./bench/cluster -only throttled -rounds 1
//
// It needs root, Linux and Open MPI: see docs/testbed.md. All scenarios of an
// experiment run in turns, several times; medians count.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	only   string
	rounds int
	csv    string
}

func main() { os.Exit(mainBody(os.Args[1:], os.Stdout, os.Stderr)) }

func mainBody(args []string, stdout, stderr io.Writer) int {
	return frame.Run("cluster", args, stdout, stderr, func(args []string, stderr io.Writer) (frame.Work, error) {
		s, err := parse(args, stderr)
		if err != nil {
			return nil, err
		}
		return s.run, nil
	})
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.only, "only", "", "only experiments whose `name` contains this")
	flags.IntVar(&s.rounds, "rounds", 3, "`runs` of each scenario, in turns; the median counts")
	flags.StringVar(&s.csv, "csv", "", "write what each run took to this `file`")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	case s.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: at least one is needed", s.rounds)
	case len(s.chosen()) == 0:
		return nil, fmt.Errorf("-only %s: no experiment has that in its name; there are %s", s.only, strings.Join(names(), "; "))
	}
	return s, nil
}

// chosen are the experiments that are wanted.
func (s *settings) chosen() []experiment {
	var chosen []experiment
	for _, e := range experiments {
		if strings.Contains(e.name, s.only) {
			chosen = append(chosen, e)
		}
	}
	return chosen
}

func names() []string {
	var all []string
	for _, e := range experiments {
		all = append(all, e.name)
	}
	return all
}
