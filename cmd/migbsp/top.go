package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger/tell/live"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

var topCommand = cli.Command{
	Name:    "top",
	Summary: "shows a run while it goes on",
	About: `Reads the record that a program writes with -run-dir as it grows, and shows how far
the run is, how well it is balanced, which Sets, ranks and call sites take
long, and what rescheduling calls have decided. RUN is the run's directory or
the record itself; top waits for it to appear. The run is not disturbed.

  e r s c       Sets, ranks, sites, rescheduling calls
  w             the last supersteps, or the whole run
  j k PgUp PgDn move in the table
  p ? q         pause, help, quit

Where there is no terminal to show it on, and with -once, the state is printed once
as text.`,
	Args: []cli.Arg{{Name: "RUN", Values: cli.Values{Files: true, Directories: true}}},
	Examples: []cli.Example{
		{Line: "migbsp top runs/4711", Does: "watches the run"},
		{Line: "migbsp top runs/4711 -once -table ranks", Does: "prints how it is now, with the work of each rank"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		t := &watching{}
		t.interval = flags.Duration("interval", time.Second, "look at the record each `duration`")
		t.once = flags.Bool("once", false, "print the state and end")
		t.table = cli.Choice(flags, "table", "what to show in detail at first", live.Tables...)
		t.color = cli.Choice(flags, "color", "use colours; auto: on a terminal", text.Colors...)
		return t.run
	},
}

// watching has the flags of migbsp top.
type watching struct {
	interval     *time.Duration
	once         *bool
	table, color *string
}

func (t *watching) run(ctx context.Context, streams cli.Streams, args []string) error {
	const least, most = 50 * time.Millisecond, time.Hour
	if *t.interval < least || *t.interval > most {
		return cli.Usagef("-interval %v is not from %v to %v", *t.interval, least, most)
	}
	o := live.Options{Path: args[0], Table: *t.table, Interval: *t.interval, Color: *t.color == "always", Unicode: live.Unicode()}
	in, isFile := streams.In.(*os.File)
	out, areFiles := streams.Out.(*os.File)
	if areFiles {
		o.Color = text.DisplayOf(out, *t.color).Color
	}
	if *t.once || !isFile || !areFiles || !live.Interactive(in, out) {
		return t.print(ctx, streams.Out, o)
	}
	var ended live.Ended
	err := live.Watch(ctx, in, out, o)
	if errors.As(err, &ended) {
		const signals = 128
		return cli.Exit(signals + int(ended.Signal))
	}
	return err
}

// print writes the state once.
func (t *watching) print(ctx context.Context, w io.Writer, o live.Options) error {
	const usual = 100
	width := lookOf(w).Width
	if width <= 0 {
		width = usual
	}
	lines, err := live.Once(ctx, o, width)
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return err
}
