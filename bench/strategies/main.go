// Strategies puts the strategies of rescheduling side by side: each program of
// the tree runs with each of them on each example platform, emulated.
//
//	go run ./bench/strategies
//	go run ./bench/strategies -balance off,auto -hosts examples/two-sets.hosts -only lu
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	balance []string
	hosts   []string
	only    string
	rounds  int
}

func main() { os.Exit(mainBody(os.Args[1:], os.Stdout, os.Stderr)) }

func mainBody(args []string, stdout, stderr io.Writer) int {
	return frame.Run("strategies", args, stdout, stderr, func(args []string, stderr io.Writer) (frame.Work, error) {
		s, err := parse(args, stderr)
		if err != nil {
			return nil, err
		}
		return s.run, nil
	})
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := flag.NewFlagSet("strategies", flag.ContinueOnError)
	flags.SetOutput(stderr)
	balance := flags.String("balance", "off;percent;migcube;mighull;auto", "`specs` to compare, as for a program's -balance, with ; between them")
	hosts := flags.String("hosts", "examples/*.hosts", "`files` of platforms, a pattern or several with commas between")
	flags.StringVar(&s.only, "only", "", "only workloads whose `name` contains this")
	flags.IntVar(&s.rounds, "rounds", 3, "`runs` of each, in turns; the median counts")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	case s.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: at least one is needed", s.rounds)
	}
	for spec := range strings.SplitSeq(*balance, ";") {
		s.balance = append(s.balance, strings.TrimSpace(spec))
	}
	var err error
	s.hosts, err = emulated.Platforms(*hosts)
	return s, err
}
