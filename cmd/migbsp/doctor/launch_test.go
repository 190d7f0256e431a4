package doctor

import "testing"

func TestLaunch(t *testing.T) {
	for _, c := range []struct {
		tasks int
		by    string
		want  string
	}{
		{0, "", "ok started by hand"},
		{1, "srun", "ok started by srun, as one of 1 task"},
		{8, "mpirun", "ok started by mpirun, as one of 8 tasks"},
		{-1, "a PMIx launcher", "ok started by a PMIx launcher, as one of an unknown number"},
	} {
		s := bare()
		s.Launched = func() (int, string) { return c.tasks, c.by }
		expect(t, c.by, checkLaunch(s, Wants{}), c.want)
	}
}

func TestJob(t *testing.T) {
	expect(t, "none", checkJob(bare(), Wants{}), "ok no resource manager")
	slurm := map[string]string{"sbatch --version": "", "srun --version": ""}
	expect(t, "outside", checkJob(bare().programs(slurm), Wants{}), "ok Slurm (sbatch, srun), outside of a job")
	job := map[string]string{"SLURM_JOB_ID": "4711", "SLURM_NTASKS": "64", "SLURM_JOB_NODELIST": "n[1-2]"}
	expect(t, "inside", checkJob(bare().programs(slurm).environment(job), Wants{}),
		"ok Slurm job: SLURM_JOB_ID=4711 SLURM_JOB_NODELIST=n[1-2] SLURM_NTASKS=64")
	expect(t, "others", checkJob(bare().environment(map[string]string{"PBS_JOBID": "1.x", "PE_HOSTFILE": "/f", "LSB_JOBID": "7"}), Wants{}),
		"ok PBS job: PBS_JOBID=1.x", "ok LSF job: LSB_JOBID=7", "ok Grid Engine job: PE_HOSTFILE=/f")
}

var both = map[string]string{
	"mpirun --version":        "mpirun (Open MPI) 4.1.4",
	"mpiexec --version":       "mpiexec (OpenRTE) 4.1.4",
	"mpiexec.hydra --version": "HYDRA build details:\n    Version: 4.0.2",
	"mpicc --showme:version":  "mpicc: Open MPI 4.1.4 (Language: C)",
	"mpicc.mpich -v":          "mpicc for MPICH version 4.0.2",
}

func TestLaunchersAndCompilers(t *testing.T) {
	s := bare().programs(both)
	expect(t, "launchers", checkLaunchers(s, Wants{}), "ok Open MPI 4.1.4 (mpirun, mpiexec); MPICH 4.0.2 (mpiexec.hydra)")
	expect(t, "compilers", checkMPICompiler(s, Wants{}), "note Open MPI 4.1.4 (mpicc); MPICH 4.0.2 (mpicc.mpich) > scripts/install builds for that of mpicc, or what MPICC names")
	s = bare().programs(map[string]string{"mpirun --version": "mpirun (Open MPI) 5.0.1", "mpicc -v": "mpicc for MPICH version 4.0.2"})
	expect(t, "different ones", checkMPICompiler(s, Wants{}), "note MPICH 4.0.2 (mpicc) > mpicc and mpirun are of different MPIs")
	s = bare().programs(map[string]string{"mpirun --version": "what?"})
	expect(t, "unknown", checkLaunchers(s, Wants{}), "ok of unknown kind (mpirun)")
}

func TestBuild(t *testing.T) {
	expect(t, "none", checkBuild(bare(), Wants{}), "note this tool has no MPI > -tags mpi")
	s := bare().programs(both)
	s.Library = "Open MPI v4.1.4"
	expect(t, "fits", checkBuild(s, Wants{}), "ok this tool has Open MPI v4.1.4 in it")
	s.Library = "MPICH 4.0.2" // as programs say it
	expect(t, "fits", checkBuild(s, Wants{}), "ok this tool has MPICH 4.0.2 in it")
	s = bare().programs(map[string]string{"mpirun --version": "Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 1"})
	s.Library = "Open MPI v4.1.4"
	expect(t, "does not fit", checkBuild(s, Wants{}), "note Open MPI v4.1.4 > no launcher of that MPI")
}
