package app

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// If a host has more ranks than cores, the same processes run faster on one rank for each core: the
// rank switches between its processes in a fraction of a microsecond, the system between ranks in
// some microseconds. The program prints this advice once, with the command line to use instead.

// crowd is a host with more ranks than cores.
type crowd struct {
	host  string
	ranks int
	cores float64
	hosts int // number of such hosts
	all   int // number of the run's hosts
}

// fitting returns the number of ranks that would have a core each, 1 at least.
func (c *crowd) fitting() int { return int(math.Ceil(c.cores)) }

// adviseFewerRanks prints advice on the host with the fewest cores for each rank, if that is less
// than one core. All ranks call it.
func adviseFewerRanks(conf *configuration, resumed bool) error {
	if conf.flags.quiet || conf.program.RanksWait || conf.plan.Emulates() {
		return nil
	}
	if conf.plan.Comm == nil {
		ranks := len(conf.plan.Comms)
		if cores := probe.SharedCores(conf.plan.Comms[0]); conf.plan.Platform == nil && float64(ranks) > math.Ceil(cores) {
			c := crowd{ranks: ranks, cores: cores}
			conf.say.advise(fmt.Sprintf("%s: %s does the same with fewer ranks", c.text(), shell.QuoteAll(fewer(conf, resumed, "-ranks", strconv.Itoa(c.fitting())))))
		}
		return nil
	}
	c, err := findCrowd(conf.plan.Comm)
	if err != nil || c == nil || !conf.say.lead {
		return err
	}
	program := append([]string{os.Args[0]}, fewer(conf, resumed)...)
	program = append(program, without(conf.plan.Checkpoint.Caller.Args, "procs", "ranks")...)
	switch start, found := launchLine(c.fitting()); {
	case c.all > 1 || !found:
		conf.say.advise(fmt.Sprintf("%s: one rank for each core does the same, with the program started as  %s", c.text(), shell.QuoteAll(program)))
	default:
		conf.say.advise(fmt.Sprintf("%s: %s does the same with fewer ranks", c.text(), shell.QuoteAll(append(start, program...))))
	}
	return nil
}

// fewer returns flags for the same number of processes on fewer ranks. A run that resumes from a
// checkpoint takes the number of processes from there.
func fewer(conf *configuration, resumed bool, flags ...string) []string {
	if !resumed {
		flags = append(flags, "-procs", strconv.Itoa(conf.plan.Procs))
	}
	return flags
}

// text describes the host.
func (c *crowd) text() string {
	text := fmt.Sprintf("%s share %s", ledger.Count(c.ranks, "rank"), coresText(c.cores))
	if c.host != "" {
		text += " of host " + c.host
	}
	if c.hosts > 1 {
		text += fmt.Sprintf(" (and %d of %d hosts have more ranks than cores)", c.hosts, c.all)
	}
	return text
}

// coresText counts cores, which may be parts of one.
func coresText(cores float64) string {
	if cores == 1 {
		return "1 core"
	}
	return strconv.FormatFloat(math.Round(100*cores)/100, 'g', -1, 64) + " cores"
}

// findCrowd returns the host with the fewest cores for each rank, nil if no host has more ranks
// than cores. All ranks call it, and get the same.
func findCrowd(comm mpi.Comm) (*crowd, error) {
	here := struct {
		Host  string
		Cores float64
	}{probe.ThisTask().Host, math.Ceil(100*probe.SharedCores(comm)) / 100}
	all, err := control.Allgather(control.New(comm), &here)
	if err != nil {
		return nil, err
	}
	var hosts []*crowd
	for _, at := range all {
		i := slices.IndexFunc(hosts, func(c *crowd) bool { return c.host == at.Host })
		if i < 0 {
			i = len(hosts)
			hosts = append(hosts, &crowd{host: at.Host, cores: at.Cores})
		}
		hosts[i].ranks++
		hosts[i].cores = min(hosts[i].cores, at.Cores)
	}
	var worst *crowd
	crowded := 0
	for _, c := range hosts {
		if c.ranks <= c.fitting() {
			continue
		}
		crowded++
		if worst == nil || float64(c.ranks)/c.cores > float64(worst.ranks)/worst.cores {
			worst = c
		}
	}
	if worst != nil {
		worst.hosts, worst.all = crowded, len(hosts)
	}
	return worst, nil
}

// counts are the launchers' flags for the number of ranks.
var counts = []string{"-n", "-np", "--n", "--np", "--ntasks"}

// launchLine returns the command line of this run's launcher, up to the program, for another number
// of ranks.
func launchLine(ranks int) ([]string, bool) {
	_, launcher := mpi.Launched()
	flag := "-n"
	switch launcher {
	case "mpirun":
		flag = "-np"
	case "", "a PMIx launcher":
		return nil, false
	}
	if line := launchedBy(os.Getppid(), os.ReadFile, os.Args); line != nil {
		if line = withCount(line, flag, ranks); line == nil {
			return nil, false
		}
		return line, true
	}
	return append(strings.Fields(launcher), flag, strconv.Itoa(ranks)), true
}

// ancestors is the number of ancestors of this process among which the launcher is searched. It may
// have started a helper that has started this process.
const ancestors = 3

// launchedBy returns the words of the launcher's command line before the program's own, from /proc;
// nil if it finds none.
func launchedBy(pid int, read func(string) ([]byte, error), program []string) []string {
	for range ancestors {
		text, err := read(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			return nil
		}
		words := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
		if before := len(words) - len(program); before > 0 && slices.Equal(words[before:], program) {
			return words[:before]
		}
		status, err := read(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return nil
		}
		_, after, _ := strings.Cut(string(status), "\nPPid:")
		line, _, _ := strings.Cut(after, "\n")
		if pid, err = strconv.Atoi(strings.TrimSpace(line)); err != nil || pid <= 1 {
			return nil
		}
	}
	return nil
}

// withCount returns a launcher's command line with another number of ranks; nil if other words of
// it also decide on the number of ranks.
func withCount(line []string, flag string, ranks int) []string {
	line = slices.Clone(line)
	set := false
	for i, word := range line {
		name, _, whole := strings.Cut(word, "=")
		if word == ":" || strings.Contains(word, "ppr:") || slices.Contains([]string{"-N", "-c", "-ppn", "--ppn", "--npernode", "-npernode", "--ntasks-per-node"}, name) {
			return nil
		}
		if i == 0 || !slices.Contains(counts, name) || set {
			continue
		}
		switch {
		case whole:
			line[i], set = name+"="+strconv.Itoa(ranks), true
		case i+1 < len(line):
			line[i+1], set = strconv.Itoa(ranks), true
		}
	}
	if !set {
		line = slices.Insert(line, 1, flag, strconv.Itoa(ranks))
	}
	return line
}

// without returns a command line without some of its flags and their values.
func without(args []string, flags ...string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		name, dashed := strings.CutPrefix(args[i], "-")
		name, _, whole := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		if dashed && slices.Contains(flags, name) {
			if !whole {
				i++
			}
			continue
		}
		kept = append(kept, args[i])
	}
	return kept
}
