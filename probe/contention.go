package probe

import (
	"hash/fnv"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Contention counts the seconds, from some start time on, in which a rank may have been kept from
// running, by cause. The kernel counts for threads, groups and cores, not for a program's work:
// figures of Contention divide a loss of time that was measured by other means.
type Contention struct {
	Delay     float64 // that the calling thread, or all threads of the process, were ready and did not run
	Throttled float64 // that the quota of its control group was used up: a part of Delay
	Stolen    float64 // taken from a core by the host of a virtual machine: the mean of the cores that the process may use
	Own       float64 // processor time of the process
	Busy      float64 // processor time of all programs on the cores that the process may use
}

// Since returns the counts since an earlier moment. A counter that went back counts 0:
// counters of ended threads do.
func (c Contention) Since(e Contention) Contention {
	return Contention{
		Delay: max(0, c.Delay-e.Delay), Throttled: max(0, c.Throttled-e.Throttled), Stolen: max(0, c.Stolen-e.Stolen),
		Own: max(0, c.Own-e.Own), Busy: max(0, c.Busy-e.Busy),
	}
}

// ContentionOf reads the files of a machine, for all threads of this process or for the calling
// thread. Unknown counts are 0.
func ContentionOf(root fs.FS, allThreads bool) Contention {
	c := Contention{Throttled: throttledTime(root), Own: ownTime(root)}
	files := []string{"proc/thread-self/schedstat"}
	if allThreads {
		files, _ = fs.Glob(root, "proc/self/task/*/schedstat")
	}
	for _, name := range files {
		if fields := strings.Fields(kernel.FirstLine(root, name)); len(fields) == 3 {
			c.Delay += number(fields[1]) / 1e9
		}
	}
	c.Busy, c.Stolen = coreTimes(root)
	return c
}

// MeasureContention is ContentionOf this machine.
func MeasureContention(allThreads bool) Contention { return ContentionOf(kernel.Root(), allThreads) }

// CoresKey differs between processes that may use different cores of a machine.
func CoresKey() uint64 {
	h := fnv.New64a()
	h.Write([]byte(kernel.AllowedCores(kernel.Root())))
	return h.Sum64()
}

// ProcessKey differs between processes of a machine.
func ProcessKey() uint64 { return uint64(os.Getpid()) }

// ticks is the unit of times in /proc: hundredths of a second, on all systems of Go.
const ticks = 0.01

func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x < 0 {
		return 0
	}
	return x
}

// throttledTime returns the time for which the most throttled group of this process was throttled.
func throttledTime(root fs.FS) (most float64) {
	for _, counters := range kernel.CPUCounters(root) {
		most = max(most, kernel.Throttled(counters))
	}
	return most
}

// ownTime returns the processor time of this process.
func ownTime(root fs.FS) float64 {
	line := kernel.FirstLine(root, "proc/self/stat")
	fields := strings.Fields(line[strings.LastIndex(line, ")")+1:]) // the name may have blanks
	if len(fields) < 13 {
		return 0
	}
	return ticks * (number(fields[11]) + number(fields[12]))
}

// coreTimes returns the time that the cores that this process may use were busy, all together, and
// the mean time stolen from one.
func coreTimes(root fs.FS) (busy, stolen float64) {
	allowed := kernel.Numbers(kernel.AllowedCores(root))
	mine := make(map[string]bool, len(allowed))
	for _, core := range allowed {
		mine["cpu"+strconv.Itoa(core)] = true
	}
	text, err := fs.ReadFile(root, "proc/stat")
	if err != nil {
		return 0, 0
	}
	cores := 0.0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "cpu") {
			break
		}
		// cpuN user nice system idle iowait irq softirq steal
		fields := strings.Fields(line)
		if len(fields) < 8 || !mine[fields[0]] {
			continue
		}
		cores++
		for _, i := range []int{1, 2, 3, 6, 7} {
			busy += ticks * number(fields[i])
		}
		if len(fields) > 8 {
			stolen += ticks * number(fields[8])
		}
	}
	return busy, stolen / max(1, cores)
}
