// Stale lists the measured parts of pages whose code has changed since they were measured,
// and measures them again.
//
//	go run ./bench/stale
//	go run ./bench/stale -measure   # runs the command of each such part, with nothing else on the machine
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
	"slices"
	"strings"
	"syscall"
	"time"

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
data beside them; comments are no code. Where the history does not reach back, that is said,
and nothing listed. With -measure the commands of these parts run, one after the other, and
write the pages; some need root, an MPI or libraries to compare with, and say so.

`

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("stale", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	measure := flags.Bool("measure", false, "run the command of each part that is listed, once, and say how long it took")
	only := flags.String("only", "", "with -measure, only commands that contain this `text`, also of parts that are not listed")
	write := flags.Bool("write", false, "say on top of each part in its page whether the code has changed")
	strict := flags.Bool("strict", false, "fail if a part is stale, if that cannot be known, or if its page says otherwise")
	err := flags.Parse(args)
	switch {
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	case *measure && (*write || *strict), *only != "" && !*measure:
		err = errors.New("-measure goes with -only at most, and -only with -measure")
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
	switch {
	case err != nil:
	case *measure:
		if os.Geteuid() == 0 { // as in containers: Open MPI asks root whether it is meant
			os.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
			os.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
		}
		err = measureAll(ctx, root, *only, stdout)
	default:
		_, err = list(ctx, root, *write, *strict, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "stale: %v\n", err)
		return 1
	}
	return 0
}

// list prints a line for each stale part, and one that sums up. It returns all parts whose
// state is known.
func list(ctx context.Context, root string, write, strict bool, w io.Writer) (all []*pages.Part, err error) {
	history, err := pages.OpenHistory(ctx, root)
	if errors.Is(err, pages.ErrNoHistory) && !strict {
		fmt.Fprintf(w, "SKIPPED: %v\n", err)
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	stale, wrong := 0, 0
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
			all = append(all, part)
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
		return nil, err
	}
	fmt.Fprintf(w, "%d of %d parts are older than their code\n", stale, len(all))
	switch {
	case strict && stale > 0:
		return all, errors.New("measure them anew: go run ./bench/stale -measure")
	case wrong > 0 && write:
		fmt.Fprintf(w, "%d parts say so now, or no more\n", wrong)
	case wrong > 0 && strict:
		return all, fmt.Errorf("%d parts are said to be stale and are not: -write mends that", wrong)
	case wrong > 0:
		fmt.Fprintf(w, "%d of the pages' parts say otherwise: go run ./bench/stale -write\n", wrong)
	}
	return all, nil
}

// measureAll runs the commands of the stale parts, each once and alone, in the order of the
// pages. A command that fails holds up no other.
func measureAll(ctx context.Context, root, only string, w io.Writer) error {
	parts, err := list(ctx, root, false, false, io.Discard)
	if err != nil {
		return err
	}
	var commands []string
	for _, part := range parts {
		wanted := part.Stale && only == "" || only != "" && strings.Contains(part.Command, only)
		if wanted && !slices.Contains(commands, part.Command) {
			commands = append(commands, part.Command)
		}
	}
	failed := 0
	for i, command := range commands {
		fmt.Fprintf(w, "%d of %d: %s\n", i+1, len(commands), command)
		if os.Geteuid() == 0 {
			command = strings.TrimPrefix(command, "sudo ")
		}
		began := time.Now()
		_, err := frame.Output(ctx, root, "sh", "-c", command)
		took := time.Since(began).Round(time.Second)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			failed++
			fmt.Fprintf(w, "FAILED after %v: %v\n", took, err)
		} else {
			fmt.Fprintf(w, "took %v\n", took)
		}
	}
	if _, err := list(ctx, root, true, false, w); err != nil || failed == 0 {
		return err
	}
	return fmt.Errorf("%d of %d commands failed", failed, len(commands))
}

// some returns the first few changed sources.
func some(changed []string) string {
	const most = 3
	if len(changed) <= most {
		return strings.Join(changed, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(changed[:most], ", "), len(changed)-most)
}
