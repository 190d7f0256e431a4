package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/migbsp/migbsp/cmd/migbsp/doctor"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

var doctorCommand = cli.Command{
	Name:    "doctor",
	Summary: "checks what this machine has, and says what to do about the rest",
	About: `Looks for all that migbsp can use and prints a list of what it has found: where
it is installed and whether that is complete and in nobody's way, what builds
programs (Go, a C compiler, MPI's compiler, OpenBLAS), what starts them (MPI's
launcher, a resource manager, who has started this tool), the hosts file, and
what the machine gives (cores, memory, clock, load, network). Each line is

  ok       as it should be
  note     works, but should be known
  missing  not there, or does not work

followed by what to do about it. Nothing but Go is needed to build programs and
run them on one machine, so that the exit code is 0 also when much is missing. It
is 1 if something is missing that -hosts or -need ask for.

To see what ranks of a launcher see, start it with that:  mpirun -n 1 migbsp doctor`,
	Examples: []cli.Example{
		{Line: "migbsp doctor", Does: "checks all"},
		{Line: "migbsp doctor -need mpi,mpicc", Does: "is it fit for MPI? exit code 1 if not"},
		{Line: "migbsp doctor -hosts my.hosts", Does: "checks the file too, and prints its Sets"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		format := formatFlag(flags)
		hosts := cli.Path(flags, "hosts", "`file` of hosts and Sets (default: what MIGBSP_HOSTS names)", cli.File)
		need := cli.Words(flags, "need", "checks that must not find anything missing", doctor.Names()...)
		ranks := flags.Int("ranks", 0, "`N` ranks are to run here: are there cores for them?")
		return func(ctx context.Context, streams cli.Streams, _ []string) error {
			if *ranks < 0 {
				return cli.Usagef("-ranks %d: the number cannot be negative", *ranks)
			}
			wants := doctor.Wants{Hosts: cmp.Or(*hosts, os.Getenv("MIGBSP_HOSTS")), Ranks: *ranks, Need: *need}
			findings, sound := doctor.Examine(doctor.Here(ctx), wants)
			err := printAs(streams, *format, struct {
				Sound    bool             `json:"sound"`
				Findings []doctor.Finding `json:"findings"`
			}{sound, findings}, func() string { return findingsText(findings, sound) })
			if err == nil && !sound {
				err = cli.Exit(cli.ExitFailed)
			}
			return cmp.Or(err, ctx.Err())
		}
	},
}

func findingsText(findings []doctor.Finding, sound bool) string {
	const width = 56
	var rows [][]string
	count := map[doctor.Level]int{}
	for _, f := range findings {
		count[f.Level]++
		lines := cli.Wrap(f.Found, width)
		if f.Do != "" {
			lines = append(lines, cli.Wrap("> "+f.Do, width)...)
		}
		head := []string{string(f.Level), f.Check}
		for _, line := range lines {
			rows = append(rows, append(head, line))
			head = []string{"", ""}
		}
	}
	needed := ""
	if !sound {
		needed = "; something that is needed is missing"
	}
	return text.Rows([]string{"level", "check", "found, and what to do"}, rows, 0, 1, 2) +
		fmt.Sprintf("\n %d ok, %d to note, %d missing%s.\n", count[doctor.OK], count[doctor.Note], count[doctor.Missing], needed)
}
