// Stale lists the measured parts of pages whose code has changed since they were measured.
//
//	go run ./bench/stale
//	go run ./bench/stale -write     # says so on top of these parts, and no more on the others
//	go run ./bench/stale -strict    # for a release: code 1 if there is one
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/pages"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `Usage: stale [flags]

Lists the measured parts of docs/ whose code has changed since they were measured: that of
the packages that a part's comment names, with all that they import of this module, and the
data beside them. Where the history does not reach back, that is said, and nothing listed.

`

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("stale", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	write := flags.Bool("write", false, "say on top of each part in its page whether the code has changed")
	strict := flags.Bool("strict", false, "fail if a part is stale, if that cannot be known, or if its page says otherwise")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "stale: %v\nSee stale -help.\n", err)
		return 2
	}
	root, err := frame.Root(ctx)
	if err == nil {
		err = list(ctx, root, *write, *strict, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "stale: %v\n", err)
		return 1
	}
	return 0
}

// list prints a line for each stale part, and one that sums up.
func list(ctx context.Context, root string, write, strict bool, w io.Writer) error {
	history, err := pages.OpenHistory(ctx, root)
	if errors.Is(err, pages.ErrNoHistory) && !strict {
		fmt.Fprintf(w, "SKIPPED: %v\n", err)
		return nil
	} else if err != nil {
		return err
	}
	parts, stale, wrong := 0, 0, 0
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		page, err := pages.Read(name)
		if err != nil {
			return err
		}
		was := page.String()
		for _, part := range page.Parts {
			changed, err := history.Changed(ctx, &part.Origin)
			switch {
			case errors.Is(err, pages.ErrNoHistory) && !strict:
				fmt.Fprintf(w, "SKIPPED: %s: %v\n", part.Name, err)
				continue
			case errors.Is(err, pages.ErrNoHistory), ctx.Err() != nil:
				return fmt.Errorf("%s: %w", part.Name, err)
			case err != nil:
				changed = []string{err.Error()}
			}
			parts++
			rel, _ := filepath.Rel(root, name)
			if len(changed) > 0 {
				stale++
				fmt.Fprintf(w, "%s: %s, measured at %s (%s): %s\n", filepath.ToSlash(rel), part.Name, part.Commit, part.Date, some(changed))
			}
			if part.Stale != (len(changed) > 0) {
				wrong++
				part.Stale = len(changed) > 0
			}
		}
		if !write || page.String() == was {
			return nil
		}
		return page.Write()
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d of %d parts are older than their code\n", stale, parts)
	switch {
	case strict && stale > 0:
		return errors.New("measure them anew, each with the command on top of it")
	case wrong > 0 && write:
		fmt.Fprintf(w, "%d parts say so now, or no more\n", wrong)
	case wrong > 0 && strict:
		return fmt.Errorf("%d parts are said to be stale and are not: -write mends that", wrong)
	case wrong > 0:
		fmt.Fprintf(w, "%d of the pages' parts say otherwise: go run ./bench/stale -write\n", wrong)
	}
	return nil
}

// some are the first few of what has changed.
func some(changed []string) string {
	const most = 3
	if len(changed) <= most {
		return strings.Join(changed, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(changed[:most], ", "), len(changed)-most)
}
