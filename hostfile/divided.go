package hostfile

import "path/filepath"

// implied tells whether the Set has the hosts that no line puts into one.
func (s *Set) implied() bool { return s.Line == 0 && s.Name == DefaultSet }

// Divided tells whether the file says which host belongs to which Set.
func (f *File) Divided() bool {
	for i := range f.Sets {
		if !f.Sets[i].implied() {
			return true
		}
	}
	return false
}

// DividedBy says what of the file puts hosts into Sets, for people: "#@set lines
// of my.hosts", "switches of topology.conf", "het groups of the Slurm job". It is
// "" if nothing does.
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
