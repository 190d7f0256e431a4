package launch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// machine has programs: says maps "name arguments" to the output of a call.
func machine(says map[string]string) Machine {
	return Machine{
		LookPath: func(name string) (string, error) {
			for call := range says {
				if program, _, _ := strings.Cut(call, " "); program == name {
					return "/bin/" + name, nil
				}
			}
			return "", errors.New("not in PATH")
		},
		Run: func(name string, args ...string) (string, error) {
			text, known := says[strings.Join(append([]string{name}, args...), " ")]
			if !known {
				return "", errors.New("exit status 1")
			}
			return text, nil
		},
	}
}

func environment(pairs string) func(string) string {
	return func(name string) string {
		for _, pair := range strings.Fields(pairs) {
			if n, value, _ := strings.Cut(pair, "="); n == name {
				return value
			}
		}
		return ""
	}
}

const slurmJob = "SLURM_JOB_ID=7 SLURM_NTASKS=4"

var cluster = map[string]string{
	"mpirun --version":         "mpirun (Open MPI) 4.0.3",
	"mpirun.openmpi --version": "mpirun.openmpi (OpenRTE) 4.1.4",
	"mpiexec.hydra --version":  "HYDRA build details:\n    Version: 4.0.2",
	"impi --version":           "Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 1",
	"srun --mpi=list":          "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\nspecific pmix plugin versions available: pmix_v4",
}

