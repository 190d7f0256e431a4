// Package profile stores the measurements of runs for later runs of the same program: loads,
// traffic, state sizes, the final mapping, and the speeds and links of the hosts.
//
// A Store is a directory with one file per program, parameters, number of processes and set of
// hosts. Any number of runs may use it at the same time, without locks: a profile is written under
// a name of its own and renamed when it is complete. A reader trusts none of the files: a profile
// that is damaged, or that a run could not have written, is ignored.
package profile

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/shell"
)

// Profile is the measurements of one run. Processes are numbered by pid, and ranks as in the run.
type Profile struct {
	Key     Key       `json:"key"`
	Written time.Time `json:"written"`
	Ended   bool      `json:"ended"` // false: at a checkpoint, and the program went on

	Seconds    float64 `json:"seconds"` // of the run
	Supersteps int     `json:"supersteps"`
	// Step is the mean time of a superstep with the final mapping, in seconds; 0 if it was not
	// measured.
	Step float64 `json:"step,omitempty"`

	Classes []Class `json:"classes"`
	States  []int64 `json:"states,omitempty"` // bytes by process

	Hosts   []Host  `json:"hosts"`
	Ranks   []int   `json:"ranks"`   // by rank: index of its host
	Mapping []int   `json:"mapping"` // by process: its last rank
	Links   []Link  `json:"links,omitempty"`
	Rate    float64 `json:"rate,omitempty"` // steps per second of probe.QuickSpeed on a core of speed 1; 0 if not measured
}

// Key identifies the runs that a profile describes.
type Key struct {
	Program    string      `json:"program"`
	Build      string      `json:"build,omitempty"` // build ID of an executable in C, C++ or Fortran; "" in Go
	Parameters []Parameter `json:"parameters,omitempty"`
	Procs      int         `json:"procs"`
}

// Parameter is one of the program's own flags, or an argument, which has no name.
type Parameter struct {
	Name    string `json:"name,omitempty"`
	Value   string `json:"value"`
	Default bool   `json:"default,omitempty"` // the user did not set it
}

// Class is the supersteps that end at one line of the program.
type Class struct {
	Site       string  `json:"site"` // file:line
	Supersteps int     `json:"supersteps"`
	Work       Figures `json:"work"` // mean of a superstep by process, in seconds on a core of speed 1
	// Recorded is the number of supersteps whose traffic was recorded; if it is 0 the traffic is
	// not known. Traffic has the mean of a recorded superstep.
	Recorded int     `json:"recorded,omitempty"`
	Traffic  Traffic `json:"traffic,omitempty"`
}

// Traffic is the pairs of processes that exchange data, without pairs of one process.
type Traffic []Flow

// Flow is the bytes per superstep from one process to another.
type Flow struct {
	From, To int
	Bytes    float64
}

// Host is one host of the run.
type Host struct {
	Name  string  `json:"name"`
	Set   string  `json:"set,omitempty"`
	Speed float64 `json:"speed"` // of a core, relative to the fastest host's
	Share float64 `json:"share"` // of a core that a rank of the host got, at the end of the run
	Cores float64 `json:"cores,omitempty"`
	// Line is the seconds of a byte on the host's own link; 0 if it was not measured.
	Line float64 `json:"line,omitempty"`
}

// Link is a measured link between two hosts.
type Link struct {
	From     int       `json:"from"` // index of the host
	To       int       `json:"to"`
	Latency  float64   `json:"latency"`            // seconds
	PerByte  float64   `json:"per_byte,omitempty"` // seconds; 0 if bytes did not show
	Measured time.Time `json:"measured"`
}

// Equal reports whether two keys are of the same runs.
func (k Key) Equal(other Key) bool {
	return k.related(other) && slices.EqualFunc(k.Parameters, other.Parameters, func(a, b Parameter) bool {
		return a.Name == b.Name && a.Value == b.Value
	})
}

// related reports whether two keys are of the same program and number of processes.
func (k Key) related(other Key) bool {
	return k.Program == other.Program && k.Build == other.Build && k.Procs == other.Procs
}

// String returns the command line of the runs: "lu -n 1600 -procs 16". Parameters that the user did not
// set are left out.
func (k Key) String() string {
	words := []string{k.Program}
	for _, p := range k.Parameters {
		switch {
		case p.Default:
		case p.Name == "":
			words = append(words, shell.Quote(p.Value))
		default:
			words = append(words, "-"+p.Name, shell.Quote(p.Value))
		}
	}
	return strings.Join(append(words, "-procs", strconv.Itoa(k.Procs)), " ")
}

// Where returns the hosts of the final mapping with their numbers of processes: "12 on alpha1, 4 on
// beta1".
func (p *Profile) Where() string {
	count := make([]int, len(p.Hosts))
	for _, rank := range p.Mapping {
		count[p.Ranks[rank]]++
	}
	var parts []string
	for host, n := range count {
		if n > 0 {
			parts = append(parts, strconv.Itoa(n)+" on "+p.Hosts[host].Name)
		}
	}
	return strings.Join(parts, ", ")
}
