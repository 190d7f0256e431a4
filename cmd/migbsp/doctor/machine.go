package doctor

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

// checkCores compares the number of ranks that can compute at a time with the number to run.
func checkCores(s *System, w Wants) []Finding {
	c := probe.CoresOf(s.Files)
	found := coresFound(c)
	if ranks, why := s.ranks(w); float64(ranks) > c.Usable() {
		text := fmt.Sprintf("%s (%s) on %s", ledger.Count(ranks, "rank"), why, describe(c))
		found = append(found, note(text, "on this machine alone they wait for each other: mpirun of Open MPI wants --oversubscribe, and MIGBSP_WAIT=nap helps")...)
	}
	return found
}

func coresFound(c probe.Cores) []Finding {
	text := describe(c)
	switch {
	case c.Quota > 0 && c.Quota < float64(c.Allowed):
		return note(text, "no more ranks than the quota of the control group; ranks beyond it are stopped now and then")
	case c.Allowed < c.Online:
		return note(text, "a launcher or taskset has bound this process; for several goroutine ranks in one process: mpirun --bind-to none, or srun --cpu-bind=none")
	default:
		return ok(text)
	}
}

func describe(c probe.Cores) string {
	text := ledger.Count(c.Online, "core")
	if c.Allowed < c.Online {
		text += fmt.Sprintf(", %d of them for this process (affinity)", c.Allowed)
	}
	if c.Quota > 0 {
		text += fmt.Sprintf(", for %.3g of them time (cgroup quota)", c.Quota)
	}
	return text
}

// ranks returns the number of ranks that this machine may have to run, and the source of that
// number.
func (s *System) ranks(w Wants) (int, string) {
	if w.Ranks > 0 {
		return w.Ranks, "-ranks"
	}
	if tasks, launcher := s.Launched(); tasks > 0 {
		return tasks, launcher
	}
	return 0, ""
}

const (
	littleMemory = 512 << 20 // bytes that are left
	littleShared = 256 << 20 // bytes of /dev/shm; containers often have 64 MiB
)

// checkMemory finds the amount of memory and its limits.
func checkMemory(s *System, _ Wants) []Finding {
	m := s.Memory()
	text := fmt.Sprintf("%s of %s are available", ledger.Bytes(m.Available), ledger.Bytes(m.Total))
	if m.Group > 0 {
		text += ", the control group may have " + ledger.Bytes(m.Group)
	}
	if m.Space != probe.Unlimited {
		return note(text+", a process "+ledger.Bytes(m.Space)+" of addresses", "Go and MPI reserve more addresses than they use: ulimit -v unlimited")
	}
	if m.Available < littleMemory {
		return note(text, "choose small problems, or end what else runs here")
	}
	return ok(text)
}

// checkLocked checks the limit of locked memory, which fast networks need.
func checkLocked(s *System, _ Wants) []Finding {
	m := s.Memory()
	if m.Locked == probe.Unlimited {
		return ok("no limit on locked memory")
	}
	text := "at most " + ledger.Bytes(m.Locked) + " of locked memory"
	if s.exists("sys/class/infiniband") {
		return note(text, "InfiniBand wants more: ulimit -l unlimited, or memlock in limits.conf")
	}
	return ok(text + "; only InfiniBand wants more")
}

// checkShared checks the file system through which MPIs share memory.
func checkShared(s *System, _ Wants) []Finding {
	size, free, err := s.Space("/dev/shm")
	if err != nil {
		return note("/dev/shm: "+err.Error(), "MPIs share memory of a node there; migbsp's own shared memory does without")
	}
	text := fmt.Sprintf("/dev/shm has %s, %s of them free", ledger.Bytes(size), ledger.Bytes(free))
	if free < littleShared {
		return note(text, "MPIs share memory there: remove what is left of old runs, or start the container with --shm-size=1g")
	}
	return ok(text)
}

// Limits beyond which a measurement is a warning.
const (
	coarseClock = 1e-4 // seconds
	busyShare   = 0.1  // of the cores, by others
)

// checkClock tries the clock that measures work.
func checkClock(s *System, _ Wants) []Finding {
	const do = "work is then measured in elapsed time: run on nodes without foreign load"
	c, err := s.Clock()
	if err != nil {
		return note(err.Error(), do)
	}
	text := fmt.Sprintf("the clock of threads advances in steps of %s, reading it takes %s", ledger.SecondsOf(c.Step), ledger.SecondsOf(c.Read))
	if c.Step > coarseClock {
		return note(text, "supersteps shorter than that cannot be told apart: give processes more work in each")
	}
	return ok(text)
}

// checkLoad measures the load of other programs.
func checkLoad(s *System, _ Wants) []Finding {
	l, err := s.Load()
	text := fmt.Sprintf("load %.2f", l.One)
	if err != nil {
		return note(text+"; "+err.Error(), "what others use can then not be seen")
	}
	text += fmt.Sprintf(", others use %.0f%% of the cores now", 100*l.Others)
	if l.Stolen > 0 {
		text += fmt.Sprintf(" (%.0f%% stolen by the host of this virtual machine)", 100*l.Stolen)
	}
	if l.Others > busyShare {
		return note(text, "measurements will vary; processes will move away from here when that pays")
	}
	return ok(text)
}

// checkNetwork lists the interfaces that lead to other machines.
func checkNetwork(s *System, _ Wants) []Finding {
	all, err := s.Links()
	var names []string
	for _, is := range all {
		if is.Loopback || !is.Up {
			continue
		}
		name := is.Name
		if is.Rate > 0 {
			name += fmt.Sprintf(" %.3g Gb/s", float64(is.Rate)/1e9)
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	switch {
	case len(names) == 0 && err == nil:
		return note("no interface to other machines is up", "runs on this machine alone do without")
	case err != nil:
		return note(strings.TrimPrefix(text+"; "+err.Error(), "; "), "counters of interfaces are then not known to migbsp probe")
	default:
		return ok(text + " up; counters by netlink")
	}
}

// checkProc checks the files that ranks and probes read.
func checkProc(s *System, _ Wants) []Finding {
	var unread []string
	for _, name := range []string{"proc/self/status", "proc/stat", "proc/loadavg", "proc/self/fd"} {
		f, err := s.Files.Open(name)
		if err != nil {
			unread = append(unread, "/"+name)
			continue
		}
		f.Close()
	}
	if len(unread) == 0 {
		return ok("/proc can be read")
	}
	if _, err := fs.Stat(s.Files, "proc"); err != nil {
		return note("there is no /proc", "load, limits and quotas are then not known, and no lost rank is named")
	}
	return note("cannot read "+strings.Join(unread, ", "), "load and limits may then not be known, and ranks of a node share no memory")
}
