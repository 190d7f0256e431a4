package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/internal/settings"
)

// grace is the time that a command has to end after a signal.
const grace = time.Second

// Main runs the tool with the arguments of the process and ends the process. An
// interrupt or a request to terminate ends the context of the command; the
// exit code is then 128 + the signal's number. Command.Signals is an exception.
func (t *Tool) Main() {
	if len(os.Args) > 1 {
		if c, known := t.command(os.Args[1]); known && c.Signals {
			os.Exit(t.Run(context.Background(), Streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
		}
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() {
		done <- t.Run(ctx, Streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
	}()
	select {
	case code := <-done:
		os.Exit(code)
	case s := <-signals:
		cancel()
		select {
		case <-done:
		case <-signals:
		case <-time.After(grace):
		}
		number, _ := s.(syscall.Signal)
		os.Exit(exitSignal + int(number))
	}
}

// Run carries out the arguments and returns the exit code. Help goes to streams.Out, errors
// go in one line to streams.Err.
func (t *Tool) Run(ctx context.Context, streams Streams, args []string) int {
	if len(args) == 0 {
		return t.report(streams, "", t.writeSummary(streams.Out))
	}
	switch name := args[0]; name {
	case "-h", "-help", "--help":
		return t.report(streams, "", t.writeSummary(streams.Out))
	case "-version", "--version":
		return t.Run(ctx, streams, append([]string{"version"}, args[1:]...))
	default:
		c, known := t.command(name)
		if !known {
			return t.report(streams, "", t.unknown(name))
		}
		return t.join(ctx, c, streams, args[1:])
	}
}

// join calls a command in this process, which may be one of several.
func (t *Tool) join(ctx context.Context, c *Command, streams Streams, args []string) int {
	common := streams // for texts that are the same in all processes
	if c.Join != nil {
		peer, err := c.Join()
		if err != nil {
			return t.report(streams, c.Name, err)
		}
		defer peer.Leave()
		if !peer.Speaks {
			common.Out, common.Err = io.Discard, io.Discard
		}
	}
	return t.report(common, c.Name, t.call(ctx, c, streams, common, args))
}

// call reads the arguments of a command and runs it. Help goes to common.
func (t *Tool) call(ctx context.Context, c *Command, streams, common Streams, args []string) error {
	set := newFlagSet(c.Name)
	action := c.Setup(set)
	rest, err := parse(set, args, c.takesRest())
	switch {
	case errors.Is(err, flag.ErrHelp):
		return t.writeHelp(common.Out, c)
	case err != nil:
		return Usagef("%v", settings.Unknown(set, err))
	}
	if err := c.checkArgs(rest); err != nil {
		return err
	}
	return action(ctx, streams, rest)
}

// parse reads flags, which may also follow other arguments unless these are for
// another program, up to "--".
func parse(set *flag.FlagSet, args []string, foreign bool) (rest []string, err error) {
	for {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		left := set.Args()
		read := args[:len(args)-len(left)]
		if len(left) == 0 || foreign || len(read) > 0 && read[len(read)-1] == "--" {
			return append(rest, left...), nil
		}
		rest = append(rest, left[0])
		args = left[1:]
	}
}

// checkArgs compares the number of arguments with Command.Args.
func (c *Command) checkArgs(args []string) error {
	if len(args) > len(c.Args) && !c.takesRest() {
		return Usagef("argument %q is one too many", args[len(c.Args)])
	}
	if len(args) < len(c.Args) && !c.Args[len(args)].Optional {
		a := c.Args[len(args)]
		if len(a.Values.Words) > 0 {
			return Usagef("%s is missing: one of %s", a.Name, strings.Join(a.Values.Words, ", "))
		}
		return Usagef("%s is missing", a.Name)
	}
	return nil
}

// report prints an error, if it is one, and returns the exit code.
func (t *Tool) report(streams Streams, command string, err error) int {
	var code Exit
	var usage usageError
	where := strings.TrimSpace(t.Name + " " + command)
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, context.Canceled): // by a signal, whose number Main returns
		return ExitFailed
	}
	// A file with several mistakes has a line for each.
	text := where + ": " + strings.ReplaceAll(settings.Plain(err), "\n", "\n"+where+": ")
	if errors.As(err, &usage) {
		fmt.Fprintf(streams.Err, "%s (see %s -help)\n", text, where)
		return ExitUsage
	}
	fmt.Fprintln(streams.Err, text)
	return ExitFailed
}

// unknown returns the error for an unknown command.
func (t *Tool) unknown(name string) error {
	if strings.HasPrefix(name, "-") {
		return Usagef("%s before a command; flags stand behind it", name)
	}
	return Usagef("there is no command %q%s", name, settings.DidYouMean(name, "", t.names(true)))
}

// New is the tool with three more commands that explain it: help, completion
// and, hidden, man.
func New(tool Tool) *Tool {
	t := &tool
	t.Commands = append(slices.Clip(t.Commands), Command{Name: "help"}, t.completion(), t.man())
	t.Commands[len(t.Commands)-3] = t.help() // which names all others
	return t
}
