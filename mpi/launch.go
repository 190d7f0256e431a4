package mpi

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// SeveralTasks is the number of tasks that Launched returns for a launcher that does not give a
// number.
const SeveralTasks = -1

// Launched returns the number of tasks that this process's launcher started in all, and the
// launcher's name: 0 and "" if the process was started by hand or by a batch script, SeveralTasks
// if the number is not in the environment.
func Launched() (tasks int, launcher string) {
	return launched(os.Getenv)
}

// fluxRun is a launcher for which Open MPI has a component of its own.
const fluxRun = "flux run"

// launchers are in order of precedence: under Slurm, mpirun starts its helpers
// with srun, and the helper's SLURM_PROCID reaches every task.
var launchers = []struct {
	name, rank, size string
}{
	{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"mpirun", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
	{"mpiexec", "PMI_RANK", "PMI_SIZE"},
	{"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
	{fluxRun, "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
	{"mpiexec", "PALS_RANKID", "PALS_SIZE"},
}

func launched(getenv func(string) string) (tasks int, launcher string) {
	l := launchOf(getenv)
	return l.tasks, l.launcher
}

// launch describes how this process was started, from its environment.
type launch struct {
	launcher string
	tasks    int // in all
	task     int // this process's number, -1 if it is not known
	// by is the --mpi setting of srun, derived from the variables that the tasks got to find each
	// other; "" if another launcher has started them.
	by   string
	pmi  bool // they were given a server of PMI-1 or PMI-2,
	pmix bool // of PMIx
}

func launchOf(getenv func(string) string) launch {
	given := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return getenv(name) != "" })
	}
	l := launch{task: -1, pmi: given("PMI_RANK", "PMI_FD"), pmix: given("PMIX_RANK", "PMIX_NAMESPACE")}
	for _, known := range launchers {
		if rank := getenv(known.rank); rank != "" {
			l.launcher, l.tasks, l.task = known.name, count(getenv(known.size)), number(rank)
			break
		}
	}
	tasks, inStep := slurmStep(getenv)
	// MPICH's mpiexec starts its helpers with srun as well, and gives each task more than
	// srun does.
	if inStep && l.launcher == "mpiexec" && l.pmi && !given("MPI_LOCALNRANKS") {
		l.launcher = ""
	}
	// Tasks of Flux have a server of PMI-1, as tasks of MPICH's mpiexec have.
	if l.launcher == "mpiexec" && l.pmi && given("FLUX_TASK_RANK") && !given("MPI_LOCALNRANKS") {
		l.launcher = fluxRun
	}
	switch {
	case inStep && l.launcher == "":
		l.launcher, l.tasks, l.task, l.by = "srun", tasks, number(getenv("SLURM_PROCID")), "none"
		if l.pmix {
			l.by = "pmix"
		} else if l.pmi {
			l.by = "pmi2"
		}
	case l.launcher != "":
	case getenv("PMIX_RANK") != "":
		l.launcher, l.tasks, l.task = "a PMIx launcher", SeveralTasks, number(getenv("PMIX_RANK"))
	case getenv("MPI_LOCALNRANKS") != "":
		l.launcher, l.tasks = "mpiexec", count(getenv("MPI_LOCALNRANKS"))
	}
	return l
}

// slurmReserved is the first of the step numbers that Slurm assigns to steps not started by srun:
// batch scripts, interactive shells and outside processes.
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

func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil && n >= 0 {
		return n
	}
	return -1
}

// A LaunchError reports that this process and others were started as ranks of one run, but cannot
// be. All of them get the same error.
type LaunchError struct {
	Task int // the number of this process among them, -1 if it is not known
	text string
}

// Error returns one line, which includes the remedy.
func (e *LaunchError) Error() string { return e.text }

// CheckLaunch returns a *LaunchError if the launcher of this process cannot make ranks of programs
// with this build. It returns nil if it can or if only MPI itself finds out.
func CheckLaunch() error {
	if err := checkLaunch(launchOf(os.Getenv), Library(), pmixOnly); err != nil {
		return err
	}
	return nil
}

// checkLaunch is CheckLaunch for a library, "" without MPI. pmixOnly reports whether
// that library, which is an Open MPI, can be started by PMIx only.
func checkLaunch(l launch, library string, pmixOnly func() bool) *LaunchError {
	switch {
	case l.tasks == 0 || l.tasks == 1:
		return nil
	case library == "":
		of := "several tasks"
		if l.tasks > 1 {
			of = fmt.Sprintf("%d tasks", l.tasks)
		}
		return l.errorf("this program was built without MPI but was started as one of %s by %s: build it with  go build -tags mpi ...", of, l.launcher)
	case strings.HasPrefix(library, "Open MPI") && (l.by != "" || l.pmi) && !l.pmix && l.launcher != "mpirun" && l.launcher != fluxRun && pmixOnly():
		return l.unfit(library, 1)
	}
	return nil
}

// unfit returns the text of the error that a program sees only size of the tasks that were started.
func (l launch) unfit(library string, size int) *LaunchError {
	sees := "sees only one"
	if size > 1 {
		sees = fmt.Sprintf("sees only %d", size)
	}
	if l.by == "" {
		return l.errorf("%s started %d tasks, but %s, which this program was built with, %s: use the launcher of that library, or build for the launcher's (see scripts/mpi-env)",
			l.launcher, l.tasks, library, sees)
	}
	use := "another --mpi: srun --mpi=list has what there is"
	switch {
	case strings.HasPrefix(library, "Open MPI") && l.by != "pmix":
		use = "srun --mpi=pmix"
	case strings.HasPrefix(library, "MPICH") && l.by != "pmi2", strings.HasPrefix(library, "MVAPICH") && l.by != "pmi2":
		use = "srun --mpi=pmi2"
	}
	return l.errorf("srun --mpi=%s started %d tasks, but %s, which this program was built with, %s: use %s", l.by, l.tasks, library, sees, use)
}

func (l launch) errorf(format string, values ...any) *LaunchError {
	return &LaunchError{l.task, fmt.Sprintf(format, values...)}
}
