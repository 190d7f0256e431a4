package doctor

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// Limits beyond which a measurement is a warning.
const (
	coarseClock = 1e-4 // seconds
	busyShare   = 0.1  // of the cores, by others
)

// checkClock tries the clock by which work is measured.
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
