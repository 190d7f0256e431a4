package laps

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// thread reads the CPU clock of the calling thread. The goroutine may change threads between
// two calls, so the difference of two readings is meaningful only if their ids are equal.
func thread() threadTime {
	var t unix.Timespec
	runtime.LockOSThread() // so that both calls are on one thread
	id, err := unix.Gettid(), unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	runtime.UnlockOSThread()
	if err != nil {
		id = -1
	}
	return threadTime{id: id, used: time.Duration(t.Nano())}
}

// threadFile is the file with the kernel's counts of the time that a thread ran and was ready to
// run, in nanoseconds.
type threadFile struct {
	file *os.File
	id   int
	text [64]byte
}

// counts reads the counts of the calling thread, whose id is given.
func (f *threadFile) counts(id int) waitCounts {
	if f.file == nil || f.id != id {
		f.file.Close()
		f.id = id
		if f.file, _ = os.Open("/proc/self/task/" + strconv.Itoa(id) + "/schedstat"); f.file == nil {
			return waitCounts{id: -1}
		}
	}
	var used unix.Rusage
	n, _ := f.file.ReadAt(f.text[:], 0)
	fields := bytes.Fields(f.text[:n])
	if len(fields) != 3 || unix.Getrusage(unix.RUSAGE_THREAD, &used) != nil {
		return waitCounts{id: -1}
	}
	ready, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return waitCounts{id: -1}
	}
	return waitCounts{id: id, ready: time.Duration(ready), gave: used.Nvcsw}
}
