package hostfile

import "strings"

// launchNodes are what names of hosts that only launch begin with.
var launchNodes = []string{"batch", "login", "launch"}

// lsf reads the hosts of an LSF job.
func (j job) lsf() (f *File, from string, err error) {
	pairs, names := j.getenv("LSB_MCPU_HOSTS"), j.getenv("LSB_HOSTS")
	switch {
	case strings.TrimSpace(pairs) != "":
		from = "LSB_MCPU_HOSTS"
		f, err = parsePairs(from, pairs)
	case j.getenv("LSB_DJOB_HOSTFILE") != "":
		f, from, err = j.file("LSB_DJOB_HOSTFILE", Launchers)
	case strings.TrimSpace(names) != "":
		from = "LSB_HOSTS"
		f, err = Rules{Form: SlurmHosts}.Parse(from, strings.NewReader(names))
	}
	if err != nil {
		return nil, "", err
	}
	if f != nil {
		f.dropLaunchNode()
	}
	return f, from, nil
}

// parsePairs reads "host slots host slots".
func parsePairs(name, text string) (*File, error) {
	p := newParser(name, Rules{Form: GridEngine})
	c := &cursor{text: strings.NewReplacer("\n", " ", "\r", " ").Replace(text), line: 1}
	for c.blank() && !p.stopped {
		p.gridLine(c)
	}
	return p.finish()
}

// dropLaunchNode leaves out the first host if it is one where a job's script but
// none of its ranks runs: it has one slot, and its name says so.
func (f *File) dropLaunchNode() {
	if len(f.Hosts) < 2 || f.Hosts[0].Slots != 1 || f.Divided() {
		return
	}
	for _, begin := range launchNodes {
		if strings.HasPrefix(strings.ToLower(f.Hosts[0].Name), begin) {
			at := token{line: f.Hosts[0].Line, col: 1}
			f.Warnings = append(f.Warnings, *at.problemIn(f.Name, "host "+f.Hosts[0].Name+", left out as the launch node", ""))
			f.Hosts = f.Hosts[1:]
			return
		}
	}
}
