//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"text/tabwriter"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/cmd/testbed/internal/cgroup"
	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
	"github.com/migbsp/migbsp/cmd/testbed/internal/realtime"
	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
	"github.com/migbsp/migbsp/cmd/testbed/internal/space"
)

// finding is the result of check for one subject.
type finding struct {
	level string // ok, lacks, or without (not every testbed needs it)
	name  string
	text  string
}

// check checks all requirements of a testbed, and fails if no testbed can be started.
func check(arguments []string) error {
	if err := take(arguments); err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	lacking := 0
	for _, f := range findings() {
		if f.level == "lacks" {
			lacking++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.level, f.name, f.text)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if lacking > 0 {
		return exit{code: exitFailed}
	}
	return nil
}

func findings() []finding {
	all := []finding{found("root", "processes of root", rootOnly(), "lacks")}
	tree, err := cgroup.Find(control.Name)
	groups := "control groups"
	if err == nil {
		groups = fmt.Sprintf("control groups of version %d with cpu and cpuset", tree.Version())
		err = tree.Usable()
	}
	all = append(all,
		found("groups", groups, err, "lacks"),
		found("namespaces", "namespaces of the network", tryNamespace(), "lacks"),
		found("priority", "real-time priority", realtime.Try(), "lacks"),
		finding{"ok", "cores", fmt.Sprintf("%d, so speeds of at most %d%% in all", runtime.NumCPU(), 90*runtime.NumCPU())})
	tunnel, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	if err == nil {
		tunnel.Close()
	}
	_, openMPI := launch.FindOpenMPI()
	_, mpich := launch.FindMPICH()
	return append(all,
		found("tunnels", "/dev/net/tun, for links with a latency", err, "without"),
		found("openmpi", "Open MPI, for mpirun", openMPI, "without"),
		found("mpich", "MPICH, for mpirun --mpich", mpich, "without"),
		found("slurm", "Slurm and munge, for slurm up", slurm.Missing(), "without"))
}

// found is ok, or another level for an error.
func found(name, text string, err error, otherwise string) finding {
	if err != nil {
		return finding{otherwise, name, err.Error()}
	}
	return finding{"ok", name, text}
}

func rootOnly() error {
	if os.Geteuid() != 0 {
		return errors.New("this is not root's process")
	}
	return nil
}

func tryNamespace() error {
	ns, err := space.NewNet()
	if errors.Is(err, unix.EPERM) {
		return errors.New("no namespaces, which only root can make, and not in every container")
	}
	if err == nil {
		ns.File.Close()
	}
	return err
}
