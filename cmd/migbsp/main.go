// Migbsp is the command-line tool for machines, hosts and runs.
//
//	migbsp run lu     starts a program, in this process or on ranks of MPI
//	migbsp doctor     checks this machine, with remedies
//	migbsp report RUN explains a recorded run and its moves
//	migbsp help       all commands
//
// docs/reference/tool.md has them with their output.
package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

func main() { newTool().Main() }

// newTool returns the table of all commands. Help, completion and manual pages are
// made from it.
func newTool() *cli.Tool {
	build := ledger.ThisBuild()
	return cli.New(cli.Tool{
		Name:    "migbsp",
		Summary: "runs BSP programs that migrate, and looks at machines, hosts and runs",
		About: `Programs written with migbsp run by themselves; this tool starts them wherever
they are installed, under the launcher of their MPI if need be, and is for what is
before and after a run: is the machine fit for it, what does it give, who are the
hosts; what has the run done, and why.

Each command explains itself with -help. Commands that print tables print JSON
with -format json, one value per call.`,
		Version: build.Version,
		Explain: explain,
		Date:    madeAt(build),
		Commands: []cli.Command{
			doctorCommand,
			newProbeCommand(),
			reportCommand,
			runsCommand,
			profilesCommand,
			topCommand,
			drainCommand,
			replayCommand,
			simulateCommand,
			traceCommand,
			benchCommand,
			hostsCommand,
			newCommand,
			runCommand,
			sbatchCommand,
			versionCommand,
		},
	})
}

// explain returns the text of a manual page of a program. The pages of programs that migbsp
// run starts have the tool's name before theirs, as man migbsp lu looks for them: other
// programs named sort have pages too.
func explain(ctx context.Context, path string) (cli.Program, error) {
	d, help := launch.Explain(ctx, path)
	if help == "" {
		return cli.Program{}, fmt.Errorf("%s does not say with -help what it is", path)
	}
	page := d.Name
	if launch.Look(ctx, path).Ours {
		page = "migbsp-" + page
	}
	return cli.Program{Page: page, Summary: d.Does, Help: help}, nil
}

// madeAt returns the day of the last change of the program's source, or now if it is not known.
func madeAt(build ledger.Build) time.Time {
	at, err := time.Parse(time.RFC3339, build.Time)
	if err != nil {
		return time.Now()
	}
	return at
}

var versionCommand = cli.Command{
	Name:    "version",
	Summary: "prints the version, and what this tool was built with",
	About: `Prints the version, the version of Go and the platform, the commit if Go knew it
when it built the tool, and the MPI library if it was built with -tags mpi.`,
	Setup: func(*flag.FlagSet) cli.Action {
		return func(_ context.Context, streams cli.Streams, _ []string) error {
			return streams.Print(versionText(ledger.ThisBuild(), mpi.Library()))
		}
	},
}

func versionText(build ledger.Build, library string) string {
	text := fmt.Sprintf("migbsp %s\n%s %s/%s\n", build.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if commit := build.String(); commit != "" {
		text += commit + "\n"
	}
	if library == "" {
		return text + "without MPI\n"
	}
	return text + "MPI: " + library + "\n"
}
