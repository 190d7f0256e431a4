package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stat is what /proc/PID/stat says of a process.
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

// startOf returns when a process was started, 0 if there is none.
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
	return s.started != started || s.state == "Z" || s.state == "X"
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

// statusOf returns how a process has ended. The kernel tells it of zombies, and newer ones
// by the pidfd of what is no zombie any more; so it looks for both, until patience ends.
func statusOf(pid, pidfd int, started int64, patience time.Duration) (status syscall.WaitStatus, known bool) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if s, err := statOf(pid); err == nil && s.state == "Z" && s.started == started {
			return s.code, true
		}
		info := pidfdInfo{mask: pidfdInfoExit}
		if pidfd >= 0 {
			_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(pidfd), pidfdGetInfo, uintptr(unsafe.Pointer(&info)))
			if e == 0 && info.mask&pidfdInfoExit != 0 {
				return syscall.WaitStatus(info.code), true
			}
		}
		if time.Now().After(end) {
			return 0, false
		}
	}
}

// described says how a process has ended.
func described(status syscall.WaitStatus, known bool) string {
	switch {
	case !known:
		return "its process has ended"
	case status.Signaled():
		return fmt.Sprintf("ended by signal %d (%v)", int(status.Signal()), status.Signal())
	default:
		return fmt.Sprintf("ended with code %d", status.ExitStatus())
	}
}

// isRequest reports whether a process has ended by a signal that asks for it.
func isRequest(status syscall.WaitStatus, known bool) bool {
	return known && status.Signaled() &&
		(status.Signal() == syscall.SIGINT || status.Signal() == syscall.SIGTERM || status.Signal() == syscall.SIGHUP)
}
