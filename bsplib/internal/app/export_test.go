package app

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
)

// Configured is the state of a rank before it starts a program.
type Configured struct {
	Code     int
	Ready    bool
	Settings []settings.Value
	Procs    int
	Plan     Plan
}

// Configure runs Main's configuration on one rank with its flags, command line and environment.
// Without a Comm the run has only this rank.
func Configure(comm mpi.Comm, flags *flag.FlagSet, args, environ []string) Configured {
	conf := newConfiguration(new(Program), &messages{name: "program", lead: comm == nil || comm.Rank() == 0})
	conf.plan.Comm = comm
	code, ready := conf.configure(flags, args, environ)
	return Configured{code, ready, conf.values, conf.flags.procs, *conf.plan}
}

// Start is Main without MPI and without the end of the Go program: from the command line to the exit
// code.
func Start(program *Program, runner Runner, args ...string) int {
	return newApplication(program, runner, "program").start(flag.NewFlagSet("program", flag.ContinueOnError), args, nil)
}

// Printed returns the output of f on a standard stream.
func Printed(t *testing.T, stream **os.File, f func()) string {
	t.Helper()
	file := must.Get(os.Create(filepath.Join(t.TempDir(), "printed")))(t)
	before := *stream
	*stream = file
	defer func() { *stream = before; file.Close() }()
	f()
	return string(must.Get(os.ReadFile(file.Name()))(t))
}
