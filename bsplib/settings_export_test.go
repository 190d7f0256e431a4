package bsplib

import (
	"flag"
	"time"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/mpi"
)

// Configured is what a rank knows before it starts a program.
type Configured struct {
	Code     int
	Ready    bool
	Settings []settings.Value
	Config   Config
}

// Configure is what Main does on one rank with its flags, command line and
// environment. Without a Comm the rank is all there is.
func Configure(comm mpi.Comm, flags *flag.FlagSet, args, environ []string) Configured {
	app := &application{name: "program", lead: true, began: time.Now()}
	if comm != nil {
		app.config.Comm, app.lead = comm, comm.Rank() == 0
	}
	code, ready := app.configure(flags, args, environ)
	app.config.Procs = app.flags.procs
	return Configured{code, ready, app.settled(), app.config}
}
