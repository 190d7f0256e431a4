package watch

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// crashBytes is the part of a crash's text that is kept: its causes come first. A pipe holds as much.
const crashBytes = 64 << 10

// crashPipe makes Go's runtime write a copy of a crash's text to a pipe, and returns both ends. The
// runtime does not wait for a reader: text beyond the pipe's capacity is lost.
func crashPipe() (reading int, writing *os.File, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return -1, nil, err
	}
	writing = os.NewFile(uintptr(ends[1]), "crash")
	if err := debug.SetCrashOutput(writing, debug.CrashOptions{}); err != nil {
		unix.Close(ends[0])
		writing.Close()
		return -1, nil, err
	}
	return ends[0], writing, nil
}

// allocators lists functions of Go's runtime that end the program if the system has no memory.
var allocators = []string{
	"sysMapOS", "sysUsedOS", "persistentalloc1", "stackalloc", "stackpoolalloc", "(*mcache).refill", "(*mcache).allocLarge", "(*mheap).sysAlloc",
}

// outOfMemory reports whether a crash was caused by lack of memory. Its text begins with the stack of
// the crash: the runtime writes its reason to the standard error only.
func outOfMemory(crash string) bool {
	_, after, found := strings.Cut(crash, "\nruntime.throw(")
	_, after, _ = strings.Cut(after, "\n") // the arguments
	_, after, _ = strings.Cut(after, "\n") // the line of throw
	return found && slices.ContainsFunc(allocators, func(name string) bool { return strings.HasPrefix(after, "runtime."+name+"(") })
}

// oomKills counts the processes of a control group that the kernel has killed to free memory.
type oomKills struct {
	file  string
	first int
}

// oomKillsOf returns the count for the control group of a process, from now on. Without control
// groups it counts all processes of the host.
func oomKillsOf(pid int) oomKills {
	files := []string{"/proc/vmstat"}
	groups, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		switch {
		case len(fields) < 3:
		case fields[0] == "0":
			files = append(files, "/sys/fs/cgroup"+fields[2]+"/memory.events")
		case strings.Contains(","+fields[1]+",", ",memory,"):
			files = append(files, "/sys/fs/cgroup/memory"+fields[2]+"/memory.oom_control")
		}
	}
	k := oomKills{}
	for _, file := range files {
		if n, err := countIn(file); err == nil {
			k = oomKills{file, n}
		}
	}
	return k
}

// countIn returns the count of a file.
func countIn(file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok {
			return strconv.Atoi(strings.TrimSpace(n))
		}
	}
	return 0, fmt.Errorf("%s has no oom_kill", file)
}

// grown reports whether the count has increased.
func (k oomKills) grown() bool {
	n, err := countIn(k.file)
	return err == nil && n > k.first
}
