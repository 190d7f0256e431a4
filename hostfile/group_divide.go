package hostfile

import (
	"path/filepath"
	"slices"
	"strings"
)

// choose takes the first clue that there is.
func (g *grouper) choose() (err error) {
	c := g.clues
	switch {
	case c.Sets != nil:
		g.divided, g.what = c.Sets, filepath.Base(c.Sets.Name)
		if g.grouping.Origin = "-sets " + g.what; strings.HasPrefix(g.what, "-") {
			g.grouping.Origin = g.what // a flag whose value is no file
		}
		return nil
	case c.Hosts != nil && c.Hosts.Divided():
		g.divided, g.what = c.Hosts, filepath.Base(c.Hosts.Name)
		g.grouping.Origin = c.Hosts.DividedBy()
		return nil
	}
	if text := c.Getenv(SetsVariable); text != "" {
		g.divided, err = ParseSets(SetsVariable, text)
		g.grouping.Origin, g.what = SetsVariable, SetsVariable
		return err
	}
	if g.hetComponents() || g.topologyAddresses() || g.nearHosts() {
		return nil
	}
	g.grouping.Assumed = true
	g.grouping.Origin, g.what = "one Set for all hosts", "this run"
	g.divided = &File{Name: g.grouping.Origin}
	return nil
}

// topologyAddresses divides the run by the switches in the environment of Slurm's tasks,
// at the highest level at which there are at least two, as topology.conf does.
func (g *grouper) topologyAddresses() bool {
	switches := make([][]string, len(g.hosts)) // of each host, the highest first
	deepest := 0
	for i := range g.hosts {
		switches[i] = switchesAbove(g.hosts[i].name, g.hosts[i].topology)
		deepest = max(deepest, len(switches[i]))
	}
	for level := range deepest {
		f := &File{Name: "SLURM_TOPOLOGY_ADDR"}
		sets := map[string]int{}
		for i := range g.hosts {
			if level >= len(switches[i]) {
				continue
			}
			name := setName(switches[i][level])
			set, known := sets[name]
			if !known {
				set = len(f.Sets)
				sets[name] = set
				f.Sets = append(f.Sets, newSet(name, 1))
			}
			f.Hosts = append(f.Hosts, Host{Name: g.hosts[i].name, Set: set, Speed: DefaultSpeed, Line: 1, open: true})
		}
		if len(f.Sets) > 1 {
			g.divided, g.what, g.grouping.Origin = f, f.Name, f.Name
			return true
		}
	}
	return false
}

// nearOrigin is the origin of Sets by measured latencies.
const nearOrigin = "measured latencies"

// nearHosts divides the run by measured latencies. A Set has the common beginning of its
// hosts' names, without a number, or the name of its first host.
func (g *grouper) nearHosts() bool {
	if g.clues.Near == nil {
		return false
	}
	names := make(map[int]string)
	var order []int
	for _, h := range g.hosts {
		group := g.clues.Near[h.ranks[0]]
		name, known := names[group]
		if !known {
			name = h.name
			order = append(order, group)
		}
		names[group] = common(name, h.name)
	}
	if len(order) < 2 {
		return false
	}
	f := &File{Name: nearOrigin}
	sets, taken := make(map[int]int), make(map[string]bool)
	for _, group := range order {
		name := strings.TrimRight(names[group], "0123456789-_.")
		if name == "" || taken[name] {
			first := slices.IndexFunc(g.hosts, func(h runHost) bool { return g.clues.Near[h.ranks[0]] == group })
			name = g.hosts[first].name
		}
		taken[name] = true
		sets[group] = len(f.Sets)
		f.Sets = append(f.Sets, newSet(setName(name), 1))
	}
	for _, h := range g.hosts {
		f.Hosts = append(f.Hosts, Host{Name: h.name, Set: sets[g.clues.Near[h.ranks[0]]], Speed: DefaultSpeed, Line: 1, open: true})
	}
	g.divided, g.what, g.grouping.Origin = f, f.Name, f.Name
	return true
}

// common returns the common beginning of two names.
func common(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// switchesAbove returns the switches in wan.siteA.alpha01. The name of a node may have
// dots.
func switchesAbove(host, address string) []string {
	above, found := strings.CutSuffix(address, "."+host)
	if !found {
		end := strings.LastIndexByte(address, '.')
		above = address[:max(0, end)]
	}
	if above == "" {
		return nil
	}
	return strings.Split(above, ".")
}

// setName makes text the name of a Set.
func setName(text string) string {
	name := []byte(text)
	for i, b := range name {
		if !isNameByte(b) {
			name[i] = '-'
		}
	}
	if len(name) == 0 {
		return "-"
	}
	return string(name[:min(len(name), maxNameLength)])
}

// hetComponents divides the run by the components of its job, if it has any.
func (g *grouper) hetComponents() bool {
	size := hetSize(g.clues.Getenv)
	if size == 0 {
		return false
	}
	p := newParser("the Slurm job", Rules{Form: SlurmHosts})
	shared := 0
	for component := range size {
		name, list := hetVariable(g.clues.Getenv, "SLURM_JOB_NODELIST", component)
		if list == "" {
			g.warnf("the Slurm job has %d components, but %s is not set", size, name)
			continue
		}
		p.name = name
		set := p.newSet(token{text: hetSet(g.clues.Getenv, component), line: 1, col: 1}, nil)
		again, err := p.slurmNodes(variable{name, list}, variable{}, set)
		if err != nil {
			g.warnf("components of the Slurm job cannot be read: %v", err.(Problems)[0])
			return false
		}
		shared += again
	}
	if len(p.file.Hosts) == 0 {
		return false
	}
	p.hostFigures()
	if shared > 0 {
		g.warnf("%d %s of the Slurm job in several components, counted to the first", shared, plural(shared, "host"))
	}
	g.divided, g.what, g.grouping.Origin = p.file, "components of the Slurm job", hetOrigin
	return true
}
