package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
)

// Starters are programs that start ranks, as users name them.
var Starters = []string{"mpirun", "mpiexec", "mpiexec.hydra", "mpirun.openmpi", "mpiexec.openmpi", "mpirun.mpich", "mpiexec.mpich", "orterun", "prterun", "srun"}

// A Command is the command line of a launcher as a user has written it.
type Command struct {
	Launcher Launcher
	Words    []string
	Program  string // its name, "" if it is not known
	Dir      string // for files of hosts
	Getenv   func(string) string

	again bool // the ranks were started before
	lost  []string
	left  int // hosts
	ranks int // 0 if the launcher chooses
}

// NewCommand finds the MPI of a launcher's command line.
func (m Machine) NewCommand(words []string, dir string, getenv func(string) string) (*Command, error) {
	if _, err := m.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("no program %s in PATH", words[0])
	}
	c := &Command{Words: words, Dir: dir, Getenv: getenv, Launcher: Launcher{Command: words[:1]}}
	if filepath.Base(words[0]) == "srun" {
		c.Launcher.Slurm = "srun"
	} else {
		c.Launcher.MPI.Family, c.Launcher.MPI.Version = Family(m.launcherSays(words[0]))
	}
	return c, nil
}

// Options of launchers.
var (
	fileOptions  = []string{"--hostfile", "-hostfile", "--machinefile", "-machinefile", "-f"}
	listOptions  = []string{"--host", "-host", "-H", "-hosts", "--hosts"}
	rankOptions  = []string{"-n", "-np", "--n", "--np", "--ntasks"}
	nodeOptions  = []string{"-N", "--nodes"}
	nodesOptions = []string{"-w", "--nodelist"}
)

// option finds the value of an option among words: at an index, behind a prefix of the word.
func option(words, names []string) (at int, prefix, value string) {
	for i, word := range words {
		for _, name := range names {
			switch value, has := strings.CutPrefix(word, name+"="); {
			case word == name && i+1 < len(words):
				return i + 1, "", words[i+1]
			case has && strings.HasPrefix(name, "-"):
				return i, name + "=", value
			}
		}
	}
	return -1, "", ""
}

// own returns the launcher's words, and the words of the program.
func (c *Command) own() (launcher, program []string) {
	end := len(c.Words)
	if i := slices.IndexFunc(c.Words[1:], func(w string) bool { return c.Program != "" && filepath.Base(w) == c.Program }); i >= 0 {
		end = 1 + i
	}
	return slices.Clone(c.Words[:end]), c.Words[end:]
}

// Leave takes hosts out of the command line: of the file or list of hosts that it names, or of Slurm's
// job.
//
// Errors: the command line names no hosts, or none is left.
func (c *Command) Leave(names []string) error {
	c.again = true
	if len(names) == 0 {
		return nil
	}
	c.lost = append(c.lost, names...)
	hosts, err := c.hosts()
	if err != nil {
		return err
	}
	left := leavingOut(hosts, c.lost)
	if left.Ranks() == 0 {
		return errors.New("no host is left")
	}
	c.left = hostsWithSlots(left)
	if asked := c.asked(); asked > 0 {
		c.ranks = fewer(asked, hosts.Ranks(), left.Ranks())
	}
	return nil
}

// asked returns the number of ranks that the user asks for, 0 if the launcher chooses it.
func (c *Command) asked() int {
	words, _ := c.own()
	_, _, value := option(words, rankOptions)
	n, _ := strconv.Atoi(value)
	return n
}

// hosts returns the hosts that the command line names.
func (c *Command) hosts() (*hostfile.File, error) {
	words, _ := c.own()
	if c.Launcher.Slurm != "" {
		if _, _, list := option(words, nodesOptions); list != "" {
			return nil, fmt.Errorf("%s cannot be left out of --nodelist %s: leave that out", strings.Join(c.lost, ", "), list)
		}
		job, _, err := hostfile.FromBatchSystem("slurm", c.Getenv, nil)
		return job, err
	}
	if _, _, path := option(words, fileOptions); path != "" {
		text, err := hostfile.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return hostfile.Parse(path, strings.NewReader(string(text)))
	}
	if _, _, list := option(words, listOptions); list != "" {
		return hostfile.Parse("--host", strings.NewReader(strings.ReplaceAll(list, ",", "\n")))
	}
	return nil, fmt.Errorf("%s cannot be left out: the command line names no hosts; give them with --hostfile", strings.Join(c.lost, ", "))
}

// Line returns the command line without the hosts that were taken out, with the settings of migbsp
// that ranks on all hosts need.
func (c *Command) Line() ([]string, error) {
	words, program := c.own()
	if len(c.lost) > 0 {
		if err := c.replaceHosts(&words); err != nil {
			return nil, err
		}
		if at, prefix, _ := option(words, rankOptions); at >= 0 && c.ranks > 0 {
			words[at] = prefix + strconv.Itoa(c.ranks)
		}
	}
	if c.Launcher.Slurm != "" && c.again {
		words = slices.Insert(words, 1, "--overlap") // as for a Job
	}
	if c.Launcher.MPI.Family == OpenMPI {
		passed := []string{"-q"}
		for _, name := range passedOn(os.Environ()) {
			passed = append(passed, "-x", name)
		}
		words = slices.Insert(words, 1, passed...)
	}
	return append(words, program...), nil
}

// replaceHosts replaces the options of hosts among words.
func (c *Command) replaceHosts(words *[]string) error {
	hosts, err := c.hosts()
	if err != nil {
		return err
	}
	left := leavingOut(hosts, c.lost)
	if c.Launcher.Slurm != "" {
		if at, prefix, _ := option(*words, nodeOptions); at >= 0 {
			(*words)[at] = prefix + strconv.Itoa(c.left)
		} else {
			*words = slices.Insert(*words, 1, fmt.Sprint("--nodes=", c.left))
		}
		if c.ranks == 0 {
			*words = slices.Insert(*words, 1, fmt.Sprint("--ntasks=", left.Ranks()))
		}
		*words = slices.Insert(*words, 1, "--exclude="+strings.Join(c.lost, ","))
		return nil
	}
	file := withSlots(left)
	if at, prefix, _ := option(*words, fileOptions); at >= 0 {
		var text strings.Builder
		if c.Launcher.MPI.hydra() {
			err = file.WriteHydra(&text)
		} else {
			_, err = file.WriteTo(&text)
		}
		if err != nil {
			return err
		}
		path := filepath.Join(c.Dir, "hosts")
		(*words)[at] = prefix + path
		return os.WriteFile(path, []byte(text.String()), 0o600)
	}
	var list []string
	for _, h := range file.Hosts {
		list = append(list, fmt.Sprintf("%s:%d", h.Name, h.Slots))
	}
	if at, prefix, _ := option(*words, listOptions); at >= 0 {
		(*words)[at] = prefix + strings.Join(list, ",")
	}
	return nil
}
