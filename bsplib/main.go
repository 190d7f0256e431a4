package bsplib

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// Exit codes of programs.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2
	exitSignal = 128 // + the signal's number
)

// ErrNotVerified is what a program returns on all processes when its result
// did not pass its check and it has said so itself.
var ErrNotVerified = errors.New("the result is not verified")

// Main is the main function of a program: it reads its settings, starts
// the ranks (those of mpirun or srun if it was started by them, else
// goroutines), runs the program on all processes, prints the balance table on
// rank 0 and exits.
//
// The program may define flags of its own with package flag before it calls
// Main. Main ends the Go program with ExitOK, ExitFailed, ExitUsage, or 128+n
// after signal n; a failure is reported once, not by each rank.
func Main[S any](program func(*Proc, *S) error, options ...Option) {
	os.Exit(mainBody(programOf(program), options))
}

// application is a program on its way through Main.
type application struct {
	name  string
	about string
	check func(procs int) error
	need  func(procs int) int64

	request   Request // for a checkpoint
	flags     flagValues
	own       []string // names of the program's own flags
	values    []settings.Value
	hostsText string // of -hosts

	config Config
	comms  []mpi.Comm // this process's ranks
	lead   bool       // rank 0 is one of them

	began    time.Time
	book     ledger.Book
	recorder atomic.Pointer[ledger.Recorder] // nil unless the run is recorded
	result   Result                          // what the program has reported
	ended    atomic.Pointer[ledger.End]      // how the program has ended, once it has
}

func mainBody(program *program, options []Option) int {
	app := &application{name: filepath.Base(os.Args[0]), lead: true, began: time.Now()}
	for _, option := range options {
		option(app)
	}
	defer watchRequests(&app.request)()
	comm, err := mpi.Open(probe.CoresOf(probe.Root()).Quota)
	if err != nil {
		return app.refuse(ExitFailed, err)
	}
	if comm != nil {
		app.config.Comm = comm
		app.lead = comm.Rank() == 0
		defer comm.Close()
	}
	if err := hostfile.ComponentsStarted(os.Getenv, app.size()); err != nil {
		return app.refuse(ExitUsage, err)
	}
	if code, ready := app.configure(flag.CommandLine, os.Args[1:], os.Environ()); !ready {
		return code
	}
	if err := app.prepare(); errors.Is(err, errSaid) {
		return ExitUsage
	} else if err != nil {
		return app.refuse(ExitUsage, err)
	}
	stop := app.watchSignals()
	defer stop()
	return app.run(program)
}

// size is the number of ranks of an MPI run, 0 without MPI.
func (app *application) size() int {
	if app.config.Comm == nil {
		return 0
	}
	return app.config.Comm.Size()
}

// checkMoves finds out whether processes can move at all. If not, a run that
// would move them goes on without, and says so; one that was asked to does not.
func (app *application) checkMoves(program *program, cfg *Config) int {
	_, err := program.plan()
	if err == nil {
		return ExitOK
	}
	if cfg.Shake {
		return app.refuse(ExitFailed, fmt.Errorf("-shake: %w", err))
	}
	if !cfg.Balance.Off() {
		fmt.Fprintf(app.stderr(), "%s: processes stay where they are: %v\n", app.name, err)
	}
	cfg.Balance = nil
	return ExitOK
}

// start runs the program on this process's ranks. A rank that fails alone is reported
// at once and ends the whole program: other ranks may be far from a barrier.
func (app *application) start(cfg Config, program *program) *Error {
	var first sync.Once
	return runOn(app.comms, cfg, program, func(e *Error) {
		first.Do(func() { os.Exit(app.reportFailure(e)) })
	})
}

func (app *application) stdout() io.Writer { return app.onLead(os.Stdout) }
func (app *application) stderr() io.Writer { return app.onLead(os.Stderr) }

func (app *application) onLead(w io.Writer) io.Writer {
	if app.lead {
		return w
	}
	return io.Discard
}

// refuse reports what keeps the program from starting; all ranks find the same.
func (app *application) refuse(code int, err error) int {
	fmt.Fprintf(app.stderr(), "%s: %v\n", app.name, err)
	return code
}

// reportFailure prints what ended the run. Unless all ranks know it, it then
// ends those of other processes.
func (app *application) reportFailure(e *Error) int {
	if errors.Is(e, mpi.ErrAborted) {
		return ExitFailed
	}
	app.breakRecord(ExitFailed, e.Error())
	if app.lead || !e.known {
		fmt.Fprintf(os.Stderr, "%s: %v\n", app.name, e)
		if e.Stack != "" {
			fmt.Fprintf(os.Stderr, "stack of process %d:\n%s", e.Pid, e.Stack)
		}
	}
	if !e.known && app.config.Comm != nil {
		app.config.Comm.Abort(ExitFailed)
	}
	return ExitFailed
}
