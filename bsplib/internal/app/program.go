package app

import (
	"math"

	"github.com/migbsp/migbsp/bsplib/internal/placement"
)

// Exit codes of programs.
const (
	ExitOK           = 0
	ExitFailed       = 1
	ExitUsage        = 2
	ExitCheckpointed = 75
	// ExitLost is larger than srun's code for any signal. srun returns the largest of several codes,
	// and the lost rank may have one too.
	ExitLost   = 200
	exitSignal = 128 // + the signal's number
)

// Program describes a program.
type Program struct {
	About  string                // description, for -help
	Help   string                // the command that prints that; "": the program with -help
	Check  func(procs int) error // checks the program's own flags; may be nil
	Memory func(procs int) int64 // bytes that all processes need together; nil: unknown
	Work   func(procs int) Work  // work of all processes together; nil: unknown
	Table  string                // the default of -table; "": sites

	Build  string   // identifies the executable of a program in C, C++ or Fortran
	Inputs []string // arguments that are no flags of the Go program

	Procs func(rank, procs int) (used, exit int) // chooses the number of processes; nil: as set
	Code  func() int                             // exit code of a rank whose run has ended well; nil: 0

	OwnOutput bool   // the standard output is the program's own: the account goes to the standard error
	Stays     bool   // its processes never move: no message mentions this unless the user has set -balance
	Arguments bool   // it takes arguments after its flags
	RanksWait bool   // its ranks mostly wait: more ranks than cores are fine
	OnSignal  func() // called before a signal ends the Go program; may be nil
}

// Work describes the expected work of a program: an amount and, optionally, its messages. A run
// starts on fewer hosts if that is predicted to be faster.
type Work struct {
	Amount    float64 // 0: unknown
	Unit      string  // such as flop, in the plural
	PerSecond float64 // of a usual core, roughly

	Supersteps int                   // 0: the messages are not described
	Sent       float64               // bytes that each process sends in the run
	Partners   func(pid int) []int   // the processes that a process sends to; nil: all others
	Share      func(pid int) float64 // the relative work of a process; nil: equal
}

// start returns the request for an initial mapping, with the hints of the program.
func (p *Program) start(how string, procs int) *placement.Request {
	r := &placement.Request{How: how}
	if p.Work == nil {
		return r
	}
	w := p.Work(procs)
	if w.Supersteps > 0 && w.PerSecond > 0 {
		r.Work = &placement.Work{Seconds: w.Amount / w.PerSecond, Supersteps: w.Supersteps, Sent: w.Sent, Partners: w.Partners}
		r.Work.Share = shares(w.Share, procs)
	}
	if p.Memory != nil {
		r.Memory = p.Memory(procs)
	}
	return r
}

// shares returns the relative work of each process, nil if it is unknown or invalid.
func shares(of func(pid int) float64, procs int) (all []float64) {
	if of == nil {
		return nil
	}
	sum := 0.0
	for pid := range procs {
		share := of(pid)
		if !(share >= 0) {
			return nil
		}
		all, sum = append(all, share), sum+share
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return nil
	}
	return all
}
