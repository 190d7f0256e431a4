package probe

import (
	"io/fs"
	"os"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Root has the files of this machine.
func Root() fs.FS { return kernel.Root() }

// ThisTask describes this rank, by the names of its users and its resource manager. Slurm's
// name of the node comes before the machine's own, because all containers and all hosts of
// a test rig have the same one.
func ThisTask() hostfile.Task {
	host := os.Getenv("SLURMD_NODENAME")
	if host == "" {
		host, _ = os.Hostname()
	}
	return hostfile.Task{Host: host, Topology: os.Getenv("SLURM_TOPOLOGY_ADDR")}
}

// Processor returns the name of the processors of the machine with these files, "" if it is
// not known.
func Processor(root fs.FS) string {
	for _, key := range []string{"model name", "cpu model", "Processor"} {
		if name := kernel.Field(root, "proc/cpuinfo", key); name != "" {
			return name
		}
	}
	return ""
}
