package app

import (
	"flag"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/mpi"
)

// Configured is what a rank knows before it starts a program.
type Configured struct {
	Code     int
	Ready    bool
	Settings []settings.Value
	Procs    int
	Plan     Plan
}

// Configure is what Main does on one rank with its flags, command line and
// environment. Without a Comm the rank is all there is.
func Configure(comm mpi.Comm, flags *flag.FlagSet, args, environ []string) Configured {
	app := &application{Program: new(Program), name: "program", lead: true}
	if comm != nil {
		app.plan.Comm, app.lead = comm, comm.Rank() == 0
	}
	code, ready := app.configure(flags, args, environ)
	return Configured{code, ready, app.values, app.flags.procs, app.plan}
}

// Start is Main without MPI, but for the end of the Go program: from the command
// line to the exit code.
func Start(program *Program, runner Runner, args ...string) int {
	app := &application{Program: program, runner: runner, name: "program", lead: true}
	return app.start(flag.NewFlagSet("program", flag.ContinueOnError), args, nil)
}
