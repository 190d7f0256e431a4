package mpi

import (
	"strings"
	"testing"
)

func TestLaunched(t *testing.T) {
	for _, test := range []struct {
		name     string
		env      string
		tasks    int
		launcher string
	}{
		{"by hand", "", 0, ""},
		{"Open MPI", "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=3", 4, "mpirun"},
		{"Open MPI, one task", "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1", 1, "mpirun"},
		{"MPICH", "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALNRANKS=2 MPI_LOCALRANKID=0", 2, "mpiexec"},
		{"MVAPICH", "MV2_COMM_WORLD_RANK=1 MV2_COMM_WORLD_SIZE=8", 8, "mpirun"},
		{"Flux", "FLUX_TASK_RANK=0 FLUX_JOB_SIZE=6", 6, "flux run"},
		{"Flux with PMI", "FLUX_TASK_RANK=0 FLUX_JOB_SIZE=6 PMI_FD=9 PMI_RANK=0 PMI_SIZE=6", 6, "flux run"},
		{"MPICH under Flux", "FLUX_TASK_RANK=0 FLUX_JOB_SIZE=6 PMI_FD=9 PMI_RANK=0 PMI_SIZE=4 MPI_LOCALNRANKS=4", 4, "mpiexec"},
		{"Flux batch script", "FLUX_JOB_SIZE=6", 0, ""},
		{"jsrun", "JSM_NAMESPACE_RANK=0 JSM_NAMESPACE_SIZE=6 PMIX_RANK=0", 6, "jsrun"},
		{"PALS", "PALS_RANKID=0", SeveralTasks, "mpiexec"},
		{"srun", "SLURM_PROCID=2 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=8", 4, "srun"},
		{"old srun", "SLURM_PROCID=2 SLURM_STEP_ID=3 SLURM_NTASKS=8", 8, "srun"},
		{"srun with PMI 2", "SLURM_PROCID=2 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 PMI_RANK=2 PMI_SIZE=4", 4, "srun"},
		{"MPICH under Slurm", "SLURM_PROCID=0 SLURM_STEP_ID=3 SLURM_STEP_NUM_TASKS=1 PMI_RANK=2 PMI_SIZE=4 MPI_LOCALNRANKS=2", 4, "mpiexec"},
		{"srun, one task", "SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 PMIX_RANK=0", 1, "srun"},
		{"batch script", "SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_JOB_ID=7", 0, ""},
		{"batch step", "SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_STEP_ID=4294967291", 0, ""},
		{"batch step by name", "SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_STEP_ID=batch", 0, ""},
		{"salloc shell", "SLURM_NTASKS=8 SLURM_JOB_ID=7", 0, ""},
		{"mpirun under Slurm", "SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2 OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8", 8, "mpirun"},
		{"PMIx", "PMIX_RANK=1", SeveralTasks, "a PMIx launcher"},
		{"size is no number", "PMI_RANK=0 PMI_SIZE=many", SeveralTasks, "mpiexec"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tasks, launcher := launched(environment(test.env))
			if tasks != test.tasks || launcher != test.launcher {
				t.Errorf("got %d tasks of %q, want %d of %q", tasks, launcher, test.tasks, test.launcher)
			}
		})
	}
}

// environment has variables NAME=value, which are separated by blanks.
func environment(text string) func(name string) string {
	env := make(map[string]string)
	for entry := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	return func(name string) string { return env[name] }
}

