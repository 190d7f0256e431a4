package hostfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// build makes the Grouping if there is no error.
func (g *grouper) build() {
	g.grouping.File = &File{Name: g.divided.Name}
	if g.clues.Hosts != nil {
		g.grouping.File.Name = g.clues.Hosts.Name
	}
	from := g.buildSets()
	g.buildHosts()
	g.buildManagers()
	g.carryNetwork(from)
	g.warnOfSlots()
}

// buildSets enters the Sets that have ranks and returns their indices in the
// dividing file; -1 stands for Set "default" if the file has none. From then on
// the hosts' Sets are indices of the run's Sets.
func (g *grouper) buildSets() (from []int) {
	ranks := make([]int, len(g.divided.Sets))
	var rest []string // hosts that no Set names
	explicit := -1    // Set "default" in the dividing file
	for i := range g.divided.Sets {
		if s := &g.divided.Sets[i]; s.Name == DefaultSet {
			explicit = i
		}
	}
	for i := range g.hosts {
		h := &g.hosts[i]
		if h.set < 0 {
			rest = append(rest, fmt.Sprintf("%s (%s)", h.name, h.shown()))
			h.set = explicit
		}
		if h.set >= 0 {
			ranks[h.set] += len(h.ranks)
		}
	}
	now := make([]int, len(ranks))
	for i := range g.divided.Sets {
		switch s := g.divided.Sets[i]; {
		case ranks[i] > 0:
			now[i] = len(from)
			from, g.grouping.File.Sets = append(from, i), append(g.grouping.File.Sets, s)
		case !s.implied():
			g.warnf("%s: no rank of the run is in Set %s, which is left out", g.what, s.Name)
		}
	}
	for i := range g.hosts {
		if h := &g.hosts[i]; h.set >= 0 {
			h.set = now[h.set]
		} else {
			h.set = len(from)
		}
	}
	if len(rest) > 0 && explicit < 0 {
		from, g.grouping.File.Sets = append(from, -1), append(g.grouping.File.Sets, newSet(DefaultSet, 0))
	}
	if len(rest) > 0 && g.divided.Divided() {
		g.warnf("%s: no Set has %s %s; in Set %s", g.what, plural(len(rest), "host"), someOf(rest), DefaultSet)
	}
	return from
}

// buildHosts enters the hosts with their own figures.
func (g *grouper) buildHosts() {
	var unknown []string
	for i := range g.hosts {
		r := &g.hosts[i]
		s := &g.grouping.File.Sets[r.set]
		h := Host{Name: r.name, Slots: len(r.ranks), Set: r.set, Speed: s.Speed, Memory: s.Memory}
		wanted := speedGiven | memoryGiven
		if r.divided >= 0 {
			wanted &^= h.take(g.divided, r.divided, wanted)
		}
		wanted &^= s.figures()
		if r.known >= 0 && g.clues.Hosts != g.divided {
			h.take(g.clues.Hosts, r.known, wanted)
		}
		g.grouping.File.Hosts = append(g.grouping.File.Hosts, h)
		if g.clues.Hosts != nil && r.known < 0 {
			unknown = append(unknown, fmt.Sprintf("%s (%s)", r.name, r.shown()))
		}
	}
	if len(unknown) > 0 && g.clues.Hosts != g.divided {
		g.warnf("%s: no line names %s %s", filepath.Base(g.clues.Hosts.Name), plural(len(unknown), "host"), someOf(unknown))
	}
}

// take copies the wanted figures of a file's host to a host of the run, and returns the
// figures that the file has.
func (h *Host) take(f *File, host int, wanted figures) figures {
	from := &f.Hosts[host]
	h.Name, h.User, h.MaxSlots, h.Line = from.Name, from.User, from.MaxSlots, from.Line
	s := &f.Sets[from.Set]
	own := from.figures(s)
	given := (own | s.figures()) & wanted
	if given&speedGiven != 0 {
		h.Speed = from.Speed
	}
	if given&memoryGiven != 0 {
		h.Memory = from.Memory
	}
	h.given |= own & wanted
	return given
}

