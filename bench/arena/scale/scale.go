// Package scale measures the growth of rescheduling calls with processes, hosts and Sets: their
// decision time on this machine, and their predicted duration on a platform.
//
//	go run ./bench/arena scale
//	go run ./bench/arena scale -max 1000000 -balance auto -rounds 1
//
// Processes have uneven work and exchange messages with their neighbours in a ring; ten are on each
// host, and hosts have four speeds. Measured times are CPU times of one manager with the reports of all
// ranks; simulated times are the duration of a call on the platform, where each Set is a
// cluster of 1 Gb/s links behind a line of 10 Gb/s.
package scale

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
)

// settings holds the parsed command line.
type settings struct {
	least, most int // processes
	sets        []string
	balance     []rebalancer.Spec
}

// Program is the one of the package.
var Program = frame.Program{
	Name: "arena scale", Rounds: 3, Flags: define, From: []string{"bench/arena/scale", "./rebalancer", "./sim"},
	About: "Makes rescheduling calls for more and more processes: how long they take to decide here,\n" +
		"in processor time, and what they would take on a platform, simulated.",
}

// groupings are how many Sets there may be for so many hosts, by name.
var groupings = []string{"one", "cube", "square"}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	flags.IntVar(&s.least, "min", 100, "`processes` to begin with")
	flags.IntVar(&s.most, "max", 100_000, "`processes` up to which to go, ten times as many each time")
	balance := flags.String("balance", "percent;auto", "`strategies`, as for a program's -balance, with ; between them")
	sets := flags.String("sets", strings.Join(groupings, ","), "`numbers` of Sets, with commas between them: one, the cube root of the hosts, or their square root")
	return func() (frame.Work, error) { return s.work(*sets, *balance) }
}

// work checks the settings.
func (s *settings) work(sets, balance string) (frame.Work, error) {
	s.sets = strings.Split(sets, ",")
	for _, name := range s.sets {
		if !slices.Contains(groupings, name) {
			return nil, fmt.Errorf("-sets: there is no %q; there are %s", name, strings.Join(groupings, ", "))
		}
	}
	for text := range strings.SplitSeq(balance, ";") {
		spec, err := rebalancer.Parse(strings.TrimSpace(text))
		if err == nil && spec.Off() {
			err = errors.New("off decides nothing")
		}
		if err != nil {
			return nil, fmt.Errorf("-balance: %w", err)
		}
		s.balance = append(s.balance, spec)
	}
	if s.least < 10 || s.most < s.least {
		return nil, fmt.Errorf("-min %d -max %d: expected 10 processes at least, and no more to begin with than to end with", s.least, s.most)
	}
	return s.run, nil
}
