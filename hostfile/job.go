package hostfile

import (
	"errors"
	"fmt"
	"io"
)

// ErrNoJob is the error where the environment is not one of a job.
var ErrNoJob = errors.New("no job of Slurm, PBS, LSF or SGE in the environment")

// job is the environment of a job.
type job struct {
	getenv func(string) string
	open   func(string) (io.ReadCloser, error)
}

// systems are the batch systems, in the order in which they are looked for. What
// they read is nil where the job is of another.
var systems = []struct {
	name string
	read func(job) (f *File, from string, err error)
}{
	{"slurm", job.slurm},
	{"pbs", job.pbs},
	{"lsf", job.lsf},
	{"sge", job.gridEngine},
}

// BatchSystems are those that FromBatchSystem knows: slurm, pbs (also Torque), lsf
// and sge.
func BatchSystems() []string {
	var names []string
	for _, s := range systems {
		names = append(names, s.name)
	}
	return names
}

// FromEnvironment reads the hosts of the job in whose environment it is called,
// and says from what it has read them. open opens a file that the environment
// names. In messages the variables stand for files: SLURM_JOB_NODELIST:1:7.
// Outside of jobs the error is ErrNoJob.
//
// Slurm: within a step the step's hosts and tasks, else those of the job; each
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

// first is the first of some variables that is set.
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
