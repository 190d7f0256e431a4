package hostfile

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNoJob is the error where the environment is not one of a job.
var ErrNoJob = errors.New("no job of Slurm, PBS, LSF or SGE in the environment")

// job is the environment of a job.
type job struct {
	getenv func(string) string
	open   func(string) (io.ReadCloser, error)
}

// systems are the batch systems, in the order in which they are looked for. read returns
// nil where the job belongs to another system.
var systems = []struct {
	name string
	read func(job) (f *File, from string, err error)
}{
	{"slurm", job.slurm},
	{"pbs", job.pbs},
	{"lsf", job.lsf},
	{"sge", job.gridEngine},
}

// BatchSystems returns the names of the systems for FromBatchSystem: slurm, pbs (also
// Torque), lsf and sge.
func BatchSystems() []string {
	var names []string
	for _, s := range systems {
		names = append(names, s.name)
	}
	return names
}

// FromEnvironment reads the hosts of the job in whose environment it is called, and
// returns the name of their source. open opens a file that the environment
// names. In messages the variables stand for files: SLURM_JOB_NODELIST:1:7.
// Outside of jobs the error is ErrNoJob.
//
// Slurm: within a step the step's hosts and tasks, else the job's; each
// component of a heterogeneous job is a Set. PBS: PBS_NODEFILE, in which a host
// has a line for each slot. LSF: LSB_MCPU_HOSTS, LSB_DJOB_HOSTFILE or LSB_HOSTS,
// without the launch node. SGE: PE_HOSTFILE.
func FromEnvironment(getenv func(string) string, open func(string) (io.ReadCloser, error)) (f *File, from string, err error) {
	for _, s := range systems {
		if f, from, err = s.read(job{getenv, open}); f != nil || err != nil {
			return f, from, err
		}
	}
	return nil, "", ErrNoJob
}

// FromBatchSystem is FromEnvironment for one of BatchSystems.
func FromBatchSystem(system string, getenv func(string) string, open func(string) (io.ReadCloser, error)) (f *File, from string, err error) {
	for _, s := range systems {
		if s.name != system {
			continue
		}
		f, from, err = s.read(job{getenv, open})
		if f == nil && err == nil {
			err = fmt.Errorf("the environment is not that of a job of %s: %w", system, ErrNoJob)
		}
		return f, from, err
	}
	return nil, "", fmt.Errorf("batch system %q, expected %s", system, listed(BatchSystems()))
}

// first returns the first of some variables that is set.
func (j job) first(names ...string) variable {
	for _, name := range names {
		if value := j.getenv(name); value != "" {
			return variable{name, value}
		}
	}
	return variable{}
}

// variable is one of the environment; "" if none is set.
type variable struct{ name, value string }

// file reads the file that a variable names; nil if it is not set.
func (j job) file(name string, form Form) (f *File, from string, err error) {
	path := j.getenv(name)
	if path == "" {
		return nil, "", nil
	}
	r, err := j.open(path)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w (batch systems have it on the first host of a job only)", name, err)
	}
	defer r.Close()
	f, err = Rules{Form: form}.Parse(name, r)
	return f, name + "=" + path, err
}

func (j job) pbs() (f *File, from string, err error) { return j.file("PBS_NODEFILE", Launchers) }

func (j job) gridEngine() (f *File, from string, err error) {
	return j.file("PE_HOSTFILE", GridEngine)
}

// launchNodes are the beginnings of the names of hosts that only launch.
var launchNodes = []string{"batch", "login", "launch"}

// lsf reads the hosts of an LSF job.
func (j job) lsf() (f *File, from string, err error) {
	pairs, names := j.getenv("LSB_MCPU_HOSTS"), j.getenv("LSB_HOSTS")
	switch {
	case strings.TrimSpace(pairs) != "":
		from = "LSB_MCPU_HOSTS"
		f, err = parsePairs(from, pairs)
	case j.getenv("LSB_DJOB_HOSTFILE") != "":
		f, from, err = j.file("LSB_DJOB_HOSTFILE", Launchers)
	case strings.TrimSpace(names) != "":
		from = "LSB_HOSTS"
		f, err = Rules{Form: SlurmHosts}.Parse(from, strings.NewReader(names))
	}
	if err != nil {
		return nil, "", err
	}
	if f != nil {
		f.dropLaunchNode()
	}
	return f, from, nil
}

// parsePairs reads "host slots host slots".
func parsePairs(name, text string) (*File, error) {
	p := newParser(name, Rules{Form: GridEngine})
	c := &cursor{text: strings.NewReplacer("\n", " ", "\r", " ").Replace(text), line: 1}
	for c.blank() && !p.stopped {
		p.gridLine(c)
	}
	return p.finish()
}

// dropLaunchNode leaves out the first host if it only runs the job's script: it has one
// slot, and its name shows its kind.
func (f *File) dropLaunchNode() {
	if len(f.Hosts) < 2 || f.Hosts[0].Slots != 1 || f.Divided() {
		return
	}
	for _, begin := range launchNodes {
		if strings.HasPrefix(strings.ToLower(f.Hosts[0].Name), begin) {
			at := token{line: f.Hosts[0].Line, col: 1}
			f.Warnings = append(f.Warnings, *at.problemIn(f.Name, "host "+f.Hosts[0].Name+", left out as the launch node", ""))
			f.Hosts = f.Hosts[1:]
			return
		}
	}
}
