// Package programs measures the programs of the tree: how fast they are, how much faster than with
// one process, beside references on one core, and what rescheduling saves on each
// example platform.
//
//	go run ./bench/compare programs
//	go run ./bench/compare programs -only fft -rounds 5 -hosts ''
//	go run ./bench/compare programs -speed=false -markdown
package programs

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	programs []program
	speed    bool
	hosts    []string
	pictures string
}

// Program is the one of the package.
var Program = frame.Program{
	Name: "compare programs", Rounds: 3, RunDir: true, Flags: define, Uses: []string{"./apps/...", "bench/c/plain", "bench/c/fft*", "bench/c/openblas.h", "examples/*.hosts"},
	About: "Measures how fast the programs of the tree are, beside references on one core, and\n" +
		"what rescheduling saves on each platform, emulated.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	var s settings
	var platforms emulated.Platforms
	platforms.Flag(flags, "; none if empty")
	only := flags.String("only", "", "only this `program`")
	flags.BoolVar(&s.speed, "speed", true, "measure how fast the programs are, beside references")
	flags.StringVar(&s.pictures, "pictures", "", "write pictures of how busy ranks are on "+shownOn+" into this `directory`, and do nothing else")
	return func() (_ frame.Work, err error) {
		if at, err := os.Stat(s.pictures); s.pictures != "" && (err != nil || !at.IsDir()) {
			return nil, fmt.Errorf("-pictures %s: there is no such directory", s.pictures)
		}
		if s.programs, err = chosen(*only); err == nil {
			s.hosts, err = platforms.Files()
		}
		return s.run, err
	}
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	root, err := frame.Root(ctx)
	if err != nil {
		return err
	}
	workloads := frame.Each(s.programs, func(p program) emulated.Workload { return p.many })
	if err := session.Build(ctx, emulated.Programs(workloads)...); err != nil {
		return err
	}
	if s.pictures != "" {
		return s.paintAll(ctx, session, root)
	}
	if s.speed {
		if err := speeds(ctx, session, root, s.programs); err != nil {
			return err
		}
	}
	if len(s.hosts) == 0 {
		return nil
	}
	return gains(ctx, session, s.hosts, workloads)
}
