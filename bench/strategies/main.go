// Strategies puts the strategies of rescheduling side by side: each program of
// the tree runs with each of them on each example platform, emulated.
//
//	go run ./bench/strategies
//	go run ./bench/strategies -balance off,auto -hosts examples/two-sets.hosts -only lu
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
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
	s, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "strategies: %v\nSee strategies -help.\n", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.run(ctx, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "strategies: %v\n", err)
		return 1
	}
	return 0
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
	for pattern := range strings.SplitSeq(*hosts, ",") {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("-hosts %s: there is no such file here", pattern)
		}
		s.hosts = append(s.hosts, found...)
	}
	return s, nil
}
