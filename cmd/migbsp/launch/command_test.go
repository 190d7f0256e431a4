package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A command line that a user has written loses the hosts that are lost, and ranks if the others have
// too few slots. The program's arguments stay.
func TestCommandLeaves(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "my.hosts")
	must.Write(t, file, "a slots=2\nb.cluster slots=2\nc slots=1\n", 0o600)
	job := "SLURM_JOB_ID=1 SLURM_JOB_NODELIST=a,b,c SLURM_TASKS_PER_NODE=2(x2),1 SLURM_JOB_NUM_NODES=3"
	for _, c := range []struct {
		line, lost string
		want       string
		file       string // the lines of hosts that are left
	}{
		{"mpirun -n 4 lu -n 7", "", "mpirun -n 4 lu -n 7", ""},
		{"mpirun -n 4 --hostfile FILE lu -n 7", "b", "mpirun -n 3 --hostfile DIR/hosts lu -n 7", "a slots=2\nc slots=1\n"},
		{"mpirun --hostfile=FILE -np 2 lu -n 7", "B.cluster", "mpirun --hostfile=DIR/hosts -np 2 lu -n 7", "a slots=2\nc slots=1\n"},
		{"mpirun --hostfile FILE lu -n 7", "a c", "mpirun --hostfile DIR/hosts lu -n 7", "b.cluster slots=2\n"},
		{"mpirun --hostfile FILE -n 9 lu", "a", "mpirun --hostfile DIR/hosts -n 9 lu", "b.cluster slots=2\nc slots=1\n"},
		{"mpiexec.hydra -f FILE -n 5 lu", "c", "mpiexec.hydra -f DIR/hosts -n 4 lu", "a:2\nb.cluster:2\n"},
		{"mpirun --host a:2,b,b,c lu --host a", "b", "mpirun --host a:2,c:1 lu --host a", ""},
		{"srun -n 5 lu", "b", "srun --overlap --exclude=b --nodes=2 -n 3 lu", ""},
		{"srun -N 3 --ntasks=2 lu -N 8", "a b", "srun --overlap --exclude=a,b -N 1 --ntasks=1 lu -N 8", ""},
		{"srun lu", "c", "srun --overlap --exclude=c --ntasks=4 --nodes=2 lu", ""},
	} {
		replace := strings.NewReplacer("FILE", file, "DIR", dir)
		words := strings.Fields(replace.Replace(c.line))
		command := &Command{Words: words, Program: "lu", Dir: dir, Getenv: environment(job)}
		switch words[0] {
		case "srun":
			command.Launcher.Slurm = "pmix"
		case "mpiexec.hydra":
			command.Launcher.MPI.Family = MPICH
		}
		for _, name := range strings.Fields(c.lost) { // one after the other
			must.Do(t, command.Leave([]string{name}))
		}
		if got, want := strings.Join(must.Get(command.Line())(t), " "), replace.Replace(c.want); got != want {
			t.Errorf("%s without %s:\n got %s\nwant %s", c.line, c.lost, got, want)
		}
		if c.file == "" {
			continue
		}
		lines := slices.DeleteFunc(strings.SplitAfter(string(must.Get(os.ReadFile(filepath.Join(dir, "hosts")))(t)), "\n"), func(l string) bool { return strings.HasPrefix(l, "#@") })
		if got := strings.Join(lines, ""); got != c.file {
			t.Errorf("%s without %s: hosts %q, want %q", c.line, c.lost, got, c.file)
		}
	}
}

// Hosts that cannot be left out are an error, with the reason.
func TestCommandCannotLeave(t *testing.T) {
	for line, want := range map[string]string{
		"mpirun -n 4 lu":        "a cannot be left out: the command line names no hosts; give them with --hostfile",
		"mpirun --host a,a lu":  "no host is left",
		"srun -w a,b -n 2 lu":   "a cannot be left out of --nodelist a,b: leave that out",
		"mpirun --hostfile ./x": "open ./x: no such file or directory",
	} {
		command := &Command{Words: strings.Fields(line), Program: "lu", Dir: t.TempDir(), Getenv: environment("")}
		if line[0] == 's' {
			command.Launcher.Slurm = "pmix"
		}
		if err := command.Leave([]string{"a"}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// A job leaves hosts in its file of hosts, and in Slurm's job.
func TestJobLeaves(t *testing.T) {
	hosts := must.Get(hostfile.Parse("h", strings.NewReader("a slots=2\nb slots=2\nc slots=2\n")))(t)
	j := &Job{Hosts: hosts, Ranks: 4, Places: 6, Getenv: environment("")}
	for _, c := range []struct {
		host   string
		ranks  int
		places int
	}{{"b", 4, 4}, {"nowhere", 4, 4}, {"c", 2, 2}} {
		must.Do(t, j.Leave([]string{c.host}))
		if j.Ranks != c.ranks || j.Places != c.places {
			t.Errorf("without %s: %d ranks on %d places, want %d on %d", c.host, j.Ranks, j.Places, c.ranks, c.places)
		}
	}
	if err := j.Leave([]string{"a"}); err == nil || err.Error() != "no host is left" {
		t.Errorf("without any host: %v", err)
	}
	if hosts.Ranks() != 6 {
		t.Error("the caller's hosts have changed")
	}
	j = &Job{Ranks: 5, Launcher: Launcher{Slurm: "pmix", Command: []string{"srun"}}, Program: []string{"lu"},
		Getenv: environment("SLURM_JOB_ID=1 SLURM_JOB_NODELIST=a,b,c SLURM_TASKS_PER_NODE=2(x2),1 SLURM_JOB_NUM_NODES=3")}
	must.Do(t, j.Leave([]string{"a"}))
	if got, want := strings.Join(j.Line(), " "), "srun --mpi=pmix --quiet --disable-status --overlap --exclude=a --nodes=2 -n 3 lu"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := (&Job{Ranks: 2, Getenv: environment("")}).Leave([]string{"a"}); err == nil {
		t.Error("a job without hosts leaves one")
	}
}

func TestSameHost(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Node7", "node7.cluster", true}, {"node7.one", "node7.two", false}, {"node7", "node70", false},
		{"10.0.0.1", "10.0.0.2", false}, {"10.0.0.1", "10.0.0.1", true}, {"fe80::1", "fe80::2", false},
	} {
		if got := sameHost(c.a, c.b); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