// buildManagers finds the rank of each Set's manager.
func (g *grouper) buildManagers() {
	g.grouping.Managers = slices.Repeat([]int{-1}, len(g.grouping.File.Sets))
	for rank, host := range g.grouping.Place {
		if set := g.grouping.File.Hosts[host].Set; g.grouping.Managers[set] < 0 {
			g.grouping.Managers[set] = rank
		}
	}
	names, _ := g.divided.index()
	hosts := map[int]int{} // of the run, by the dividing file's
	for i := range g.hosts {
		hosts[g.hosts[i].divided] = i
	}
	for set := range g.grouping.File.Sets {
		s := &g.grouping.File.Sets[set]
		if s.Manager == "" {
			continue
		}
		manager, _ := names.lookUp(s.Manager)
		host, there := hosts[manager]
		if !there {
			g.warnf("%s: no rank of the run is on host %s, the manager of Set %s; rank %d manages it", g.what, s.Manager, s.Name, g.grouping.Managers[set])
			s.Manager = ""
			continue
		}
		g.grouping.Managers[set], s.Manager = g.hosts[host].ranks[0], g.grouping.File.Hosts[host].Name
	}
}

// warnOfSlots compares ranks with the slots that files give to hosts.
func (g *grouper) warnOfSlots() {
	for i := range g.hosts {
		h := &g.hosts[i]
		file, host := g.clues.Hosts, h.known
		if host < 0 {
			file, host = g.divided, h.divided
		}
		if host < 0 || file.Hosts[host].open || len(h.ranks) <= file.Hosts[host].Slots {
			continue
		}
		g.warnf("%s: %d ranks on host %s, which has %d %s", filepath.Base(file.Name), len(h.ranks), file.Hosts[host].Name,
			file.Hosts[host].Slots, plural(file.Hosts[host].Slots, "slot"))
	}
}

// someOf returns "a, b, c", or the first of them.
func someOf(words []string) string {
	if len(words) > maxListed {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:maxListed], ", "), len(words)-maxListed)
	}
	return strings.Join(words, ", ")
}

// carryNetwork gives the Sets of a run the links and figures of the dividing file's
// network; from has the index there of each Set. If that file has no network, and Hosts has
// one with other Sets, a Set's network is as slow as the slowest one between the Sets of
// Hosts that have its hosts.
func (g *grouper) carryNetwork(from []int) {
	f, hosts := g.grouping.File, g.clues.Hosts
	f.Barrier, f.barrierGiven = g.divided.Barrier, g.divided.barrierGiven
	now := map[int]int{}
	for set, before := range from {
		now[before] = set
	}
	for _, l := range g.divided.Links {
		a, usedA := now[l.A]
		b, usedB := now[l.B]
		if usedA && usedB {
			l.A, l.B = a, b
			f.Links = append(f.Links, l)
		}
	}
	if hosts == nil || hosts == g.divided {
		return
	}
	if !f.barrierGiven && f.Barrier == 0 {
		f.Barrier, f.barrierGiven = hosts.Barrier, hosts.barrierGiven
	}
	if hosts.networked() && !g.divided.networked() {
		g.carryFigures()
	}
}

// carryFigures gives Sets and links the network of Hosts.
func (g *grouper) carryFigures() {
	f := g.grouping.File
	before := make([][]int, len(f.Sets)) // Sets of Hosts, by Set
	for i := range g.hosts {
		if known := g.hosts[i].known; known >= 0 {
			set := g.hosts[i].set
			before[set] = append(before[set], g.clues.Hosts.Hosts[known].Set)
		}
	}
	for set := range before {
		slices.Sort(before[set])
		before[set] = slices.Compact(before[set])
		if rate, latency, found := g.slowest(before[set], before[set]); found {
			f.Sets[set].Rate, f.Sets[set].Latency = rate, latency
		}
	}
	for a := range before {
		for b := a + 1; b < len(before); b++ {
			rate, latency, found := g.slowest(before[a], before[b])
			link := f.Between(a, b)
			if found && (rate != link.Rate || latency != link.Latency) {
				f.Links = append(f.Links, Link{A: a, B: b, Rate: rate, Latency: latency})
			}
		}
	}
}

// slowest returns the lowest rate and the highest latency between Sets of Hosts.
func (g *grouper) slowest(from, to []int) (rate float64, latency time.Duration, found bool) {
	for _, a := range from {
		for _, b := range to {
			l := g.clues.Hosts.Between(a, b)
			if !found || l.Rate < rate {
				rate = l.Rate
			}
			latency, found = max(latency, l.Latency), true
		}
	}
	return rate, latency, found
}

// networked reports whether the file gives any figure of a network.
func (f *File) networked() bool {
	if len(f.Links) > 0 {
		return true
	}
	return slices.ContainsFunc(f.Sets, func(s Set) bool { return s.figures()&(rateGiven|latencyGiven) != 0 })
}
