package app

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// launchPatience is the time for which tasks that cannot be ranks stay, so that task 0 can print the
// error: launchers end all tasks when the first one ends.
const launchPatience = time.Second

// refuseLaunch ends a task that cannot be a rank. Task 0 prints the error for all tasks, which
// cannot communicate.
func refuseLaunch(say *messages, wrong *mpi.LaunchError) int {
	signal.Ignore(syscall.SIGTERM) // of a launcher that has seen another end
	if wrong.Task <= 0 {
		say.refuse(ExitUsage, wrong)
	}
	time.Sleep(launchPatience)
	return ExitUsage
}

// checkComponents returns an error if a component of a heterogeneous job has no ranks. All ranks call
// it, and get the same result.
func checkComponents(comm mpi.Comm, lead bool) error {
	// A launcher such as hydra gives all ranks the environment of its own host, with the name of
	// that host in SLURMD_NODENAME.
	name, _ := os.Hostname()
	started := hostfile.Components(os.Getenv, probe.ThisTask().Host, name)
	if comm == nil {
		if tasks, _ := mpi.Launched(); tasks == 0 {
			return nil // by hand: warnOfJob
		}
		return hostfile.ComponentsStarted(os.Getenv, started, 1)
	}
	// A rank without the job's environment, such as a rank started by ssh, cannot determine its
	// component.
	all, err := control.Allgather(control.New(comm), &started)
	if err != nil {
		return err
	}
	started = slices.MaxFunc(all, func(a, b []bool) int { return len(a) - len(b) })
	if len(started) == 0 {
		return nil
	}
	for i := range started {
		started[i] = slices.ContainsFunc(all, func(its []bool) bool { return len(its) != len(started) || its[i] })
	}
	wrong := hostfile.ComponentsStarted(os.Getenv, started, comm.Size())
	// Environments may differ: rank 0's counts.
	refused := int64(0)
	if wrong != nil && lead {
		refused = 1
	}
	if refused, err = most(comm, refused); err != nil || refused == 0 {
		return err
	}
	return cmp.Or(wrong, ErrReported)
}

// warnOfJob warns if a job has several nodes and the program was started without the job's
// launcher, so that it runs on one of them.
func warnOfJob(conf *configuration) {
	f := conf.flags
	if tasks, _ := mpi.Launched(); conf.plan.Comm != nil || tasks != 0 || f.ranks > 0 || f.hosts != "" || os.Getenv("SLURM_JOB_ID") == "" {
		return
	}
	of, srun := os.Getenv("SLURM_NTASKS"), "srun"
	if n := len(hostfile.Components(os.Getenv)); n > 1 {
		of, srun = ledger.Count(n, "component"), "srun --het-group=0"
		for component := 1; component < n; component++ {
			srun += fmt.Sprint(",", component)
		}
	} else if n, err := strconv.Atoi(of); err == nil && n > 1 {
		of = ledger.Count(n, "task")
	} else {
		return
	}
	conf.say.warn(fmt.Sprintf("the job has %s, but this was started without srun: it runs on this node only; start all by  %s %s", of, srun, conf.say.name))
}

// warnOfCores warns of a node with fewer cores than ranks. One rank of the node with the fewest cores
// per rank prints the warning. All ranks call warnOfCores, and it reports to all whether one was
// printed.
func warnOfCores(conf *configuration) (warned bool, err error) {
	comm := conf.plan.Comm
	if comm == nil {
		return false, nil
	}
	ranks, cores, inJob := mpi.RanksHere(comm), comm.Engine().Cores, os.Getenv("SLURM_JOB_ID") != ""
	mine := int64(0)
	if inJob && cores > 0 && ranks > cores {
		mine = int64(1000*ranks/cores)<<32 | int64(comm.Size()-1-comm.Rank())
	}
	if worst, err := most(comm, mine); err != nil || worst == 0 || worst != mine {
		return worst != 0, err
	}
	fmt.Fprintf(os.Stderr, "%s: warning: the %d ranks on %s have %s together: so Slurm has bound them, or a control group; ask for a core for each task (--cpus-per-task=1), and see  srun --cpu-bind=verbose\n",
		conf.say.name, ranks, probe.ThisTask().Host, ledger.Count(cores, "core"))
	return true, nil
}