// The choice of launcher depends on the program's MPI, the job and the user's request.
func TestChoose(t *testing.T) {
	with := func(library string) Contents { return Contents{Ours: true, Library: library} }
	without := func(call string) map[string]string {
		some := map[string]string{}
		for c, text := range cluster {
			if c != call {
				some[c] = text
			}
		}
		return some
	}
	older := without("")
	older["srun --mpi=list"] = "srun: MPI types are...\nsrun: pmix_v3\nsrun: none"
	none := without("")
	none["srun --mpi=list"] = "none cray_shasta"
	for _, c := range []struct {
		name string
		has  map[string]string
		ask  Ask
		env  string
		want string // the command line, or the error
	}{
		{"of the program's MPI and version", cluster, Ask{Program: with("Open MPI v4.1.4")}, "", "mpirun.openmpi -q -n 2 lu"},
		{"of another version, if need be", cluster, Ask{Program: with("Open MPI v3.1.0")}, "", "mpirun -q -n 2 lu"},
		{"of MPICH", cluster, Ask{Program: with("MPICH 4.0.2")}, "", "mpiexec.hydra -n 2 lu"},
		{"srun in a job", cluster, Ask{Program: with("Open MPI v4.1.4")}, slurmJob, "srun --mpi=pmix --quiet --disable-status -n 2 lu"},
		{"srun for MPICH", cluster, Ask{Program: with("MPICH 4.0.2")}, slurmJob, "srun --mpi=pmi2 --quiet --disable-status -n 2 lu"},
		{"a way by its version", older, Ask{Program: with("MPICH 4.0.2")}, slurmJob, "srun --mpi=pmix_v3 --quiet --disable-status -n 2 lu"},
		{"srun in a step", cluster, Ask{Program: with("MPICH 4.0.2")}, slurmJob + " SLURM_STEP_ID=0 SLURM_CPUS_PER_TASK=2", "srun --mpi=pmi2 --quiet --disable-status --cpus-per-task=2 --overlap -n 2 lu"},
		{"no way of srun", none, Ask{Program: with("Open MPI v4.1.4")}, slurmJob, "mpirun.openmpi -q -n 2 lu"},
		{"no srun", without("srun --mpi=list"), Ask{Program: with("MPICH 4.0.2")}, slurmJob, "mpiexec.hydra -n 2 lu"},
		{"over ssh in a job", cluster, Ask{Program: with("MPICH 4.0.2"), ByHosts: true}, slurmJob, "mpiexec.hydra -n 2 lu"},
		{"as wanted", cluster, Ask{Program: with("Open MPI v4.1.4"), Command: []string{"mpirun", "-v"}}, slurmJob, "mpirun -v -q -n 2 lu"},
		{"wanted for any program", cluster, Ask{Command: []string{"mpiexec.hydra"}}, "", "mpiexec.hydra -n 2 lu"},
		{"srun as wanted", cluster, Ask{Program: with("MPICH 4.0.2"), Command: []string{"srun", "-p", "x"}}, "", "srun -p x --mpi=pmi2 --quiet --disable-status -n 2 lu"},
		{"wanted of another MPI", cluster, Ask{Program: with("Open MPI v4.1.4"), Command: []string{"mpiexec.hydra"}}, "", "-launcher mpiexec.hydra: it is of MPICH 4.0.2, but lu was built with Open MPI v4.1.4"},
		{"wanted and absent", cluster, Ask{Command: []string{"prun"}}, "", "-launcher prun: there is no such program"},
		{"srun over ssh", cluster, Ask{Command: []string{"srun"}, ByHosts: true}, "", "-launcher srun: it starts ranks in jobs only, -on starts them over ssh"},
		{"no MPI", cluster, Ask{Program: with("")}, "", "lu was built without MPI, which -np 2 needs: go build -tags mpi, or TAGS=mpi scripts/install; on this machine alone  migbsp run lu -ranks 2  does without"},
		{"no MPI, with arguments", cluster, Ask{Program: with(""), Args: []string{"-n", "500", "-run-dir", "my runs/$x", ""}}, "", "lu was built without MPI, which -np 2 needs: go build -tags mpi, or TAGS=mpi scripts/install; on this machine alone  migbsp run lu -ranks 2 -n 500 -run-dir 'my runs/$x' ''  does without"},
		{"no MPI over ssh", cluster, Ask{Program: with(""), ByHosts: true}, "", "lu was built without MPI, which several hosts need: go build -tags mpi, or TAGS=mpi scripts/install"},
		{"no program of ours", cluster, Ask{}, "", "lu -version does not say which MPI it was built with, as programs of migbsp do; name its launcher with -launcher"},
		{"an MPI that is not here", without("mpiexec.hydra --version"), Ask{Program: with("MPICH 4.0.2")}, "", "lu was built with MPICH 4.0.2, and needs its mpirun: there are only Open MPI 4.0.3 (mpirun); Open MPI 4.1.4 (mpirun.openmpi); load its module"},
		{"nothing here", nil, Ask{Program: with("MPICH 4.0.2")}, slurmJob, "lu was built with MPICH 4.0.2, and needs its mpirun: there is none in PATH, and there is no srun in PATH; load its module"},
	} {
		c.ask.Name, c.ask.Ranks, c.ask.Getenv = "lu", 2, environment(c.env)
		l, err := machine(c.has).Choose(c.ask)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = shell.QuoteAll((&Job{Launcher: l, Ranks: 2, Program: []string{"lu"}, Getenv: c.ask.Getenv}).Line())
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// More ranks than slots, hosts, and a command instead of ssh are translated into the options of
// each launcher.
func TestLines(t *testing.T) {
	hosts := must.Get(hostfile.Parse("h", strings.NewReader("#@set a\nu@one slots=2\nnone slots=0\n#@set b\ntwo slots=1\n")))(t)
	for _, c := range []struct {
		launcher MPI
		job      Job
		want     string // of Show
		machine  string // the file of Prepare, without lines #@
	}{
		{MPI{Family: OpenMPI, Version: "4.1.4"}, Job{Places: 2}, "mpirun -q --oversubscribe -n 3 lu -n 5", ""},
		{MPI{Family: OpenMPI, Version: "5.0.1"}, Job{Places: 2}, "mpirun -q --map-by :OVERSUBSCRIBE -n 3 lu -n 5", ""},
		{MPI{Family: OpenMPI, Version: "4.1.4"}, Job{Places: 3, More: []string{"--bind-to", "none"}}, "mpirun -q --bind-to none -n 3 lu -n 5", ""},
		{MPI{Family: MPICH, Version: "4"}, Job{Places: 2}, "mpirun -n 3 lu -n 5", ""},
		{
			MPI{Family: OpenMPI, Version: "4.1.4"}, Job{Hosts: hosts, SSH: []string{"ssh", "-p", "22"}, Environ: []string{"MIGBSP_SHM=off", "HOME=/", "GOMAXPROCS=1"}},
			"migbsp hosts -to ompi d/my.hosts > my.hosts.ompi\n" +
				"mpirun -q --hostfile my.hosts.ompi --mca plm rsh --mca plm_rsh_agent 'ssh -p 22' --mca plm_rsh_no_tree_spawn 1 -x GOMAXPROCS -x MIGBSP_SHM -n 3 lu -n 5",
			"u@one slots=2\ntwo slots=1\n",
		},
		{
			MPI{Family: OpenMPI, Version: "4.1.4"}, Job{Hosts: hosts, SSH: []string{"ssh", "-J", "gate:2222"}},
			"migbsp hosts -to ompi d/my.hosts > my.hosts.ompi\n" +
				`printf %s $'#!/bin/sh\nexec ssh -J gate:2222 "$@"\n' > agent.sh && chmod +x agent.sh` + "\n" +
				"mpirun -q --hostfile my.hosts.ompi --mca plm rsh --mca plm_rsh_agent ./agent.sh --mca plm_rsh_no_tree_spawn 1 -n 3 lu -n 5",
			"u@one slots=2\ntwo slots=1\n",
		},
		{
			MPI{Family: OpenMPI, Version: "5.0.1"}, Job{Hosts: hosts, SSH: []string{"ssh"}},
			"migbsp hosts -to ompi d/my.hosts > my.hosts.ompi\n" +
				"mpirun -q --hostfile my.hosts.ompi --prtemca plm ssh --prtemca plm_ssh_agent ssh --prtemca plm_ssh_no_tree_spawn 1 -n 3 lu -n 5",
			"u@one slots=2\ntwo slots=1\n",
		},
		{
			MPI{Family: MPICH, Version: "4"}, Job{Hosts: hosts, SSH: []string{"ssh"}},
			"migbsp hosts -to hydra d/my.hosts > my.hosts.hydra\nmpirun -launcher ssh -f my.hosts.hydra -n 3 lu -n 5",
			"one:2 user=u\ntwo:1\n",
		},
		{
			MPI{Family: MPICH, Version: "4"}, Job{Hosts: hosts, SSH: []string{"ssh", "-p", "22"}},
			"migbsp hosts -to hydra d/my.hosts > my.hosts.hydra\n" +
				`printf %s $'#!/bin/sh\nexec ssh -p 22 "$@"\n' > agent.sh && chmod +x agent.sh` + "\n" +
				"mpirun -launcher ssh -f my.hosts.hydra -launcher-exec ./agent.sh -n 3 lu -n 5",
			"one:2 user=u\ntwo:1\n",
		},
	} {
		j := &c.job
		j.Launcher, j.Ranks, j.Program, j.Getenv = Launcher{MPI: c.launcher, Command: []string{"mpirun"}}, 3, []string{"lu", "-n", "5"}, environment("")
		if got := j.Show("d/my.hosts"); got != c.want+"\n" {
			t.Errorf("%v:\n got %swant %s", c.launcher, got, c.want)
		}
		dir := t.TempDir()
		must.Do(t, j.Prepare(dir))
		text, _ := os.ReadFile(filepath.Join(dir, "hosts"))
		lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(l string) bool { return strings.HasPrefix(l, "#@") })
		if got := strings.Join(lines, ""); got != c.machine {
			t.Errorf("%v: hosts %q, want %q", c.launcher, got, c.machine)
		}
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	for _, c := range []struct {
		job  Job
		want string
	}{
		{Job{Program: []string{"lu", "-n", ":"}}, "argument :, which launchers take"},
		{Job{Program: []string{"lu"}, Launcher: Launcher{Slurm: "pmix"}, Getenv: environment("SLURM_HET_SIZE=2")}, "srun --het-group=0-1 --mpi=pmix lu"},
		{Job{Program: []string{"lu"}, Launcher: Launcher{Slurm: "pmix"}, Getenv: environment("SLURM_HET_SIZE=1")}, ""},
	} {
		if c.job.Getenv == nil {
			c.job.Getenv = environment("")
		}
		if err := c.job.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.job.Program, err, c.want)
		}
	}
}