// Launches that are certain to fail are refused before MPI starts, with the task that must report
// it and the remedy; launches that may work are not. The environments are those of Slurm 22.05.
func TestCheckLaunch(t *testing.T) {
	const (
		step   = "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 SLURM_PROCID="
		hydra  = "PMI_FD=5 PMI_RANK=1 PMI_SIZE=4 MPI_LOCALNRANKS=4"
		orted  = "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1 PMIX_NAMESPACE=9"
		open   = "Open MPI v4.1.4"
		mpich  = "MPICH 4.0.2"
		pmix   = " PMIX_RANK=0 PMIX_NAMESPACE=slurm.pmix.2.0"
		pmi2   = " PMI_RANK=0 PMI_SIZE=4 PMI_FD=13"
		srun   = "started 4 tasks, but Open MPI v4.1.4, which this program was built with, sees only one: use srun --mpi=pmix"
		noMPI  = "this program was built without MPI but was started as one of 4 tasks by "
		tagged = ": build it with  go build -tags mpi ..."
	)
	for _, c := range []struct {
		name, env, library string
		pmixOnly           bool
		task               int
		want               string
	}{
		{"none", step + "3", open, true, 3, "srun --mpi=none " + srun},
		{"none, but PMI of Slurm", step + "3", open, false, 0, ""},
		{"pmi2", step + "0" + pmi2, open, true, 0, "srun --mpi=pmi2 " + srun},
		{"pmix", step + "0" + pmix, open, true, 0, ""},
		{"MPICH finds out by itself", step + "0", mpich, false, 0, ""},
		{"mpiexec", hydra, open, true, 1, "mpiexec started 4 tasks, but Open MPI v4.1.4, which this program was built with, sees only one: use the launcher of that library, or build for the launcher's (see scripts/mpi-env)"},
		{"mpirun", orted, open, true, 0, ""},
		{"Flux", "FLUX_TASK_RANK=1 FLUX_JOB_SIZE=4", open, true, 0, ""},
		{"Flux with PMI, which Open MPI has a component for", "FLUX_TASK_RANK=1 FLUX_JOB_SIZE=4 PMI_FD=9 PMI_RANK=1 PMI_SIZE=4", open, true, 0, ""},
		{"one task", "SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0", open, true, 0, ""},
		{"batch script", "SLURM_PROCID=0 SLURM_NTASKS=8", "", false, 0, ""},
		{"no MPI, srun", step + "2", "", false, 2, noMPI + "srun" + tagged},
		{"no MPI, srun with pmi2", step + "0" + pmi2, "", false, 0, noMPI + "srun" + tagged},
		{"no MPI, mpiexec", hydra, "", false, 1, noMPI + "mpiexec" + tagged},
		{"no MPI, mpirun", orted, "", false, 1, noMPI + "mpirun" + tagged},
		{"no MPI, several", "PALS_RANKID=5", "", false, 5, "this program was built without MPI but was started as one of several tasks by mpiexec" + tagged},
		{"no MPI, one", "PMI_RANK=0 PMI_SIZE=1", "", false, 0, ""},
	} {
		err := checkLaunch(launchOf(environment(c.env)), c.library, func() bool { return c.pmixOnly })
		got, task := "", 0
		if err != nil {
			got, task = err.Error(), err.Task
		}
		if got != c.want || task != c.task {
			t.Errorf("%s: task %d says %q, want task %d, %q", c.name, task, got, c.task, c.want)
		}
	}
}

// A world with fewer processes than were started is refused, with a hint that names a working
// launch.
func TestUnfit(t *testing.T) {
	const sees = ", which this program was built with, sees only one: use "
	for _, c := range []struct {
		by, library string
		size        int
		want        string
	}{
		{"pmix", "MPICH 4.0.2", 1, "srun --mpi=pmix started 4 tasks, but MPICH 4.0.2" + sees + "srun --mpi=pmi2"},
		{"none", "MVAPICH2 2.3", 1, "srun --mpi=none started 4 tasks, but MVAPICH2 2.3" + sees + "srun --mpi=pmi2"},
		{"pmi2", "MPICH 4.0.2", 1, "srun --mpi=pmi2 started 4 tasks, but MPICH 4.0.2" + sees + "another --mpi: srun --mpi=list has what there is"},
		{"none", "Intel(R) MPI Library 2021", 1, "srun --mpi=none started 4 tasks, but Intel(R) MPI Library 2021" + sees + "another --mpi: srun --mpi=list has what there is"},
		{"none", "Open MPI v4.1.4", 2, "srun --mpi=none started 4 tasks, but Open MPI v4.1.4, which this program was built with, sees only 2: use srun --mpi=pmix"},
	} {
		if got := (launch{launcher: "srun", tasks: 4, by: c.by}).unfit(c.library, c.size).Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
