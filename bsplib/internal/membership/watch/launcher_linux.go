package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// # How a launcher is ended
//
// The launchers of Open MPI and MPICH wait without end for a host that is cut off. The watcher
// on the launcher's host kills it: once a loss has been reported, the ranks of this node have
// ended, and the launcher has not for launcherPatience after that. By then the watchers of all
// hosts that can be reached have ended theirs too (leaving).
//
// What is killed was found, when the run began, to be the launcher of this run and of nothing
// else, and is held by a descriptor, which no later process of that number can take over:
//
//   - It is the parent of this node's first rank, or of the rank's hydra_pmi_proxy; only shells
//     may be between. Anything else in between might be a launcher that is not known, inside a
//     job of one that is; batch systems' daemons and remote logins are such.
//   - Its program (not its name, which a script can have too) is one that runs one job and ends
//     with it. Daemons that serve several, as orted, prte and slurmstepd, and shells of batch
//     jobs are none.
//   - It belongs to this user.
//
// It is not asked before: Open MPI's would then end by a fault with a backtrace and MPICH's with a
// list of its functions, on the user's screen, and both leave a directory of temporary files either
// way. `migbsp run`, which keeps that from the screen, asks first, and sooner than this.

// launchers are programs that run one job.
var launchers = []string{"orterun", "prterun", "mpirun", "mpiexec", "mpiexec.hydra"}

var shells = []string{"sh", "bash", "dash", "ksh", "mksh", "zsh", "busybox"}

// launcherPatience is how long a launcher may take to end when all ranks have: longer than
// `migbsp run` waits until it asks.
const launcherPatience = 4 * leaving

// launcherOf returns the process on this host that has started the job of a rank, and that is
// the launcher of nothing else; 0 if that is not sure.
func launcherOf(rank int) int {
	passed := false // hydra_pmi_proxy
	for pid := parentOf(rank); pid > 1; pid = parentOf(pid) {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err != nil {
			return 0
		}
		switch name := filepath.Base(exe); {
		case slices.Contains(launchers, name):
			if info, err := os.Stat(fmt.Sprint("/proc/", pid)); err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
				return 0
			}
			return pid
		case passed:
			return 0
		case name == "hydra_pmi_proxy":
			passed = true
		case !slices.Contains(shells, name):
			return 0
		}
	}
	return 0
}

func parentOf(pid int) int {
	s, _ := statOf(pid)
	return s.parent
}

// daemons are the processes of launchers that start ranks.
var daemons = []string{"orted", "prted", "mpirun", "prterun", "hydra_pmi_proxy", "slurmstepd", "pmi_proxy", "palsd"}

// daemonOf returns the launcher's process among those above this one, 0 if it is none that
// is known.
func daemonOf(pid int) int {
	for range 16 {
		s, _ := statOf(pid)
		if slices.ContainsFunc(daemons, func(name string) bool { return strings.HasPrefix(s.name, name) }) {
			return pid
		}
		pid = s.parent
	}
	return 0
}

// holdLauncher returns a descriptor of the launcher, -1 if there is none to be ended.
func (t *task) holdLauncher() int {
	if t.Launcher == 0 {
		return -1
	}
	fd, err := unix.PidfdOpen(t.Launcher, 0)
	if err != nil || startOf(t.Launcher) != t.LauncherStart {
		return -1
	}
	return fd
}

// endLauncher ends the launcher if that does not end by itself, for it waits for a host that
// is lost.
func endLauncher(pidfd int, patience time.Duration) {
	polled := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	for end := time.Now().Add(patience); ; {
		n, err := unix.Poll(polled, int(max(0, time.Until(end)).Milliseconds()))
		if n > 0 {
			return // it has ended
		}
		if err != unix.EINTR && !time.Now().Before(end) {
			unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0)
			return
		}
	}
}