// The output of a launcher is shown up to a loss, and then the loss, once. The launcher's own lines
// are shown at the end, unless a rank is lost. The result does not depend on how the output is
// split into writes.
func TestListener(t *testing.T) {
	lost := &loss.Loss{Program: "lu", Hosts: []loss.Host{{Name: "far1", Ranks: []int{3}, Reason: "no answer for 10 s", Place: loss.Place{Step: 7}}}}
	const (
		ranks = "lu: 2 Sets\n[x] a line\n"
		own   = "[mpiexec@near1] control_cb: assert (!closed) failed\n[proxy:0:0@near1] main: error\n"
		line  = "lu: rank 3 on far1 is lost: no answer for 10 s in superstep 7\n"
	)
	for _, c := range []struct {
		before, after string
		lost          bool
		want          string
	}{
		{ranks + own + ranks, "", false, ranks + ranks + own},
		{ranks + own + ranks, own + "Signal: Segmentation fault (11)", true, ranks + ranks + line},
		{ranks + line, own, true, ranks + line},
		{ranks + "half a line", "", true, ranks + "half a line\n" + line},
		{"[mpiexec", "", false, "[mpiexec"}, {"[mpi\n[proxy:", "", false, "[mpi\n[proxy:"}, {"[proxy:", "", true, line},
		{"", "", true, line}, {"", "", false, ""},
	} {
		for piece := range 4 {
			said := new(bytes.Buffer)
			l := &listener{to: said, own: []string{"[mpiexec@", "[proxy:"}}
			write := func(text string) {
				for rest := []byte(text); len(rest) > 0; {
					n := len(rest)
					if piece > 0 {
						n = min(n, 1<<(3*(piece-1)))
					}
					if wrote, err := l.Write(rest[:n]); wrote != n || err != nil {
						t.Fatalf("%d bytes of %d are written, %v", wrote, n, err)
					}
					rest = rest[n:]
				}
			}
			write(c.before)
			if c.lost {
				l.report(lost)
			}
			write(c.after)
			l.finish()
			if said.String() != c.want || (l.loss() != nil) != c.lost {
				t.Errorf("of %q and %q it shows %q, want %q", c.before, c.after, said, c.want)
			}
		}
	}
}

