package mpi

import (
	"os"
	"strconv"
)

// SeveralTasks is the number of tasks that Launched returns for a launcher that does
// not say how many it started.
const SeveralTasks = -1

// Launched reports how many tasks the launcher that started this process
// started in all, and names it: 0 and "" when the process was started by hand
// or by a batch script, SeveralTasks when the number is not in the environment.
func Launched() (tasks int, launcher string) {
	return launched(os.Getenv)
}

// launchers are in order of precedence: under Slurm, mpirun starts its helpers
// with srun, and the helper's SLURM_PROCID reaches every task.
var launchers = []struct {
	name, rank, size string
}{
	{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"mpirun", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
	{"mpiexec", "PMI_RANK", "PMI_SIZE"},
	{"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
	{"flux run", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
	{"mpiexec", "PALS_RANKID", "PALS_SIZE"},
}

func launched(getenv func(string) string) (tasks int, launcher string) {
	for _, l := range launchers {
		if getenv(l.rank) != "" {
			return count(getenv(l.size)), l.name
		}
	}
	if tasks, ok := slurmStep(getenv); ok {
		return tasks, "srun"
	}
	if getenv("PMIX_RANK") != "" {
		return SeveralTasks, "a PMIx launcher"
	}
	if n := getenv("MPI_LOCALNRANKS"); n != "" {
		return count(n), "mpiexec"
	}
	return 0, ""
}

// slurmReserved is the first of the step numbers that Slurm gives to what is
// not started by srun: batch scripts, interactive shells and outside processes.
const slurmReserved = 0xfffffff0

// slurmStep reports the number of tasks of the srun step this process is a
// task of. A batch script is none, although it has SLURM_PROCID=0.
func slurmStep(getenv func(string) string) (tasks int, ok bool) {
	step, err := strconv.ParseUint(getenv("SLURM_STEP_ID"), 10, 64)
	if err != nil || step >= slurmReserved || getenv("SLURM_PROCID") == "" {
		return 0, false
	}
	if n := getenv("SLURM_STEP_NUM_TASKS"); n != "" {
		return count(n), true
	}
	return count(getenv("SLURM_NTASKS")), true
}

func count(s string) int {
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return n
	}
	return SeveralTasks
}
