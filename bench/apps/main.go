// Apps measures the programs of the tree: how fast they are, how much faster than with
// one process, beside references on one core, and what rescheduling saves on each
// example platform.
//
//	go run ./bench/apps
//	go run ./bench/apps -only fft -rounds 5 -hosts ''
//	go run ./bench/apps -speed=false -markdown
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	programs []program
	speed    bool
	hosts    []string
	rounds   int
	markdown bool
	pictures string
}

func main() { measurement.Main() }

var measurement = frame.Program{Name: "apps", Flags: define}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	hosts := flags.String("hosts", "examples/*.hosts", "`files` of platforms, a pattern or several with commas between; none if empty")
	only := flags.String("only", "", "only this `program`")
	flags.BoolVar(&s.speed, "speed", true, "measure how fast the programs are, beside references")
	flags.IntVar(&s.rounds, "rounds", 3, "`runs` of each, in turns; the median counts")
	flags.StringVar(&s.pictures, "pictures", "", "write pictures of how busy ranks are on "+shownOn+" into this `directory`, and do nothing else")
	flags.BoolVar(&s.markdown, "markdown", false, "print the tables as Markdown")
	return func() (frame.Work, error) {
		if s.rounds < 1 {
			return nil, fmt.Errorf("-rounds %d: at least one is needed", s.rounds)
		}
		if at, err := os.Stat(s.pictures); s.pictures != "" && (err != nil || !at.IsDir()) {
			return nil, fmt.Errorf("-pictures %s: there is no such directory", s.pictures)
		}
		var err error
		if s.programs, err = chosen(*only); err == nil && *hosts != "" {
			s.hosts, err = emulated.Platforms(*hosts)
		}
		return s.run, err
	}
}

func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "apps")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var workloads []emulated.Workload
	for _, p := range s.programs {
		workloads = append(workloads, p.many)
	}
	if err := emulated.Build(ctx, dir, workloads, stderr); err != nil {
		return err
	}
	if s.pictures != "" {
		return s.paintAll(ctx, root, dir, stdout, stderr)
	}
	if s.speed {
		if err := s.speeds(ctx, root, dir, s.programs, stdout, stderr); err != nil {
			return err
		}
	}
	if len(s.hosts) == 0 {
		return nil
	}
	return s.gains(ctx, dir, workloads, stdout, stderr)
}
