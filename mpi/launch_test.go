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
		{"Flux batch script", "FLUX_JOB_SIZE=6", 0, ""},
		{"jsrun", "JSM_NAMESPACE_RANK=0 JSM_NAMESPACE_SIZE=6 PMIX_RANK=0", 6, "jsrun"},
		{"PALS", "PALS_RANKID=0", SeveralTasks, "mpiexec"},
		{"srun", "SLURM_PROCID=2 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=8", 4, "srun"},
		{"old srun", "SLURM_PROCID=2 SLURM_STEP_ID=3 SLURM_NTASKS=8", 8, "srun"},
		{"srun with PMI 2", "SLURM_PROCID=2 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 PMI_RANK=2 PMI_SIZE=4", 4, "mpiexec"},
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
			env := make(map[string]string)
			for entry := range strings.FieldsSeq(test.env) {
				name, value, _ := strings.Cut(entry, "=")
				env[name] = value
			}
			tasks, launcher := launched(func(name string) string { return env[name] })
			if tasks != test.tasks || launcher != test.launcher {
				t.Errorf("got %d tasks of %q, want %d of %q", tasks, launcher, test.tasks, test.launcher)
			}
		})
	}
}
