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

func main() { os.Exit(mainBody(os.Args[1:], os.Stdout, os.Stderr)) }

func mainBody(args []string, stdout, stderr io.Writer) int {
	return frame.Run("apps", args, stdout, stderr, func(args []string, stderr io.Writer) (frame.Work, error) {
		s, err := parse(args, stderr)
		if err != nil {
			return nil, err
		}
		return s.run, nil
	})
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := flag.NewFlagSet("apps", flag.ContinueOnError)
	flags.SetOutput(stderr)
	hosts := flags.String("hosts", "examples/*.hosts", "`files` of platforms, a pattern or several with commas between; none if empty")
	only := flags.String("only", "", "only this `program`")
	flags.BoolVar(&s.speed, "speed", true, "measure how fast the programs are, beside references")
	flags.IntVar(&s.rounds, "rounds", 3, "`runs` of each, in turns; the median counts")
	flags.StringVar(&s.pictures, "pictures", "", "write pictures of how busy ranks are on "+shownOn+" into this `directory`, and do nothing else")
	flags.BoolVar(&s.markdown, "markdown", false, "print the tables as Markdown")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	case s.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: at least one is needed", s.rounds)
	}
	var err error
	if s.programs, err = chosen(*only); err == nil && *hosts != "" {
		s.hosts, err = emulated.Platforms(*hosts)
	}
	return s, err
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
