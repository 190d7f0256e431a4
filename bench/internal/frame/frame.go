// Package frame is the frame of the programs that measure.
package frame

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Work is what a command line asks for. It ends soon after ctx does.
type Work func(ctx context.Context, stdout, stderr io.Writer) error

// Program is one whose arguments are flags.
type Program struct {
	Name string
	// Flags defines the flags, and returns what makes work of them when they are read.
	Flags func(flags *flag.FlagSet) func() (Work, error)
}

// Main runs the program with the arguments of the process, and ends this.
func (p Program) Main() { os.Exit(p.Run(os.Args[1:], os.Stdout, os.Stderr)) }

// Run runs the program, and returns its exit code.
func (p Program) Run(args []string, stdout, stderr io.Writer) int {
	return Run(p.Name, args, stdout, stderr, p.parse)
}

func (p Program) parse(args []string, stderr io.Writer) (Work, error) {
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	work := p.Flags(flags)
	switch err := flags.Parse(args); {
	case err != nil:
		return nil, err
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	}
	return work()
}

// Run does what a command line asks for, until an interrupt at most, and returns
// the exit code: 0, 1 after a failure, 2 if parse finds the command line wrong.
func Run(name string, args []string, stdout, stderr io.Writer, parse func(args []string, stderr io.Writer) (Work, error)) int {
	work, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\nSee %s -help.\n", name, err, name)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := work(ctx, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}
