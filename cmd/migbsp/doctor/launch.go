package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/ledger"
)

// checkBuild names the MPI in this program, and checks for a launcher of it.
func checkBuild(s *System, _ Wants) []Finding {
	if s.Library == "" {
		return note("this tool has no MPI in it", "programs that are to run on MPI ranks: go build -tags mpi; PROGRAM -version says what one has in it")
	}
	found := "this tool has " + s.Library + " in it"
	name, _ := launch.Family(s.Library)
	if slices.ContainsFunc(s.Launchers(), func(m launch.MPI) bool { return m.Family == name }) {
		return ok(found)
	}
	return note(found, "no launcher of that MPI is on PATH: load its module, or build for the one that is (scripts/mpi-env)")
}

// checkLaunch names the launcher of this program.
func checkLaunch(s *System, _ Wants) []Finding {
	tasks, launcher := s.Launched()
	switch {
	case tasks == 0:
		return ok("started by hand, not by an MPI launcher")
	case tasks < 0:
		return ok("started by " + launcher + ", as one of an unknown number of tasks")
	default:
		return ok(fmt.Sprintf("started by %s, as one of %s", launcher, ledger.Count(tasks, "task")))
	}
}

// manager is a resource manager: the variable that shows one of its jobs, the variables
// that describe the job, and its command to submit jobs.
type manager struct {
	name   string
	job    string   // variable with the number of the job
	more   []string // further variables of the job
	submit []string // programs
}

var managers = []manager{
	{"Slurm", "SLURM_JOB_ID", []string{"SLURM_JOB_NODELIST", "SLURM_NTASKS"}, []string{"sbatch", "srun"}},
	{"PBS", "PBS_JOBID", []string{"PBS_NODEFILE"}, []string{"qsub"}},
	{"LSF", "LSB_JOBID", []string{"LSB_DJOB_HOSTFILE"}, []string{"bsub"}},
	{"Grid Engine", "PE_HOSTFILE", []string{"JOB_ID", "NSLOTS"}, nil},
}

// checkJob names the resource manager, and the job that this program runs in.
func checkJob(s *System, _ Wants) []Finding {
	var found []Finding
	for _, m := range managers {
		if id := s.Getenv(m.job); id != "" {
			text := m.name + " job: " + m.job + "=" + id
			for _, key := range m.more {
				if value := s.Getenv(key); value != "" {
					text += " " + key + "=" + value
				}
			}
			found = append(found, ok(text)...)
			continue
		}
		if have := s.present(m.submit); len(have) > 0 {
			found = append(found, ok(m.name+" ("+strings.Join(have, ", ")+"), outside of a job")...)
		}
	}
	if len(found) == 0 {
		return ok("no resource manager; only clusters have one")
	}
	return found
}

const getMPI = "for programs on several nodes: load the module of your site's MPI, or apt-get install openmpi-bin libopenmpi-dev, or dnf install openmpi-devel"

// checkLaunchers finds the launchers of ranks.
func checkLaunchers(s *System, _ Wants) []Finding {
	all := s.Launchers()
	if len(all) == 0 {
		return missing("no mpirun or mpiexec on PATH", getMPI)
	}
	return ok(launch.Listed(all))
}

// checkMPICompiler finds the compilers of MPI programs.
func checkMPICompiler(s *System, _ Wants) []Finding {
	all := s.Compilers()
	if len(all) == 0 {
		return missing("no mpicc on PATH", getMPI)
	}
	found := launch.Listed(all)
	if launchers := s.Launchers(); len(launchers) > 0 && all[0].Family != launchers[0].Family {
		return note(found, all[0].Programs[0]+" and "+launchers[0].Programs[0]+" are of different MPIs: name the one that fits in  eval \"$(scripts/mpi-env WRAPPER)\"")
	}
	if len(all) > 1 {
		return note(found, "scripts/install builds for that of "+all[0].Programs[0]+", or what MPICC names; go build -tags mpi for what  eval \"$(scripts/mpi-env WRAPPER)\"  names")
	}
	return ok(found)
}
