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
