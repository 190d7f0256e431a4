// Apps measures the programs of the tree: how fast they are, how much faster than with
// one process, and what rescheduling saves on each example platform.
//
//	go run ./bench/apps
//	go run ./bench/apps -only fft -rounds 5
package main

import (
	"context"
	"errors"
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
	only   string
	hosts  []string
	rounds int
}

// program is one of the tree in two shapes: for speed, and with many processes for
// rescheduling on emulated platforms.
type program struct {
	fast string
	many emulated.Workload
}

var programs = []program{
	{"-n 2000", emulated.Of("lu", "./apps/lu", "-n 1200 -procs 48 -block 32")},
	{"-n 6000", emulated.Of("sw", "./apps/sw", "-n 6000 -procs 48")},
	{"-n 800x400 -steps 200", emulated.Of("lbm", "./apps/lbm", "-n 480x192 -steps 200 -procs 48 -obstacle hills")},
	{"-n 2^21", emulated.Of("fft", "./apps/fft", "-n 2^18 -procs 16 -iterations 30")},
	{"-size 512", emulated.Of("fractal", "./apps/fractal", "-size 512 -procs 48")},
	{"-n 4000000", emulated.Of("sort", "./apps/sort", "-n 1000000 -procs 48")},
	{"-n 1000000 -iterations 50", emulated.Of("spmv", "./apps/spmv", "-n 250000 -procs 48 -iterations 100")},
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
	flags.StringVar(&s.only, "only", "", "only this `program`")
	flags.IntVar(&s.rounds, "rounds", 3, "`runs` of each, in turns; the median counts")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	case s.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: at least one is needed", s.rounds)
	case *hosts == "":
		return s, s.known()
	}
	var err error
	s.hosts, err = emulated.Platforms(*hosts)
	return s, errors.Join(err, s.known())
}

// known tells whether there is a program to measure.
func (s *settings) known() error {
	var names []string
	for _, p := range programs {
		if s.only == "" || s.only == p.many.Name {
			return nil
		}
		names = append(names, p.many.Name)
	}
	return fmt.Errorf("-only %s: expected %s", s.only, strings.Join(names, ", "))
}

func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) error {
	var chosen []program
	var workloads []emulated.Workload
	for _, p := range programs {
		if s.only == "" || s.only == p.many.Name {
			chosen, workloads = append(chosen, p), append(workloads, p.many)
		}
	}
	dir, err := os.MkdirTemp("", "apps")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := emulated.Build(ctx, dir, workloads, stderr); err != nil {
		return err
	}
	if err := s.speeds(ctx, dir, chosen, stdout, stderr); err != nil {
		return err
	}
	if len(s.hosts) == 0 {
		return nil
	}
	return s.gains(ctx, dir, workloads, stdout, stderr)
}
