// Package launch finds programs, the MPI that each was built with, and the launcher
// that starts it on ranks; and starts it.
package launch

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Machine looks up and runs programs. Tests make one of their own.
type Machine struct {
	LookPath func(name string) (string, error)
	// Run returns the output of a program, errors included.
	Run func(name string, args ...string) (string, error)
}

// Here returns the machine that runs this program. The programs that it runs end with ctx, or after
// the time limit patience.
func Here(ctx context.Context) Machine {
	return Machine{LookPath: exec.LookPath, Run: func(name string, args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		text, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
		return string(text), err
	}}
}

// The MPIs whose programs and launchers do not work with other MPIs.
const (
	IntelMPI  = "Intel MPI"
	MVAPICH   = "MVAPICH"
	CrayMPICH = "Cray MPICH"
	OpenMPI   = "Open MPI"
	MPICH     = "MPICH"
)

// families are the MPIs with the words by which their texts name them and their versions. The first
// match counts: many texts name MPICH too.
var families = []struct {
	name string
	says *regexp.Regexp
}{
	{IntelMPI, regexp.MustCompile(`Intel\(R\) MPI Library\D*?(?:Version )?(\d[\w.]*)`)},
	{MVAPICH, regexp.MustCompile(`MVAPICH\d?(?: version|\D*?)\s*(\d[\w.]*)`)},
	{CrayMPICH, regexp.MustCompile(`(?i)cray[- ]mpich\D*(\d[\w.]*)`)},
	{OpenMPI, regexp.MustCompile(`\(?(?:Open MPI|OpenRTE)\)?:?\s*v?(\d[\w.]*)`)},
	{MPICH, regexp.MustCompile(`(?s)(?:^MPICH|MPICH version|MPICH Version:?|HYDRA build details:\s*Version:)\s*(\d[\w.]*)`)},
}

// Family returns the MPI that a text names, and its version; "" if it names none.
func Family(text string) (name, version string) {
	for _, f := range families {
		if m := f.says.FindStringSubmatch(text); m != nil {
			return f.name, m[1]
		}
	}
	return "", ""
}

// MPI is an MPI that is installed, and its programs that are on the path.
type MPI struct {
	Family, Version string // "" if unknown
	Programs        []string
}

func (m MPI) String() string {
	text := m.Family + " " + m.Version
	if m.Family == "" {
		text = "of unknown kind"
	}
	return text + " (" + strings.Join(m.Programs, ", ") + ")"
}

// Listed returns the names of MPIs in a line.
func Listed(all []MPI) string {
	var names []string
	for _, m := range all {
		names = append(names, m.String())
	}
	return strings.Join(names, "; ")
}

// hydra reports whether a launcher takes the options of MPICH's.
func (m MPI) hydra() bool {
	return m.Family == MPICH || m.Family == IntelMPI || m.Family == MVAPICH
}

// since reports whether the major version is at least major.
func (m MPI) since(major int) bool {
	first, _, _ := strings.Cut(m.Version, ".")
	n, err := strconv.Atoi(first)
	return err == nil && n >= major
}

// Launchers returns the launchers of ranks.
func (m Machine) Launchers() []MPI {
	return m.gather([]string{"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra"}, m.launcherSays)
}

func (m Machine) launcherSays(program string) string {
	text, _ := m.Run(program, "--version")
	return text
}

// Compilers returns the compilers of MPI programs.
func (m Machine) Compilers() []MPI {
	return m.gather([]string{"mpicc", "mpiicc", "mpiicx", "mpicc.openmpi", "mpicc.mpich"}, func(program string) string {
		text, _ := m.Run(program, "--showme:version")
		if name, _ := Family(text); name == "" {
			text, _ = m.Run(program, "-v")
		}
		return text
	})
}

// gather asks programs which MPI they belong to.
func (m Machine) gather(programs []string, ask func(program string) string) []MPI {
	var all []MPI
	for _, program := range programs {
		if _, err := m.LookPath(program); err != nil {
			continue
		}
		name, version := Family(ask(program))
		i := slices.IndexFunc(all, func(m MPI) bool { return m.Family == name && m.Version == version })
		if i < 0 {
			all = append(all, MPI{name, version, nil})
			i = len(all) - 1
		}
		all[i].Programs = append(all[i].Programs, program)
	}
	return all
}
