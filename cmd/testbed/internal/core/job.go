//go:build linux

package core

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
)

// job is a command with all processes that descend from it, on all hosts. A variable in
// their environment marks them.
type job struct {
	number  int
	command []string
	since   time.Time
}

// runJob gives a job its number and, when the connection ends, kills its remaining
// processes.
func (c *Core) runJob(conn *net.UnixConn, command []string) {
	c.lock.Lock()
	c.last++
	j := &job{c.last, command, time.Now()}
	c.jobs[j.number] = j
	c.lock.Unlock()
	if control.Send(conn, control.Reply{Job: j.number}, nil) == nil {
		io.Copy(io.Discard, conn)
	}
	if !killAll(j.has) {
		fmt.Fprintf(os.Stderr, "core: job %d has processes that do not end\n", j.number)
	}
	c.lock.Lock()
	delete(c.jobs, j.number)
	c.lock.Unlock()
}

// has reports whether a process belongs to the job.
func (j *job) has(pid int) bool {
	return hasVariable(pid, control.Mark+"="+strconv.Itoa(j.number)+"\x00")
}

// slurmHas reports whether a process is one of Slurm's, or belongs to a job of Slurm.
func slurmHas(pid int) bool {
	program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if name := filepath.Base(program); name == "munged" || strings.HasPrefix(name, "slurm") {
		return true // regardless of its environment
	}
	return hasVariable(pid, "SLURM_JOB_ID=")
}

// hasVariable reports whether a variable in the environment of a process begins with begin.
func hasVariable(pid int, begin string) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && strings.Contains("\x00"+string(text), "\x00"+begin)
}

// killAll kills all processes that belong together until none is left. It does not wait for
// ever: some may be waiting for a slow device.
func killAll(belongs func(pid int) bool) bool {
	const patience = 10 * time.Second
	for begin := time.Now(); time.Since(begin) < patience; pause() {
		pids := processes(belongs)
		if len(pids) == 0 {
			return true
		}
		for _, pid := range pids {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
	return false
}

// processes returns the processes of the testbed that belong together.
func processes(belongs func(pid int) bool) []int {
	var pids []int
	paths, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range paths {
		if pid, err := strconv.Atoi(filepath.Base(path)); err == nil && pid != 1 && belongs(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
