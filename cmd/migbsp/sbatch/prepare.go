package sbatch

import (
	"strconv"

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

// checks looks for what the job needs.
func (j *Job) checks(s *script) {
	s.line("set -eu")
	program := shell.Quote(j.Command[0])
	s.line("command -v -- ", program, " >/dev/null || fail ", shell.Quote("there is no program "+program+" here, which is "), `"$PWD on $(hostname)"`)
	mpi := shell.Quote(j.MPI)
	s.line(`ways=$(srun --mpi=list 2>&1) || fail "srun --mpi=list: $ways"`)
	s.line("grep -qw -- ", mpi, ` <<<"$ways" || fail "srun has no --mpi=`, mpi, `, but: ${ways//$'\n'/ }"`)
	if n := strconv.Itoa(len(j.Parts)); len(j.Parts) > 1 {
		s.line(`[ "${SLURM_HET_SIZE-1}" -eq `, n, ` ] || fail "this job has ${SLURM_HET_SIZE-1} of `, n, ` components"`)
	}
	s.line()
}

// environment is what the ranks see. srun of Slurm 22.05 and 23.02 does not look
// at --cpus-per-task of sbatch.
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
