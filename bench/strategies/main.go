// Strategies puts the strategies of rescheduling side by side: each program of
// the tree runs with each of them on each example platform, emulated.
//
//	go run ./bench/strategies
//	go run ./bench/strategies -balance off,auto -hosts examples/two-sets.hosts -only lu
package main

import (
	"flag"
	"fmt"
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

func main() { program.Main() }

var program = frame.Program{Name: "strategies", Flags: define}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	balance := flags.String("balance", "off;percent;migcube;mighull;auto", "`specs` to compare, as for a program's -balance, with ; between them")
	hosts := flags.String("hosts", "examples/*.hosts", "`files` of platforms, a pattern or several with commas between")
	flags.StringVar(&s.only, "only", "", "only workloads whose `name` contains this")
	flags.IntVar(&s.rounds, "rounds", 3, "`runs` of each, in turns; the median counts")
	return func() (frame.Work, error) {
		if s.rounds < 1 {
			return nil, fmt.Errorf("-rounds %d: at least one is needed", s.rounds)
		}
		for spec := range strings.SplitSeq(*balance, ";") {
			s.balance = append(s.balance, strings.TrimSpace(spec))
		}
		var err error
		s.hosts, err = emulated.Platforms(*hosts)
		return s.run, err
	}
}
