package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/ledger/tell/page"
)

// indexName is the page of a directory of runs.
const indexName = "index.html"

var runsCommand = cli.Command{
	Name:    "runs",
	Summary: "makes a page, or a list, of all runs in a directory",
	About: `Looks for the records of runs in DIR and all directories in it, and makes one HTML
file of them: how the efficiency of each program went on from run to run and from
commit to commit, what moves saved or lost, and a line on each run, with a link to its
own page if migbsp report has made that. The file needs no network.

  html   a page in DIR/index.html, or -o
  text   a line for each run, the oldest first: its directory and its verdict,
         as migbsp report -verdict prints it for a job's comment`,
	Args: []cli.Arg{{Name: "DIR", Values: cli.Directory}},
	Examples: []cli.Example{
		{Line: "migbsp runs runs", Does: "writes runs/index.html"},
		{Line: "migbsp runs runs -format text", Does: "a line for each run"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		l := new(lister)
		l.format = cli.Choice(flags, "format", "what to make", "html", "text")
		l.output = cli.Path(flags, "o", "write the page to `file`; - is the standard output", cli.File)
		return l.run
	},
}

// lister has the flags of migbsp runs.
type lister struct{ format, output *string }

func (l *lister) run(_ context.Context, streams cli.Streams, args []string) error {
	if *l.format == "text" && *l.output != "" {
		return cli.Usagef("-o is for -format html; -format text prints on the standard output")
	}
	runs, err := recordsIn(streams, args[0])
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return fmt.Errorf("%s: there is no record in this directory, nor in those in it; programs write one with -run-dir DIR", args[0])
	}
	if *l.format == "text" {
		for _, v := range runs {
			if _, err := fmt.Fprintf(streams.Out, "%s: %s\n", ledger.Printable(filepath.Dir(v.Record.Name)), v.Brief()); err != nil {
				return err
			}
		}
		return nil
	}
	file := cmp.Or(*l.output, filepath.Join(args[0], indexName))
	base := filepath.Dir(file)
	if file == "-" {
		base = args[0]
	}
	write := func(w io.Writer) error {
		return page.WriteIndex(w, base, runs, func(run string) bool {
			_, err := os.Stat(filepath.Join(run, reportName))
			return err == nil
		})
	}
	if file, err = output(streams.Out, *l.output, file, write); file == "" || err != nil {
		return err
	}
	_, err = fmt.Fprintf(streams.Out, "%s\n%s\n", file, ledger.Count(len(runs), "run"))
	return err
}

// recordsIn reads all records below a directory, the oldest run first. It reports records
// that cannot be read, and leaves them out.
func recordsIn(streams cli.Streams, dir string) ([]*tell.View, error) {
	var runs []*tell.View
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil && name == dir {
			return fmt.Errorf("%s: %w; expected a directory of runs", dir, settings.OfFile(dir, err))
		}
		if err != nil || d.IsDir() || d.Name() != ledger.RecordName && d.Name() != ledger.RecordName+".gz" {
			return nil
		}
		h, err := ledger.Read(name)
		if err != nil {
			fmt.Fprintf(streams.Err, "migbsp runs: left out: %s\n", ledger.Printable(err.Error()))
			return nil
		}
		runs = append(runs, tell.OfRecord(h))
		return nil
	})
	slices.SortStableFunc(runs, func(a, b *tell.View) int { return a.Account.Run().Started.Compare(b.Account.Run().Started) })
	return runs, err
}
