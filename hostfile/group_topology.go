package hostfile

import "strings"

// topologyAddresses divides the run by the switches that Slurm tells its tasks,
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
			g.divided, g.what, g.Origin = f, f.Name, f.Name
			return true
		}
	}
	return false
}

// switchesAbove are the switches in wan.siteA.alpha01. The name of a node may have
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
