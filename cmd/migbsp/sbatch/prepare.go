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
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/shell"
)

// prepare defines how the script fails and loads modules.
func (j *Job) prepare(s *script) {
	s.line("fail() {")
	s.line("	printf '%s: %s\\n' ", shell.Quote(j.name()), ` "$1" >&2`)
	s.line("	exit 2")
	s.line("}")
	s.line(`[ -n "${SLURM_JOB_ID-}" ] || fail "this is the script of a job: sbatch $0"`)
	s.line()
	if len(j.Modules) == 0 {
		return
	}
	modules := shell.QuoteAll(j.Modules)
	s.line("# Not every shell of a job knows the command module.")
	s.line("for init in /etc/profile.d/lmod.sh /etc/profile.d/modules.sh; do")
	s.line("	type module >/dev/null 2>&1 && break")
	s.line("	# shellcheck source=/dev/null")
	s.line(`	[ ! -r "$init" ] || . "$init"`)
	s.line("done")
	s.line(`type module >/dev/null 2>&1 || fail "there is no command module on $(hostname)"`)
	s.line("module purge")
	s.line("module load ", modules, " || fail ", shell.Quote("module load "+modules+" has failed"))
	s.line()
}

// checks checks the needs of the job.
func (j *Job) checks(s *script) {
	s.line("set -eu")
	j.find(s)
	mpi := shell.Quote(j.MPI)
	s.line(`ways=$(srun --mpi=list 2>&1) || fail "srun --mpi=list: $ways"`)
	s.line("grep -qw -- ", mpi, ` <<<"$ways" || fail "srun has no --mpi=`, mpi, `, but: ${ways//$'\n'/ }"`)
	if j.Survive > 0 {
		s.line(`tool=$(command -v "${MIGBSP_ROOT:+$MIGBSP_ROOT/bin/}migbsp") || fail "no migbsp on $(hostname): -survive needs it in PATH or MIGBSP_ROOT/bin"`)
	}
	if n := strconv.Itoa(len(j.Parts)); len(j.Parts) > 1 {
		s.line(`[ "${SLURM_HET_SIZE-1}" -eq `, n, ` ] || fail "this job has ${SLURM_HET_SIZE-1} of `, n, ` components"`)
	}
	s.line()
}

// find finds the program. A name with a directory is that file. The programs of migbsp are not in
// PATH, where names such as sort mean other programs; so a program in PATH must report that it is
// migbsp's.
func (j *Job) find(s *script) {
	program := shell.Quote(j.Command[0])
	missing := shell.Quote("there is no program "+program+" here, which is ") + `"$PWD on $(hostname)"`
	if strings.Contains(j.Command[0], "/") {
		s.line("command -v -- ", program, " >/dev/null || fail ", missing)
		return
	}
	s.line("# Programs of migbsp are where it is installed: MIGBSP_ROOT, of its module, or where")
	s.line("# the tool is. Others are in PATH.")
	s.line("root=${MIGBSP_ROOT-}")
	s.line(`if [ -z "$root" ] && tool=$(command -v migbsp); then`)
	s.line(`	tool=$(readlink -f -- "$tool")`)
	s.line("	root=${tool%/bin/migbsp}")
	s.line("fi")
	s.line(`program=$root/libexec/migbsp/`, program)
	s.line(`if [ ! -x "$program" ]; then`)
	s.line("	program=$(command -v -- ", program, ") || fail ", missing)
	s.line(`	"$program" -version 2>&1 </dev/null | grep -qF '(migbsp)' || fail "$program is no program of migbsp"`)
	s.line("fi")
}

// environment sets the environment of the ranks. srun of Slurm 22.05 and 23.02 does not
// read --cpus-per-task of sbatch.
func (j *Job) environment(s *script) {
	cpus := strconv.Itoa(j.cpus())
	if cpus == "1" {
		s.line("# A rank has one core, so one thread of Go runs at a time.")
	} else {
		s.line("# A rank has ", cpus, " cores, so as many threads of Go run at a time.")
	}
	s.line("export GOMAXPROCS=", cpus, " SRUN_CPUS_PER_TASK=", cpus)
	s.line()
}

// Job has the requests of a script. The zero value of a field requests nothing, except where its
// comment differs.
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
	Survive         int // losses after which the run goes on
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

// name returns the job's name.
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