func TestFamilies(t *testing.T) {
	for _, c := range []struct{ text, family, version string }{
		{"mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/", "Open MPI", "4.1.4"},
		{"mpirun.openmpi (OpenRTE) 4.1.4", "Open MPI", "4.1.4"},
		{"mpirun (Open MPI) 5.0.3rc1", "Open MPI", "5.0.3rc1"},
		{"mpicc: Open MPI 4.1.4 (Language: C)", "Open MPI", "4.1.4"},
		{"Open MPI v4.1.4", "Open MPI", "4.1.4"},
		{"HYDRA build details:\n    Version:                                 4.0.2\n    Release Date: Thu", "MPICH", "4.0.2"},
		{"mpicc for MPICH version 4.0.2\nUsing built-in specs.", "MPICH", "4.0.2"},
		{"MPICH 4.0.2", "MPICH", "4.0.2"},
		{"MPICH Version: 4.0.2", "MPICH", "4.0.2"},
		{"Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 20230307", "Intel MPI", "2021.9"},
		{"mpiicc for the Intel(R) MPI Library 2021.9 for Linux*", "Intel MPI", "2021.9"},
		{"mpicc for MVAPICH2 version 2.3.7", "MVAPICH", "2.3.7"},
		{"CRAY MPICH version 8.1.29.38 (ANL base 3.4a2)", "Cray MPICH", "8.1.29.38"},
		{"gcc: error: unrecognized command-line option", "", ""},
		{"", "", ""},
	} {
		if name, version := Family(c.text); name != c.family || version != c.version {
			t.Errorf("%q: %s %s, want %s %s", c.text, name, version, c.family, c.version)
		}
	}
}

func FuzzFamily(f *testing.F) {
	f.Add("mpirun (Open MPI) 4.1.4")
	f.Add("HYDRA build details:\nVersion: 1")
	f.Fuzz(func(t *testing.T, text string) {
		if name, version := Family(text); (name == "") != (version == "") {
			t.Errorf("%q: %q %q", text, name, version)
		}
	})
}
