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
	"github.com/migbsp/migbsp/internal/shell"
)

// Job is a program to start, with its ranks and hosts.
type Job struct {
	Launcher Launcher
	Ranks    int
	Places   int      // for ranks: cores, slots of the hosts, tasks of the job; 0: unknown
	More     []string // options of the launcher that the user gives
	Program  []string // with its arguments

	Hosts   *hostfile.File // nil for none
	Machine string         // the file that the launcher reads them from
	SSH     []string       // ssh, or a command instead of it
	Agent   string         // the same as the launcher is given it

	Getenv  func(string) string
	Environ []string

	again    bool     // the ranks were started before
	excluded []string // of the hosts of Slurm's job
	left     int      // hosts that are not
}

// Check finds texts that launchers do not take.
func (j *Job) Check() error {
	if slices.Contains(j.Program, ":") {
		return errors.New("argument :, which launchers take for the beginning of another program")
	}
	if n, _ := strconv.Atoi(j.Getenv("SLURM_HET_SIZE")); j.Launcher.Slurm != "" && n > 1 {
		return fmt.Errorf("this heterogeneous job has %d components, whose tasks say how many ranks there are: srun --het-group=0-%d --mpi=%s %s",
			n, n-1, j.Launcher.Slurm, shell.QuoteAll(j.Program))
	}
	return nil
}

// CheckUser finds whether the launcher would refuse this user, for whom it has many lines.
func (j *Job) CheckUser() error {
	if os.Geteuid() == 0 && j.Launcher.MPI.Family == OpenMPI && j.Launcher.Slurm == "" {
		for _, name := range []string{"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"} {
			if j.Getenv(name) != "1" && !slices.Contains(j.More, "--allow-run-as-root") {
				return errors.New("Open MPI's mpirun starts nothing as root unless OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 are set; better be another user")
			}
		}
	}
	return nil
}

// Crowded reports whether the job has more ranks than slots.
func (j *Job) Crowded() bool { return j.Places > 0 && j.Ranks > j.Places }

// Line returns the command line.
func (j *Job) Line() []string {
	line := slices.Clone(j.Launcher.Command)
	switch {
	case j.Launcher.Slurm != "":
		line = append(line, j.srunOptions()...)
	case j.Launcher.MPI.Family == OpenMPI:
		line = append(line, j.openMPIOptions()...)
	case j.Hosts != nil:
		line = append(line, j.hydraHosts()...)
	}
	line = append(line, j.More...)
	line = append(line, "-n", strconv.Itoa(j.Ranks))
	return append(line, j.Program...)
}

// srunOptions returns options that make srun print only errors and pass signals on at once. A
// quieter srun would also be silent if it starts nothing.
func (j *Job) srunOptions() []string {
	options := []string{"--mpi=" + j.Launcher.Slurm, "--quiet", "--disable-status"}
	if cpus := j.Getenv("SLURM_CPUS_PER_TASK"); cpus != "" && j.Getenv("SRUN_CPUS_PER_TASK") == "" {
		options = append(options, "--cpus-per-task="+cpus) // srun of Slurm 22.05 and 23.02 does not read it
	}
	if j.Getenv("SLURM_STEP_ID") != "" || j.again {
		// The step that this is, or the last start, has the cores: Slurm takes a step for alive while a host does
		// not answer.
		options = append(options, "--overlap")
	}
	if j.Crowded() {
		options = append(options, "--overcommit")
	}
	if len(j.excluded) > 0 {
		options = append(options, "--exclude="+strings.Join(j.excluded, ","), fmt.Sprint("--nodes=", j.left))
	}
	return options
}

// openMPIOptions make mpirun silent about the ends of programs: these report themselves.
func (j *Job) openMPIOptions() []string {
	options := []string{"-q"}
	if j.Crowded() {
		if j.Launcher.MPI.since(5) {
			options = append(options, "--map-by", ":OVERSUBSCRIBE")
		} else {
			options = append(options, "--oversubscribe")
		}
	}
	if j.Hosts == nil {
		return options
	}
	mca, ssh := "--mca", "rsh"
	if j.Launcher.MPI.since(5) {
		mca, ssh = "--prtemca", "ssh"
	}
	options = append(options, "--hostfile", j.Machine,
		// Only this host has been seen to reach the others.
		mca, "plm", ssh, mca, "plm_"+ssh+"_agent", j.Agent, mca, "plm_"+ssh+"_no_tree_spawn", "1")
	for _, name := range passedOn(j.Environ) {
		options = append(options, "-x", name)
	}
	return options
}

// passedOn returns the variables that ranks on other hosts need too.
func passedOn(environ []string) []string {
	var names []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "MIGBSP_") || name == "GOMAXPROCS" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// hydraHosts name the hosts to hydra, which passes the environment on by itself.
func (j *Job) hydraHosts() []string {
	options := []string{"-launcher", "ssh", "-f", j.Machine}
	if j.Agent != "ssh" {
		options = append(options, "-launcher-exec", j.Agent)
	}
	return options
}

// Prepare makes the launcher's files, in a directory that the caller removes.
func (j *Job) Prepare(dir string) error {
	if j.Hosts == nil {
		return nil
	}
	var text strings.Builder
	var err error
	if hosts := withSlots(j.Hosts); j.Launcher.MPI.Family == OpenMPI {
		_, err = hosts.WriteTo(&text)
	} else {
		err = hosts.WriteHydra(&text)
	}
	if err != nil {
		return err
	}
	if j.Agent = shell.QuoteAll(j.SSH); j.needsScript() {
		j.Agent = filepath.Join(dir, "agent")
		if err := os.WriteFile(j.Agent, []byte(j.script()), 0o700); err != nil {
			return err
		}
	}
	j.Machine = filepath.Join(dir, "hosts")
	return os.WriteFile(j.Machine, []byte(text.String()), 0o600)
}

// withSlots leaves out hosts that get no rank.
func withSlots(f *hostfile.File) *hostfile.File {
	some := *f
	some.Hosts = slices.DeleteFunc(slices.Clone(f.Hosts), func(h hostfile.Host) bool { return h.Slots == 0 })
	return &some
}

// needsScript reports whether the agent cannot be passed directly: hydra takes one word,
// and Open MPI splits at each blank, and before that at each colon, between agents to
// choose from.
func (j *Job) needsScript() bool {
	return len(j.SSH) > 1 && j.Launcher.MPI.Family != OpenMPI ||
		slices.ContainsFunc(j.SSH, func(word string) bool { return shell.Quote(word) != word || strings.Contains(word, ":") })
}

// script returns a shell script that runs the command used for ssh.
func (j *Job) script() string { return "#!/bin/sh\nexec " + shell.QuoteAll(j.SSH) + " \"$@\"\n" }

// Show returns the command line that does the same by hand, after commands that make its
// files; file is the file of hosts.
func (j *Job) Show(file string) string {
	var text strings.Builder
	if j.Hosts != nil {
		form := "hydra"
		if j.Launcher.MPI.Family == OpenMPI {
			form = "ompi"
		}
		j.Machine = filepath.Base(file) + "." + form
		fmt.Fprintf(&text, "migbsp hosts -to %s %s > %s\n", form, shell.Quote(file), shell.Quote(j.Machine))
		if j.Agent = shell.QuoteAll(j.SSH); j.needsScript() {
			j.Agent = "./agent.sh"
			fmt.Fprintf(&text, "printf %%s %s > agent.sh && chmod +x agent.sh\n", shell.Quote(j.script()))
		}
	}
	return text.String() + shell.QuoteAll(j.Line()) + "\n"
}
