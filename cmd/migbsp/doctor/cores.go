package doctor

import (
	"fmt"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

// checkCores finds how many ranks can compute at a time, and whether that is enough.
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

// ranks returns how many ranks this machine may have to run, and the source of that number.
func (s *System) ranks(w Wants) (int, string) {
	if w.Ranks > 0 {
		return w.Ranks, "-ranks"
	}
	if tasks, launcher := s.Launched(); tasks > 0 {
		return tasks, launcher
	}
	return 0, ""
}
