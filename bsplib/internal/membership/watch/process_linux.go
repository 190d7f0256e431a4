package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stat holds fields of /proc/PID/stat.
type stat struct {
	name, state string
	parent      int
	started     int64 // in clock ticks since the system's start
	code        syscall.WaitStatus
}

func statOf(pid int) (s stat, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, err
	}
	begin, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
	fields := strings.Fields(string(text[end+1:]))
	if begin < 0 || len(fields) < 50 {
		return s, fmt.Errorf("/proc/%d/stat is %q", pid, text)
	}
	number := func(i int) int64 { n, _ := strconv.ParseInt(fields[i], 10, 64); return n }
	return stat{string(text[begin+1 : end]), fields[0], int(number(1)), number(19), syscall.WaitStatus(number(49))}, nil
}

// ended reports whether the process is a zombie, or its parent has just asked for its status.
func (s stat) ended() bool { return s.state == "Z" || s.state == "X" }

// startOf returns the start time of a process, 0 if it does not exist.
func startOf(pid int) int64 {
	s, _ := statOf(pid)
	return s.started
}

// gone reports whether the process of a pid that was started then has ended. A zombie has.
func gone(pid int, started int64) bool {
	s, err := statOf(pid)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH)
	}
	return s.started != started || s.ended()
}

// stopped reports whether a signal or a debugger has stopped a process.
func stopped(pid int) bool {
	s, _ := statOf(pid)
	return s.state == "T" || s.state == "t"
}

// pidfdInfo is the kernel's struct pidfd_info, of Linux 6.15 on.
type pidfdInfo struct {
	mask, cgroup uint64
	ids          [11]uint32
	code         int32
}

const (
	pidfdGetInfo  = 3<<30 | 64<<16 | 0xff<<8 | 11
	pidfdInfoExit = 1 << 3
)

// Descriptions of ends that may be kills for lack of memory.
const (
	killed = "ended by signal 9 (killed)"
	unseen = "its process has ended"
)

// endOf describes the end of a process, and reports whether it was caused by a signal that requests
// an end. The status is in /proc until the parent reads it. Later it is available through the pidfd
// on newer kernels, and on older kernels it is lost.
func endOf(pid, pidfd int, started int64) (seen string, asked bool) {
	var status syscall.WaitStatus
	info := pidfdInfo{mask: pidfdInfoExit}
	if s, err := statOf(pid); err == nil && s.ended() && s.started == started {
		status = s.code
	} else if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(pidfd), pidfdGetInfo, uintptr(unsafe.Pointer(&info))); e == 0 && info.mask&pidfdInfoExit != 0 {
		status = syscall.WaitStatus(info.code)
	} else {
		return unseen, false
	}
	if s := status.Signal(); status.Signaled() {
		return fmt.Sprintf("ended by signal %d (%v)", int(s), s), s == syscall.SIGINT || s == syscall.SIGTERM || s == syscall.SIGHUP
	}
	return fmt.Sprintf("ended with code %d", status.ExitStatus()), false
}

// # How a launcher is ended
//
// The launchers of Open MPI and MPICH wait without end for a host that is cut off. The watcher on the
// launcher's host kills it once a loss has been reported, the ranks of this node have ended, and the
// launcher has not ended for launcherPatience after that. By then the watchers of all reachable hosts
// have ended their ranks too (leaving).
//
// The process killed was identified at the beginning of the run as the launcher of this run only, and
// is held by a descriptor, which a later process with the same pid cannot take over:
//
//   - It is the parent of this node's first rank, or of the rank's hydra_pmi_proxy; only shells
//     may be between. Another process in between might be an unknown launcher inside a
//     known launcher's job, such as a batch system's daemon or a remote login.
//   - Its program runs one job and ends with it. The program counts, because a script can have the
//     same name. Daemons that serve several jobs, such as orted, prte and slurmstepd, and shells of
//     batch jobs do not qualify.
//   - It belongs to this user.
//
// It is not sent SIGTERM first. Open MPI's launcher would end by a fault with a backtrace and MPICH's
// with a list of its functions, on the user's screen, and both would still leave temporary files.
// `migbsp run` hides that output; it sends SIGTERM, and sooner than this.

// launchers lists programs that run one job.
var launchers = []string{"orterun", "prterun", "mpirun", "mpiexec", "mpiexec.hydra"}

var shells = []string{"sh", "bash", "dash", "ksh", "mksh", "zsh", "busybox"}

// launcherPatience is the time in which a launcher must end after all ranks: longer than `migbsp run`
// waits until it sends SIGTERM.
const launcherPatience = 4 * leaving

// launcherOf returns the process on this host that launched a rank's job and runs no other job, or 0
// if that is uncertain.
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

// daemons lists the processes of launchers that start ranks.
var daemons = []string{"orted", "prted", "mpirun", "prterun", "hydra_pmi_proxy", "slurmstepd", "pmi_proxy", "palsd"}

// daemonOf returns the launcher's process among this process's ancestors, 0 if none is known.
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

// holdLauncher returns a descriptor of the launcher, -1 if no launcher may be killed.
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

// endLauncher kills the held launcher if it does not end by itself, because it waits for a lost host.
func (t *task) endLauncher(held int, patience time.Duration) {
	for end := time.Now().Add(patience); !gone(t.Launcher, t.LauncherStart); time.Sleep(pace) {
		if time.Now().After(end) {
			unix.PidfdSendSignal(held, unix.SIGKILL, nil, 0)
			return
		}
	}
}
