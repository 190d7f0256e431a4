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

// statOf returns the fields of /proc/PID/stat from the second on, the name without its
// brackets.
func statOf(pid int) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	open, close := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
	if open < 0 || close < open {
		return nil, fmt.Errorf("/proc/%d/stat is %q", pid, text)
	}
	return append([]string{string(text[open+1 : close])}, strings.Fields(string(text[close+1:]))...), nil
}

// Places of fields in what statOf returns.
const (
	statState = 1
	statStart = 20
	statCode  = 50
)

// startOf returns when a process was started, 0 if there is none.
func startOf(pid int) int64 {
	fields, err := statOf(pid)
	if err != nil || len(fields) <= statStart {
		return 0
	}
	start, _ := strconv.ParseInt(fields[statStart], 10, 64)
	return start
}

// gone reports whether the process of a pid that was started then has ended. A zombie has.
func gone(pid int, started int64) bool {
	fields, err := statOf(pid)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH)
	}
	if len(fields) <= statStart {
		return true
	}
	start, _ := strconv.ParseInt(fields[statStart], 10, 64)
	return start != started || fields[statState] == "Z" || fields[statState] == "X"
}

// stopped reports whether a signal or a debugger has stopped a process.
func stopped(pid int) bool {
	fields, err := statOf(pid)
	return err == nil && len(fields) > statState && (fields[statState] == "T" || fields[statState] == "t")
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
		if fields, err := statOf(pid); err == nil && len(fields) > statCode && fields[statState] == "Z" && startOf(pid) == started {
			if code, err := strconv.Atoi(fields[statCode]); err == nil {
				return syscall.WaitStatus(code), true
			}
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
	if !known || !status.Signaled() {
		return false
	}
	switch status.Signal() {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP:
		return true
	}
	return false
}
