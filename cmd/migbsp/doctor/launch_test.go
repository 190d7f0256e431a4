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
