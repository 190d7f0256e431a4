//go:build linux

// Package control is how commands talk to the core of a testbed: over a socket,
// one request a connection, with open files in the replies.
package control

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// Variable is the environment variable with the name of an additional testbed, such as one of a test.
// Two testbeds may be up at once, but their speeds are then wrong.
const Variable = "TESTBED_NAME"

// Name is the name of the testbed and of its control groups.
var Name = name(os.Getenv(Variable))

func name(given string) string {
	const usual = "migbsp-testbed"
	if given == "" || strings.Trim(given, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return usual
	}
	return usual + "-" + given
}

// Dir has the testbed's files. Its hosts see it too.
var Dir = filepath.Join("/run", Name)

// Files of the testbed below Dir.
var (
	Spec        = filepath.Join(Dir, "spec")     // its description
	HostFile    = filepath.Join(Dir, "hosts")    // for programs and Open MPI
	MachineFile = filepath.Join(Dir, "machines") // for hydra
	Names       = filepath.Join(Dir, "names")    // /etc/hosts of the hosts
	NoServers   = filepath.Join(Dir, "servers")  // /etc/resolv.conf of the hosts
	Binary      = filepath.Join(Dir, "testbed")  // this program
	Agent       = filepath.Join(Dir, "agent")    // which starts a command on a host
	Log         = filepath.Join(Dir, "log")      // of the core and its processes
	SlurmDir    = filepath.Join(Dir, "slurm")    // of Slurm, if it runs
	socket      = filepath.Join(Dir, "socket")
)

// Local is a directory that each host has for itself, for temporary files.
const Local = "/var/tmp"

// Mark is the variable in the environment of all processes of a job.
const Mark = "TESTBED_JOB"

// Requests to the core.
const (
	Enter    = "enter"     // files of Host: namespace of processes, its others, doors of control groups
	Job      = "job"       // the number of a job, which ends with the connection
	SetSpeed = "set-speed" // of Host to Speed
	SetRate  = "set-rate"  // of Line to Rate
	Hog      = "hog"       // that wants Speed of Host, none if that is 0
	Crash    = "crash"     // of all processes of Host
	EndSlurm = "end-slurm" // of all processes of Slurm and its jobs
	Status   = "status"    // of everything
)

// Request is a command's request to the core.
type Request struct {
	Do      string
	Host    string     `json:",omitempty"`
	Line    string     `json:",omitempty"`
	Speed   spec.Speed `json:",omitempty"`
	Rate    spec.Rate  `json:",omitempty"`
	Command []string   `json:",omitempty"` // of a job
}

// Reply is the core's reply.
type Reply struct {
	Error  string `json:",omitempty"`
	Job    int    `json:",omitempty"`
	Status *State `json:",omitempty"`
}

// State is the state of the testbed.
type State struct {
	HostFile string // path of the file of hosts
	Hosts    []Host
	Lines    []Line
	Jobs     []Started
	Since    time.Time
}

// Host is one of a testbed that is up.
type Host struct {
	Name, Cluster string
	Address       string
	Processor     int
	Slots         int
	Speed         spec.Speed // as asked for
	Received      spec.Speed // while it had something to do, since the speed was set; 0 if it had not
	Used          time.Duration
	Throttled     float64 // part of the periods with something to do
	Hog           spec.Speed
	Processes     int
	Up            bool
}

// Line is a host's line or a link, with its rate.
type Line struct {
	Name    string
	Rate    spec.Rate
	Latency time.Duration
}

// Started is a job that runs.
type Started struct {
	Number    int
	Command   []string
	Processes int
	Since     time.Time
}

// ErrDown is the error of all requests when no testbed is up.
var ErrDown = errors.New("no testbed is up; bring one up with: testbed up SPEC")
