package bsplib

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// usageError prints help on request, or what is wrong with the command line.
func (app *application) usageError(flags *flag.FlagSet, err error) int {
	if errors.Is(err, errBalanceHelp) {
		rebalancer.Help(app.stdout())
		return ExitOK
	}
	if errors.Is(err, flag.ErrHelp) {
		app.printHelp(app.stdout(), flags)
		return ExitOK
	}
	fmt.Fprintf(app.stderr(), "%s: %v\nSee %s -help.\n", app.name, err, app.name)
	return ExitUsage
}

// helpOnSettings says how to set flags without writing them each time.
const helpOnSettings = `
The flags that all programs have can also be set by variables, -run-dir by
MIGBSP_RUN_DIR. All can be set by files, of which the first wins that sets a flag:
migbsp.toml here, ~/.config/migbsp/config.toml, /etc/migbsp/config.toml; or by the
one that -config or MIGBSP_CONFIG names.

  balance = "off"      # for all programs
  %-20s # for this one, its own flags as well
  procs = 16

The command line comes before the environment, that before files; under MPI only
rank 0's count. -print-config shows what is set, and by whom.
`

func (app *application) printHelp(w io.Writer, flags *flag.FlagSet) {
	if app.about != "" {
		fmt.Fprintf(w, "%s\n\n", app.about)
	}
	fmt.Fprintf(w, "Usage: %s [flags]        or: mpirun -np N %s [flags]\n\n", app.name, app.name)
	flags.SetOutput(w)
	flags.PrintDefaults()
	fmt.Fprintf(w, helpOnSettings, "["+app.name+"]")
}

func (app *application) printVersion(w io.Writer) {
	build := ledger.ThisBuild()
	fmt.Fprintf(w, "%s (migbsp) %s\n", app.name, build.Version)
	if lib := mpi.Library(); lib != "" {
		fmt.Fprintf(w, "MPI: %s\n", lib)
	}
	fmt.Fprintf(w, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if commit := build.String(); commit != "" {
		fmt.Fprintln(w, commit)
	}
}
