// Package sbatch writes job scripts for Slurm. A Job has the requests of the user; its
// script requests the nodes, checks its needs on the first node, starts the program once
// for all ranks, and, if the user wants it, runs it again from a checkpoint.
//
// Scripts are for bash. All texts of a job (programs, arguments, directories) reach the
// program byte for byte; the shell never runs any part of them.
package sbatch

import (
	"cmp"
	"fmt"
	"path"
	"strings"
)

// Job has the requests of a script. The zero value of a field requests nothing, except
// where its comment differs.
type Job struct {
	Name  string      // "": the program's
	Parts []Component // at least one; several are a heterogeneous job
	CPUs  int         // of each rank; 0: one
	Time  Limit
	// Account and QOS are accounted for, and served, as the site has set up.
	Account, QOS string
	Exclusive    bool     // no other jobs on the nodes
	Options      []string // more options of sbatch, each with its value

	Modules []string // that are loaded, after all others have been unloaded
	MPI     string   // srun's plugin that starts the ranks

	RunDir          Pattern
	Comment         bool // the record's verdict becomes the job's comment
	Checkpoint      Pattern
	CheckpointEvery string
	Warning         int // seconds before the end at which ranks write a checkpoint

	Array Array
	Cases [][]string // arguments that the tasks of an array have more, in order

	Command []string // the program and its arguments
	Made    []string // lines that name the author and the sources of the script
}

// Component is a part of a job that Slurm finds nodes for by itself.
type Component struct {
	Partition    string // "": the site's choice
	Nodes        int    // 0: the nodes that the tasks need
	Tasks        int    // in all
	TasksPerNode int    // instead of Tasks
}

// name is the job's.
func (j *Job) name() string {
	if j.Name != "" {
		return j.Name
	}
	return strings.Map(func(r rune) rune {
		if CheckName(string(r)) != nil {
			return '_'
		}
		return r
	}, path.Base(j.Command[0]))
}

// cpus returns the CPUs of each rank.
func (j *Job) cpus() int { return max(1, j.CPUs) }

// isArray reports whether the job runs several times.
func (j *Job) isArray() bool { return j.Array.Spec != "" || len(j.Cases) > 0 }

// array returns sbatch's argument: the user's words, or one task for each case.
func (j *Job) array() string { return cmp.Or(j.Array.Spec, fmt.Sprintf("0-%d", len(j.Cases)-1)) }
