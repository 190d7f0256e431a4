package launch

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/shell"
)

// Launcher starts the ranks of a program.
type Launcher struct {
	MPI     MPI
	Command []string // program and its first options
	Slurm   string   // srun's --mpi plugin; "" if the launcher is not srun
}

// Ask has the criteria for a launcher.
type Ask struct {
	Program Contents
	Name    string   // of the program, for messages
	Args    []string // of the program, for messages
	Command []string // that the user wants, nil for none
	Ranks   int
	ByHosts bool // over ssh, regardless of the surrounding job
	Getenv  func(string) string
}

// Choose returns the launcher that starts a program: the requested one; within a job of Slurm,
// srun, if it has a plugin for the program's MPI; else the launcher of the program's MPI, of the
// same version if several are installed.
func (m Machine) Choose(a Ask) (Launcher, error) {
	family, version := Family(a.Program.Library)
	switch {
	case len(a.Command) > 0:
		return m.wanted(a, family)
	case !a.Program.Ours:
		return Launcher{}, fmt.Errorf("%s -version does not say which MPI it was built with, as programs of migbsp do; name its launcher with -launcher", a.Name)
	case a.Program.Library == "" && a.ByHosts:
		return Launcher{}, fmt.Errorf("%s was built without MPI, which several hosts need: go build -tags mpi, or TAGS=mpi scripts/install", a.Name)
	case a.Program.Library == "":
		return Launcher{}, fmt.Errorf("%s was built without MPI, which -np %d needs: go build -tags mpi, or TAGS=mpi scripts/install; on this machine alone  %s  does without",
			a.Name, a.Ranks, shell.QuoteAll(slices.Concat([]string{"migbsp", "run", a.Name, "-ranks", strconv.Itoa(a.Ranks)}, a.Args)))
	case family == "":
		return Launcher{}, fmt.Errorf("%s was built with %s, whose launcher is not known; name it with -launcher", a.Name, a.Program.Library)
	}
	slurm := errors.New("this is no job of Slurm")
	if !a.ByHosts && a.Getenv("SLURM_JOB_ID") != "" {
		var l Launcher
		if l, slurm = m.srun("srun", family, a.Getenv); slurm == nil {
			l.MPI.Version = version
			return l, nil
		}
	}
	return m.launcherOf(a, family, version, slurm)
}

// launcherOf returns the launcher of an MPI. slurm is the reason for not using srun.
func (m Machine) launcherOf(a Ask, family, version string, slurm error) (Launcher, error) {
	all := m.Launchers()
	of := slices.DeleteFunc(slices.Clone(all), func(l MPI) bool { return l.Family != family })
	if len(of) == 0 {
		there := "there is none in PATH"
		if len(all) > 0 {
			there = "there are only " + Listed(all)
		}
		if a.Getenv("SLURM_JOB_ID") != "" && !a.ByHosts {
			there += ", and " + slurm.Error()
		}
		return Launcher{}, fmt.Errorf("%s was built with %s, and needs its mpirun: %s; load its module", a.Name, a.Program.Library, there)
	}
	best := of[max(0, slices.IndexFunc(of, func(l MPI) bool { return l.Version == version }))]
	return Launcher{MPI: best, Command: []string{best.Programs[0]}}, nil
}

// wanted returns the launcher that the user names.
func (m Machine) wanted(a Ask, family string) (Launcher, error) {
	program := a.Command[0]
	if _, err := m.LookPath(program); err != nil {
		return Launcher{}, fmt.Errorf("-launcher %s: there is no such program", program)
	}
	if filepath.Base(program) == "srun" {
		if a.ByHosts {
			return Launcher{}, errors.New("-launcher srun: it starts ranks in jobs only, -on starts them over ssh")
		}
		l, err := m.srun(program, family, a.Getenv)
		l.Command = append(l.Command, a.Command[1:]...)
		return l, err
	}
	l := Launcher{Command: a.Command}
	l.MPI.Family, l.MPI.Version = Family(m.launcherSays(program))
	if l.MPI.Family != "" && family != "" && l.MPI.Family != family {
		return l, fmt.Errorf("-launcher %s: it is of %s %s, but %s was built with %s", program, l.MPI.Family, l.MPI.Version, a.Name, a.Program.Library)
	}
	if l.MPI.Family == "" && a.ByHosts {
		return l, fmt.Errorf("-launcher %s: %s --version does not say which MPI it is of, and so not how it is given hosts", program, program)
	}
	return l, nil
}

// ways returns srun's plugins for an MPI, in order of preference; a version may follow the name, as
// in pmix_v4.
func ways(family string) []string {
	switch family {
	case OpenMPI:
		return []string{"pmix"}
	case CrayMPICH:
		return []string{"cray_shasta", "pmi2"}
	case "":
		return []string{"pmix", "pmi2"}
	}
	return []string{"pmi2", "pmix"}
}

// srun is Slurm's launcher, if it starts ranks of the MPI.
func (m Machine) srun(program, family string, getenv func(string) string) (Launcher, error) {
	if _, err := m.LookPath(program); err != nil {
		return Launcher{}, errors.New("there is no srun in PATH")
	}
	text, err := m.Run(program, "--mpi=list")
	if err != nil {
		return Launcher{}, fmt.Errorf("srun --mpi=list says %q", strings.TrimSpace(text))
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n,:", r) })
	for _, way := range ways(family) {
		at := slices.Index(words, way)
		if at < 0 {
			at = slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, way+"_v") })
		}
		if at >= 0 {
			return Launcher{MPI: MPI{Family: family}, Command: []string{program}, Slurm: words[at]}, nil
		}
	}
	return Launcher{}, fmt.Errorf("srun knows no --mpi=%s", strings.Join(ways(family), " or "))
}
