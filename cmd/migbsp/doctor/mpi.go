package doctor

import (
	"regexp"
	"slices"
	"strings"
)

// family is one of the MPIs that are not exchangeable with the others.
type family struct {
	name string
	says *regexp.Regexp // in its own words, with the version
}

// families are in order of precedence: many say that they are an MPICH too.
var families = []family{
	{"Intel MPI", regexp.MustCompile(`Intel\(R\) MPI Library\D*?(?:Version )?(\d[\w.]*)`)},
	{"MVAPICH", regexp.MustCompile(`MVAPICH\d?(?: version|\D*?)\s*(\d[\w.]*)`)},
	{"Cray MPICH", regexp.MustCompile(`(?i)cray[- ]mpich\D*(\d[\w.]*)`)},
	{"Open MPI", regexp.MustCompile(`\(?(?:Open MPI|OpenRTE)\)?:?\s*v?(\d[\w.]*)`)},
	{"MPICH", regexp.MustCompile(`(?s)(?:MPICH version|MPICH Version:?|HYDRA build details:\s*Version:)\s*(\d[\w.]*)`)},
}

// familyOf tells which MPI a text is of, and its version; "" if of none.
func familyOf(text string) (name, version string) {
	for _, f := range families {
		if m := f.says.FindStringSubmatch(text); m != nil {
			return f.name, m[1]
		}
	}
	return "", ""
}

// installed is an MPI, and its programs that are on the path.
type installed struct {
	family, version string
	programs        []string
}

func (m installed) String() string {
	text := m.family + " " + m.version
	if m.family == "" {
		text = "of unknown kind"
	}
	return text + " (" + strings.Join(m.programs, ", ") + ")"
}

// gather asks programs which MPI they belong to.
func (s *System) gather(programs []string, ask func(program string) string) []installed {
	var all []installed
	for _, program := range programs {
		if s.has(program) == "" {
			continue
		}
		name, version := familyOf(ask(program))
		i := slices.IndexFunc(all, func(m installed) bool { return m.family == name && m.version == version })
		if i < 0 {
			all = append(all, installed{name, version, nil})
			i = len(all) - 1
		}
		all[i].programs = append(all[i].programs, program)
	}
	return all
}

func (s *System) launchers() []installed {
	return s.gather([]string{"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra"}, func(program string) string {
		text, _ := s.Run(program, "--version")
		return text
	})
}

func (s *System) compilers() []installed {
	return s.gather([]string{"mpicc", "mpiicc", "mpiicx", "mpicc.openmpi", "mpicc.mpich"}, func(program string) string {
		text, _ := s.Run(program, "--showme:version")
		if name, _ := familyOf(text); name == "" {
			text, _ = s.Run(program, "-v")
		}
		return text
	})
}

func listed(all []installed) string {
	var names []string
	for _, m := range all {
		names = append(names, m.String())
	}
	return strings.Join(names, "; ")
}

const getMPI = "for programs on several nodes: load the module of your site's MPI, or apt-get install openmpi-bin libopenmpi-dev, or dnf install openmpi-devel"

// checkLaunchers looks for what starts ranks.
func checkLaunchers(s *System, _ Wants) []Finding {
	all := s.launchers()
	if len(all) == 0 {
		return missing("no mpirun or mpiexec on PATH", getMPI)
	}
	return ok(listed(all))
}

// checkMPICompiler looks for what builds programs for them.
func checkMPICompiler(s *System, _ Wants) []Finding {
	all := s.compilers()
	if len(all) == 0 {
		return missing("no mpicc on PATH", getMPI)
	}
	found := listed(all)
	if launchers := s.launchers(); len(launchers) > 0 && all[0].family != launchers[0].family {
		return note(found, all[0].programs[0]+" and "+launchers[0].programs[0]+" are of different MPIs: name the one that fits in  eval \"$(scripts/mpi-env WRAPPER)\"")
	}
	if len(all) > 1 {
		return note(found, "scripts/install builds for that of "+all[0].programs[0]+", or what MPICC names; go build -tags mpi for what  eval \"$(scripts/mpi-env WRAPPER)\"  names")
	}
	return ok(found)
}
