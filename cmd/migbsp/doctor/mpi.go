package doctor

import (
	"strings"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
)

// mpis finds the MPIs of the machine.
func (s *System) mpis() launch.Machine { return launch.Machine{LookPath: s.LookPath, Run: s.Run} }

func listed(all []launch.MPI) string {
	var names []string
	for _, m := range all {
		names = append(names, m.String())
	}
	return strings.Join(names, "; ")
}

const getMPI = "for programs on several nodes: load the module of your site's MPI, or apt-get install openmpi-bin libopenmpi-dev, or dnf install openmpi-devel"

// checkLaunchers finds the launchers of ranks.
func checkLaunchers(s *System, _ Wants) []Finding {
	all := s.mpis().Launchers()
	if len(all) == 0 {
		return missing("no mpirun or mpiexec on PATH", getMPI)
	}
	return ok(listed(all))
}

// checkMPICompiler finds the compilers of MPI programs.
func checkMPICompiler(s *System, _ Wants) []Finding {
	all := s.mpis().Compilers()
	if len(all) == 0 {
		return missing("no mpicc on PATH", getMPI)
	}
	found := listed(all)
	if launchers := s.mpis().Launchers(); len(launchers) > 0 && all[0].Family != launchers[0].Family {
		return note(found, all[0].Programs[0]+" and "+launchers[0].Programs[0]+" are of different MPIs: name the one that fits in  eval \"$(scripts/mpi-env WRAPPER)\"")
	}
	if len(all) > 1 {
		return note(found, "scripts/install builds for that of "+all[0].Programs[0]+", or what MPICC names; go build -tags mpi for what  eval \"$(scripts/mpi-env WRAPPER)\"  names")
	}
	return ok(found)
}
