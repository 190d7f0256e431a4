package hostfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// match finds the hosts of the run in the files.
func (g *grouper) match() error {
	divided, err := g.matches(g.divided)
	if err != nil {
		return err
	}
	known := divided
	if g.clues.Hosts != g.divided {
		if known, err = g.matches(g.clues.Hosts); err != nil {
			return err
		}
	}
	for i := range g.hosts {
		h := &g.hosts[i]
		h.divided, h.known = divided[i], known[i]
		if h.divided < 0 {
			continue
		}
		if set := g.divided.Hosts[h.divided].Set; !g.divided.Sets[set].implied() {
			h.set = set
		}
	}
	return nil
}

// matches returns the index in a file's Hosts of each host of the run, or -1. Names
// must not be ambiguous, neither in the file nor in the run.
func (g *grouper) matches(f *File) ([]int, error) {
	found := slices.Repeat([]int{-1}, len(g.hosts))
	if f == nil {
		return found, nil
	}
	names, err := f.index()
	if err != nil {
		return nil, err
	}
	users := map[int]int{} // hosts of the run, by the file's
	for i := range g.hosts {
		h := &g.hosts[i]
		host, others := names.lookUp(h.name)
		found[i] = host
		if len(others) > 0 {
			return nil, fmt.Errorf("%s runs on host %s, which may be %s or %s of %s: expected names with their domains",
				h.shown(), quote(h.name), f.Hosts[others[0]].Name, f.Hosts[others[1]].Name, filepath.Base(f.Name))
		}
		if host < 0 {
			continue
		}
		if other, taken := users[host]; taken {
			a, b := &g.hosts[other], h
			return nil, f.problem(f.Hosts[host].Line, fmt.Sprintf("host %s, which may be %s (%s) or %s (%s)",
				f.Hosts[host].Name, a.name, a.shown(), b.name, b.shown()), "the name with its domain")
		}
		users[host] = i
	}
	return found, nil
}

// index finds hosts of a file that is made already, in which one that stands
// twice must be in one Set.
func (f *File) index() (*index, error) {
	names := newIndex(false)
	for i, h := range f.Hosts {
		other, again := names.names[strings.ToLower(h.Name)]
		switch {
		case !again:
			names.enter(h.Name, i)
		case f.Hosts[other].Set != h.Set:
			return nil, f.problem(h.Line, fmt.Sprintf("host %s in Set %s, which is in Set %s already",
				h.Name, f.Sets[h.Set].Name, f.Sets[f.Hosts[other].Set].Name), "each host in one Set")
		}
	}
	return &names, nil
}

// checkManagers fails for managers that are not in their Sets.
func (g *grouper) checkManagers() error {
	f := g.divided
	names, err := f.index()
	if err != nil {
		return err
	}
	for i, s := range f.Sets {
		if s.Manager == "" {
			continue
		}
		if host, _ := names.lookUp(s.Manager); host < 0 || f.Hosts[host].Set != i {
			return f.problem(s.Line, "manager "+quote(s.Manager), "a host of Set "+s.Name)
		}
	}
	return nil
}
