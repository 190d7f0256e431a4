// Migbsp is the tool beside the programs: it looks at machines, hosts and runs.
//
//	migbsp run lu     starts a program, in this process or on ranks of MPI
//	migbsp doctor     what this machine has, and what to do about the rest
//	migbsp report RUN what a recorded run did, and why
//	migbsp help       all commands
//
// docs/reference/tool.md has them with their output.
package main

import (
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
)

func main() { newTool().Main() }

// newTool is the table of all commands. Help, completion and manual pages are
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
		Date:    madeAt(build),
		Commands: []cli.Command{
			doctorCommand,
			newProbeCommand(),
			reportCommand,
			runsCommand,
			topCommand,
			drainCommand,
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

// madeAt is the day on which the program's text was last changed, as far as that
// is known, else now.
func madeAt(build ledger.Build) time.Time {
	at, err := time.Parse(time.RFC3339, build.Time)
	if err != nil {
		return time.Now()
	}
	return at
}
