package hostfile

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Figures of hosts and links that the file does not give.
const (
	DefaultSet     = "default" // of hosts in no Set
	DefaultSpeed   = 1.0
	DefaultRate    = 10e9 / 8 // bytes per second: 10 Gb/s
	DefaultLatency = 20 * time.Microsecond
)

// File is the contents of a host file. Each Set has a host and a slot, and there
// is at least one Set.
type File struct {
	Name    string
	Hosts   []Host // in the order in which the file first names them
	Sets    []Set  // in the order of the file; Set "default" last if it has no line
	Links   []Link
	Barrier time.Duration // fixed cost of a superstep

	Warnings []Problem // by line

	barrierGiven bool
	dividedBy    string // "" if lines #@set say which host is in which Set
}

// Host is a node.
type Host struct {
	Name     string // without user; IPv6 addresses without brackets
	User     string // account there, or ""
	Slots    int    // ranks it takes; may be 0
	MaxSlots int    // 0 if not given
	Set      int    // index in Sets
	Speed    float64
	Memory   int64 // bytes, 0: not limited
	Share    Share // part of Speed that it gives over time
	Line     int   // that names it first

	given figures
	open  bool // named once without a number of slots, which then is the launcher's choice
}

// Set is a group of hosts that are close to each other.
type Set struct {
	Name    string
	Manager string        // name of one of its hosts, or "" if the file names none
	Speed   float64       // of its hosts, if they have none of their own
	Rate    float64       // of each host's link, bytes per second
	Latency time.Duration // between two of its hosts
	Memory  int64         // of its hosts, if they have none of their own
	Line    int           // 0 if it has none: Set "default"

	given figures
}

// Link joins the hosts of two Sets.
type Link struct {
	A, B    int     // indices in Sets
	Rate    float64 // bytes per second, shared by all from A to B, and again from B to A
	Latency time.Duration
	Share   Share // part of Rate that it gives over time
	Line    int   // 0 if no line gives it
}

// figures is the set of figures that the file gives, as bits.
type figures uint8

const (
	speedGiven figures = 1 << iota
	rateGiven
	latencyGiven
	memoryGiven
)

// Ranks returns the number of slots of all hosts.
func (f *File) Ranks() int {
	slots := 0
	for _, h := range f.Hosts {
		slots += h.Slots
	}
	return slots
}

// Place returns the index of the host of a rank: ranks fill the hosts' slots in the
// order of the file. It is -1 if there is no such rank. Cost: one pass over the
// hosts.
func (f *File) Place(rank int) (host int) {
	if rank < 0 {
		return -1
	}
	for i, h := range f.Hosts {
		if rank < h.Slots {
			return i
		}
		rank -= h.Slots
	}
	return -1
}

// Manager returns the rank of a Set's manager: the first slot of the host that the file
// names, else the Set's lowest rank. It is -1 if the Set has no slots, which Parse refuses.
func (f *File) Manager(set int) int {
	lowest, rank := -1, 0
	for _, h := range f.Hosts {
		if h.Set == set && h.Slots > 0 {
			if h.Name == f.Sets[set].Manager {
				return rank
			}
			if lowest < 0 {
				lowest = rank
			}
		}
		rank += h.Slots
	}
	return lowest
}

// Between returns the link from Set a to Set b. Where the file has none it is as fast
// as the slower of the two Sets' and has the latency of both together. From a Set
// to itself it is a host's own link.
func (f *File) Between(a, b int) Link {
	from, to := f.Sets[a], f.Sets[b]
	if a == b {
		return Link{A: a, B: b, Rate: from.Rate, Latency: from.Latency}
	}
	for _, l := range f.Links {
		if l.A == a && l.B == b || l.A == b && l.B == a {
			l.A, l.B = a, b
			return l
		}
	}
	return Link{A: a, B: b, Rate: min(from.Rate, to.Rate), Latency: from.Latency + to.Latency}
}

// Emulated reports whether the file gives any figure of a platform, be it the
// default: a speed, rate, latency, memory, link or barrier.
func (f *File) Emulated() bool {
	if f.barrierGiven || f.Barrier != 0 || len(f.Links) > 0 {
		return true
	}
	for _, s := range f.Sets {
		if s.figures() != 0 {
			return true
		}
	}
	return slices.ContainsFunc(f.Hosts, func(h Host) bool { return h.figures(&f.Sets[h.Set]) != 0 })
}

// figures returns the figures that must be written: given, or other than the default.
func (s *Set) figures() figures {
	return s.given |
		speedGiven.when(s.Speed != DefaultSpeed) | rateGiven.when(s.Rate != DefaultRate) |
		latencyGiven.when(s.Latency != DefaultLatency) | memoryGiven.when(s.Memory != 0)
}

// figures returns the figures that must be written: given, or other than the Set's.
func (h *Host) figures(s *Set) figures {
	return h.given | speedGiven.when(h.Speed != s.Speed) | memoryGiven.when(h.Memory != s.Memory)
}

func (g figures) when(holds bool) figures {
	if holds {
		return g
	}
	return 0
}

// implied reports whether the Set has the hosts that no line puts into one.
func (s *Set) implied() bool { return s.Line == 0 && s.Name == DefaultSet }

// Divided reports whether the file has Sets.
func (f *File) Divided() bool {
	return slices.ContainsFunc(f.Sets, func(s Set) bool { return !s.implied() })
}

// DividedBy names the part of the file that puts hosts into Sets, for people: "#@set lines
// of my.hosts", "switches of topology.conf", "het groups of the Slurm job". It is
// "" if the file does not divide its hosts.
func (f *File) DividedBy() string {
	switch {
	case !f.Divided():
		return ""
	case f.dividedBy != "":
		return f.dividedBy
	default:
		return "#@set lines of " + filepath.Base(f.Name)
	}
}

// Share names a file with the part of its speed or rate that a host or a link gives over
// time, and the place of that name. Package sim reads such files; this package and programs
// that run ignore them.
type Share struct {
	File      string // "" if there is none
	Line, Col int
}

// Shared reports whether a host or a link has a Share.
func (f *File) Shared() bool {
	return slices.ContainsFunc(f.Hosts, func(h Host) bool { return h.Share.File != "" }) ||
		slices.ContainsFunc(f.Links, func(l Link) bool { return l.Share.File != "" })
}

// written returns the attribute with a blank before it, "" if there is no share.
func (s Share) written() string {
	switch {
	case s.File == "":
		return ""
	case strings.ContainsAny(s.File, blanks):
		return ` share="` + s.File + `"`
	}
	return " share=" + s.File
}

// Blocks returns the rank of each process at the start of a run. Each of the ranks, which
// are the slots in the order of the file, has consecutive processes.
func Blocks(processes, ranks int) []int32 {
	where := make([]int32, processes)
	for to := range ranks {
		for pid := to * processes / ranks; pid < (to+1)*processes/ranks; pid++ {
			where[pid] = int32(to)
		}
	}
	return where
}

// problem is one with a line of a file that is made already.
func (f *File) problem(line int, read, expected string) error {
	return Problems{*token{line: max(1, line), col: 1}.problemIn(f.Name, read, expected)}
}

func newSet(name string, line int) Set {
	return Set{Name: name, Speed: DefaultSpeed, Rate: DefaultRate, Latency: DefaultLatency, Line: line}
}
