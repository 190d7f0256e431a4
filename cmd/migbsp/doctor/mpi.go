package doctor

import (
	"strings"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
)

// mpis is where the MPIs of the machine are looked for.
func (s *System) mpis() launch.Machine { return launch.Machine{LookPath: s.LookPath, Run: s.Run} }

func listed(all []launch.MPI) string {
	var names []string
	for _, m := range all {
		names = append(names, m.String())
	}
	return strings.Join(names, "; ")
}

const getMPI = "for programs on several nodes: load the module of your site's MPI, or apt-get install openmpi-bin libopenmpi-dev"

// checkLaunchers looks for what starts ranks.
func checkLaunchers(s *System, _ Wants) []Finding {
	all := s.mpis().Launchers()
	if len(all) == 0 {
		return missing("no mpirun or mpiexec on PATH", getMPI)
	}
	return ok(listed(all))
}

// checkMPICompiler looks for what builds programs for them.
func checkMPICompiler(s *System, _ Wants) []Finding {
	all := s.mpis().Compilers()
	if len(all) == 0 {
		return missing("no mpicc on PATH", getMPI)
	}
	found := listed(all)
	launchers := s.mpis().Launchers()
	if len(launchers) == 0 {
		return ok(found)
	}
	builds, runs := all[0], launchers[0]
	if builds.Family != runs.Family {
		return note(found, builds.Programs[0]+" and "+runs.Programs[0]+" are of different MPIs: name the one that fits in  eval \"$(scripts/mpi-env WRAPPER)\"")
	}
	return ok(found)
}
