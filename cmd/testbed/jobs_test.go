//go:build linux

package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// launchers are the options of mpirun for the MPIs that are here.
func launchers(t *testing.T) [][]string {
	t.Helper()
	var all [][]string
	if _, err := launch.FindOpenMPI(); err == nil {
		all = append(all, nil)
	}
	if _, err := launch.FindMPICH(); err == nil {
		all = append(all, []string{"--mpich"})
	}
	if len(all) == 0 {
		skip(t, "jobs need Open MPI or MPICH")
	}
	return all
}

func TestMpirun(t *testing.T) {
	found := launchers(t)
	bringUp(t, two)
	for _, options := range found {
		line := func(arguments ...string) []string { return slices.Concat([]string{"mpirun"}, options, arguments) }
		hosts := strings.Fields(succeeds(t, line("hostname")...))
		slices.Sort(hosts)
		if got := strings.Join(hosts, " "); got != "far1 far1 near1 near2" {
			t.Errorf("%v: ranks on %s", options, got)
		}
		if got := succeeds(t, line("-n", "1", "hostname")...); got != "near1" {
			t.Errorf("%v: one rank on %s", options, got)
		}
		if r := call(t, line("sh", "-c", "exit 3")...); r.code == 0 {
			t.Errorf("%v: a program that fails has code 0", options)
		}
		if got := succeeds(t, line("-n", "2", "--", "sh", "-c", "echo $MIGBSP_WAIT")...); got != "" {
			t.Errorf("%v: the environment has %q", options, got)
		}
		awaitIdle(t)
	}
}

// A job ends with its launcher, for any end of the launcher.
func TestMpirunKilled(t *testing.T) {
	found := launchers(t)
	beside(t)
	bringUp(t, two)
	for _, options := range found {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
			command := testbed(t, slices.Concat([]string{"mpirun"}, options, []string{"sleep", "1000"})...)
			must.Do(t, command.Start())
			eventually(t, "all ranks are there", func() bool { return len(processesOn(t, "sleep")) == 4 })
			if jobs := state(t).Jobs; len(jobs) != 1 || jobs[0].Processes < 4 || strings.Join(jobs[0].Command, " ") != "sleep 1000" {
				t.Errorf("status has jobs %+v", jobs)
			}
			command.Process.Signal(signal)
			if err := command.Wait(); err == nil {
				t.Errorf("%v: after %v the code is 0", options, signal)
			}
			eventually(t, "all of the job ends", func() bool { return len(state(t).Jobs) == 0 })
			awaitIdle(t)
		}
	}
}

// processesOn are all of a name on the testbed, as a host sees them.
func processesOn(t *testing.T, name string) []string {
	t.Helper()
	return strings.Fields(call(t, "exec", "near1", "sh", "-c", "grep -lsx "+name+" /proc/[0-9]*/comm").out)
}

// awaitIdle waits until no processes run on hosts. Killed processes take time to end on a slow host.
func awaitIdle(t *testing.T) {
	t.Helper()
	eventually(t, "all hosts are idle", func() bool {
		return !slices.ContainsFunc(state(t).Hosts, func(h control.Host) bool { return h.Processes > 0 })
	})
}

func TestSlurm(t *testing.T) {
	if err := slurm.Missing(); err != nil {
		skip(t, err.Error())
	}
	beside(t)
	bringUp(t, two)
	succeeds(t, "slurm", "up")
	succeeds(t, "slurm", "up")
	hosts := strings.Fields(succeeds(t, "exec", "near1", "srun", "-N3", "hostname"))
	slices.Sort(hosts)
	if got := strings.Join(hosts, " "); got != "far1 near1 near2" {
		t.Errorf("srun on %s", got)
	}
	if got := succeeds(t, "exec", "near1", "srun", "-p", "far", "-n2", "hostname"); got != "far1\nfar1" {
		t.Errorf("in a partition srun is on %q", got)
	}
	succeeds(t, "exec", "near2", "sbatch", "-p", "near", "-o", "/dev/null", "--wrap", "sleep 1000")
	eventually(t, "the job runs", func() bool { return len(processesOn(t, "sleep")) == 1 })
	succeeds(t, "slurm", "down")
	if left := processesOn(t, "'sleep\\|slurm.*\\|munged'"); len(left) > 0 {
		t.Errorf("Slurm leaves %v", left)
	}
	awaitIdle(t)
	succeeds(t, "slurm", "up")
	if got := succeeds(t, "exec", "near1", "squeue", "--noheader"); got != "" {
		t.Errorf("a job outlives Slurm: %s", got)
	}
}
