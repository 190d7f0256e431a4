package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

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
