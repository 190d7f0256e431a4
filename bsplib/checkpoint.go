package bsplib

import (
	"errors"
	"io"
	"path"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
)

// ErrCheckpointed ends a run that was asked for a checkpoint, once that is on
// disk.
var ErrCheckpointed = errors.New("the run has been checkpointed")

// Checkpoint says where and when the processes of a run are written to disk,
// and from where the run goes on. All ranks are given the same.
//
// A checkpoint is taken at the end of a stage, of all processes at the same. It
// is complete or absent: what stops the writing leaves the one before as it
// was, and a checkpoint that cannot be written does not end the run.
//
// A run that goes on from a checkpoint gives the same result, bit for bit, on
// any number of ranks and on any engine. It needs the same program with the
// same number of processes and the same Parameters.
//
// BSP cost: of a checkpoint three barriers and the bytes of the states to disk;
// of none nothing.
type Checkpoint struct {
	// Dir is the directory that holds the run's checkpoints; "" writes none.
	Dir string
	// Every is the time, and EveryStages the number of stages, after which a
	// checkpoint is written at the end of a stage; 0 leaves it to Request.
	Every       time.Duration
	EveryStages int
	// Restart is the checkpoint to go on from, or a directory of them, of which
	// the newest is taken; "" begins anew. Config.Procs may then be 0.
	Restart string
	// Request asks for a checkpoint from outside.
	Request *Request
	// Tell receives a line about each thing that does not go as asked, on rank 0.
	Tell io.Writer
	// Parameters are what the computation depends on besides the program.
	Parameters []Parameter

	caller *checkpoint.Caller // of Run, or whom Main speaks for
	from   *resumption        // what Restart has led to
}

// Parameter is a setting of a program by name and value.
type Parameter = checkpoint.Parameter

// Request asks a run for a checkpoint, after which the run ends with
// ErrCheckpointed. If it cannot be written the run goes on. Any goroutine may
// use a Request, on any rank; one rank's is enough.
type Request struct{ count atomic.Int64 }

// Ask asks. A second Ask before the checkpoint is written changes nothing.
func (q *Request) Ask() { q.count.Add(1) }

// caller is who calls Run, as far as the Go program knows by itself: it is named
// by its main package.
func caller() *checkpoint.Caller {
	c := &checkpoint.Caller{
		Program: "program", Job: app.Job(), Procs: "Config.Procs", Parameter: "parameter ",
		NoDirectory: "a checkpoint has been requested, but Checkpoint.Dir names no directory for it",
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		c.Program = path.Base(info.Path)
	}
	return c
}
