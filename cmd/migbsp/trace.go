package main

import (
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/trace"
)

var traceCommand = cli.Command{
	Name:    "trace",
	Summary: "makes a trace for Perfetto of a run's record",
	About: `Turns the record that a program has written with -run-dir into a trace in Chrome's
format, which https://ui.perfetto.dev and chrome://tracing show. RUN is the run's
directory or the record itself, also compressed with gzip; the run may still be going
on.

Each rank has three rows: what it computed, when it waited or communicated, and
rescheduling. A move is an arrow from the old rank to the new one. Supersteps that
the record has added up are one event. The trace is written to RUN/trace.json.gz,
or to -o, whole or not at all.`,
	Args: []cli.Arg{{Name: "RUN", Values: cli.Values{Files: true, Directories: true}}},
	Examples: []cli.Example{
		{Line: "migbsp trace runs/4711", Does: "writes runs/4711/trace.json.gz"},
		{Line: "migbsp trace runs/4711 -from 2000 -to 2400 -o part.json.gz", Does: "a part of a long run"},
		{Line: "migbsp trace runs/4711 -plain -o - | jq '.traceEvents | length'", Does: "for a program"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		t := &tracing{}
		t.output = cli.Path(flags, "o", "write to `file`; - is the standard output", cli.File)
		t.plain = flags.Bool("plain", false, "do not compress the trace")
		t.from = flags.Int("from", 0, "begin with `superstep`")
		t.to = flags.Int("to", 0, "end with `superstep`")
		return t.run
	},
}

// tracing has the flags of migbsp trace.
type tracing struct {
	output   *string
	plain    *bool
	from, to *int
}

func (t *tracing) run(ctx context.Context, streams cli.Streams, args []string) error {
	if err := t.check(streams); err != nil {
		return err
	}
	record, err := ledger.Locate(args[0])
	if err != nil {
		return err
	}
	var made trace.Made
	write := func(w io.Writer) (err error) {
		made, err = t.write(ctx, w, record)
		return err
	}
	usual := filepath.Join(filepath.Dir(record), "trace.json")
	if !*t.plain {
		usual += ".gz"
	}
	file, err := output(streams.Out, *t.output, usual, write)
	if made.Cut != "" {
		fmt.Fprintf(streams.Err, "migbsp trace: note: %s\n", ledger.Printable(made.Cut))
	}
	for _, problem := range made.Problems {
		fmt.Fprintf(streams.Err, "migbsp trace: problem: %s\n", ledger.Printable(problem))
	}
	if err != nil || file == "" {
		return err
	}
	_, err = fmt.Fprintf(streams.Out, "%s\n%d supersteps and %d moves on %d ranks: %d events%s\n",
		file, made.Steps, made.Moves, len(made.Run.Ranks), made.Events, clockNote(made.Run))
	return err
}

// check refuses flags that have no meaning.
func (t *tracing) check(streams cli.Streams) error {
	switch {
	case *t.from < 0 || *t.to < 0:
		return cli.Usagef("-from and -to are supersteps, which count from 1")
	case *t.to > 0 && *t.to < *t.from:
		return cli.Usagef("-to %d is before -from %d", *t.to, *t.from)
	case *t.output == "-" && !*t.plain && lookOf(streams.Out).Width > 0:
		return cli.Usagef("a packed trace is not for the terminal; give -plain or -o FILE")
	}
	return nil
}

// write makes the trace until ctx ends.
func (t *tracing) write(ctx context.Context, w io.Writer, record string) (trace.Made, error) {
	r, err := ledger.Open(record)
	if err != nil {
		return trace.Made{}, err
	}
	defer r.Close()
	w = whileGoing{ctx, w}
	options := trace.Options{From: *t.from, To: *t.to, Machine: trace.Machine(record)}
	if *t.plain {
		return trace.Write(w, record, r, options)
	}
	z := gzip.NewWriter(w)
	made, err := trace.Write(z, record, r, options)
	return made, errors.Join(err, z.Close())
}

// whileGoing fails once its context has ended.
type whileGoing struct {
	ctx context.Context
	w   io.Writer
}

func (w whileGoing) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}

// clockNote returns a note if the times are not the machine's.
func clockNote(run *ledger.Run) string {
	if run.Clock() == "" {
		return ""
	}
	return fmt.Sprintf(" (%s on %s)", run.Clock(), ledger.Printable(filepath.Base(run.Platform)))
}
