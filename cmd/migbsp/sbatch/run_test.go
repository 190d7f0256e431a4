package sbatch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/internal/shell/shelltest"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Stand-ins for the programs of a job's node. srun records its arguments, each ended by a zero
// byte, and ends with a code from the environment.
const (
	fakeSrun = `#!/bin/bash
if [ "$*" = --mpi=list ]; then
	printf 'MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\nspecific pmix plugin versions available: pmix_v4\n' >&2
	exit
fi
printf '%s\0' "$@" >"$NOTES/srun"
printf '%s %s' "$GOMAXPROCS" "$SRUN_CPUS_PER_TASK" >"$NOTES/cpus"
exit "${SRUN_CODE:-0}"
`
	// migbsp report -verdict RECORD
	fakeMigbsp = `#!/bin/bash
printf '%s\0' "$@" >"$NOTES/migbsp"
echo 'PASSED "quoted"'
exit "${MIGBSP_CODE:-0}"
`
	fakeLu       = "#!/bin/sh\necho 'lu (migbsp) v1'\n"
	fakeScontrol = `#!/bin/bash
printf '%s\n' "$*" >>"$NOTES/scontrol"
exit "${SCONTROL_CODE:-0}"
`
	fakeModule = `module() {
	printf '%s\0' "$@" >>"$NOTES/module"
	[ "$1" != load ] || return "${MODULE_CODE:-0}"
}
`
)

// node runs scripts in a directory with stand-ins.
type node struct {
	t   *testing.T
	dir string
}

func newNode(t *testing.T) *node {
	testrun.Needs(t, "bash")
	n := &node{t, t.TempDir()}
	for name, text := range map[string]string{"bin/srun": fakeSrun, "bin/scontrol": fakeScontrol, "bin/migbsp": fakeMigbsp, "bin/lu": fakeLu, "libexec/migbsp/fft": fakeLu, "functions": fakeModule} {
		n.write(name, text)
	}
	return n
}

func (n *node) write(name, text string) {
	n.t.Helper()
	must.Write(n.t, filepath.Join(n.dir, name), text, 0o755)
}

// run runs a job's script with variables in the environment, and returns its exit code and its
// messages.
func (n *node) run(j *Job, environ ...string) (code int, said string) {
	n.t.Helper()
	if err := j.Check(); err != nil {
		n.t.Fatalf("%+v: %v", j, err)
	}
	n.write("script", j.Script())
	for _, name := range []string{"srun", "scontrol", "module", "cpus", "migbsp"} {
		os.Remove(filepath.Join(n.dir, name))
	}
	bash := exec.Command("bash", "script")
	bash.Dir = n.dir
	bash.Env = append([]string{
		"PATH=" + n.dir + "/bin:" + os.Getenv("PATH"), "NOTES=" + n.dir, "BASH_ENV=" + n.dir + "/functions",
		"SLURM_JOB_ID=4711", "SLURM_JOB_NAME=a job", "SLURM_ARRAY_JOB_ID=4700", "SLURM_ARRAY_TASK_ID=1",
		fmt.Sprint("SLURM_HET_SIZE=", len(j.Parts)),
	}, environ...)
	out, err := bash.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		n.t.Fatal(err)
	}
	return bash.ProcessState.ExitCode(), string(out)
}

// noted returns the arguments of a stand-in.
func (n *node) noted(name string) []string {
	text, err := os.ReadFile(filepath.Join(n.dir, name))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// randomJob has hostile words in all fields that users can set.
func randomJob(r *rand.Rand, program string) *Job {
	j := &Job{
		Parts: []Component{{Tasks: 1 + r.IntN(4)}}, MPI: "pmix", Warning: 60, CPUs: r.IntN(3),
		Command: append([]string{program}, shelltest.Words(r, 6)...), Name: "job",
	}
	for range r.IntN(3) {
		if name := shelltest.Word(r); CheckName(name) == nil {
			j.Name = name
		}
		if options, err := ParseOptions("--comment=" + shell.Quote(shelltest.Word(r))); err == nil {
			j.Options = options
		}
	}
	if r.IntN(2) == 0 {
		j.Modules, _ = ParseModules(shelltest.Word(r))
	}
	if r.IntN(2) == 0 {
		j.RunDir, _ = ParsePattern("runs/%j/" + strings.ReplaceAll(shelltest.Word(r), "%", ""))
	}
	j.Comment = j.RunDir != "" && r.IntN(2) == 0
	if r.IntN(2) == 0 {
		j.Checkpoint, _ = ParsePattern("saved/%j" + strings.ReplaceAll(shelltest.Word(r), "%", ""))
	}
	if r.IntN(3) == 0 {
		j.Cases = [][]string{nil, shelltest.Words(r, 4)}
	} else if r.IntN(3) == 0 {
		j.Parts = append(j.Parts, Component{Tasks: 2})
	}
	return j
}

// expected returns the arguments that the program must be given.
func expected(j *Job) []string {
	want := slices.Clone(j.Command)
	if len(j.Cases) > 0 {
		want = append(want, j.Cases[1]...)
	}
	fill := strings.NewReplacer("%j", "4711")
	if j.RunDir != "" {
		want = append(want, "-run-dir", fill.Replace(string(j.RunDir)))
	}
	if j.Checkpoint != "" {
		want = append(want, "-checkpoint", fill.Replace(string(j.Checkpoint)), "-restart", "auto")
	}
	return want
}

// The program gets exactly the arguments of the job.
func TestArgumentsArriveAsTheyAre(t *testing.T) {
	n := newNode(t)
	r := rand.New(rand.NewPCG(3, 4))
	for range 150 {
		program := "./p" + strings.ReplaceAll(shelltest.Word(r), "/", "")
		j := randomJob(r, program)
		if j.Check() != nil { // a lone colon, or a flag of ours
			continue
		}
		n.write(program, "")
		code, said := n.run(j)
		got, want := n.noted("srun"), expected(j)
		if code != 0 || len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
			t.Fatalf("code %d, %s\n got %q\nwant %q\n%s", code, said, got, want, j.Script())
		}
		for _, option := range got[:len(got)-len(want)] {
			if !strings.HasPrefix(option, "--") {
				t.Fatalf("srun is given %q before the program\n%s", option, j.Script())
			}
		}
		if modules := n.noted("module"); len(j.Modules) > 0 && !slices.Equal(modules, append([]string{"purge", "load"}, j.Modules...)) {
			t.Fatalf("modules %q, want %q", modules, j.Modules)
		}
	}
}

// The options of srun before the program.
func TestLauncher(t *testing.T) {
	n := newNode(t)
	one := []Component{{Tasks: 2}}
	for _, c := range []struct {
		job  Job
		want string
		cpus string
	}{
		{Job{Parts: one, MPI: "pmix"}, "--mpi=pmix --cpu-bind=cores --export=ALL --kill-on-bad-exit=1", "1 1"},
		{Job{Parts: one, MPI: "pmi2", CPUs: 4}, "--mpi=pmi2 --cpu-bind=cores --export=ALL --kill-on-bad-exit=1", "4 4"},
		{Job{Parts: []Component{{Tasks: 2}, {Tasks: 1}, {Tasks: 1}}, MPI: "pmix_v4"}, "--mpi=pmix_v4 --het-group=0,1,2 --cpu-bind=cores --export=ALL --kill-on-bad-exit=1", "1 1"},
		{Job{Parts: one, MPI: "pmix", Checkpoint: "c", Warning: 60}, "--mpi=pmix --cpu-bind=cores --export=ALL --kill-on-bad-exit=0 --wait=20", "1 1"},
	} {
		c.job.Command = []string{"lu"}
		code, said := n.run(&c.job)
		got := strings.Join(n.noted("srun"), " ")
		if code != 0 || !strings.HasPrefix(got, c.want+" "+n.dir+"/bin/lu") || n.noted("cpus")[0] != c.cpus {
			t.Errorf("code %d, %s\n got %s\nwant %s\ncores %v", code, said, got, c.want, n.noted("cpus"))
		}
	}
}

// A run that ends with 75 is queued again, any other code is the job's.
func TestRequeue(t *testing.T) {
	n := newNode(t)
	for _, c := range []struct {
		environ string
		code    int
		queued  bool
		said    string
	}{
		{"SRUN_CODE=0", 0, false, ""},
		{"SRUN_CODE=1", 1, false, ""},
		{"SRUN_CODE=143", 143, false, ""},
		{"SRUN_CODE=75", 0, true, "lu: there is a checkpoint; the job is queued again\n"},
		{"SRUN_CODE=75 SCONTROL_CODE=1", 2, true, "lu: there is a checkpoint; the job is queued again\nlu: the job cannot be queued again; submit it anew to go on\n"},
	} {
		j := &Job{Parts: []Component{{Tasks: 2}}, MPI: "pmix", Checkpoint: "saved", CheckpointEvery: "10m", RunDir: "runs/%j", Warning: 60, Command: []string{"lu"}}
		code, said := n.run(j, append(strings.Fields(c.environ), "SLURM_RESTART_COUNT=2")...)
		queued := n.noted("scontrol")
		if code != c.code || said != c.said || (queued != nil) != c.queued || c.queued && queued[0] != "requeue 4711\n" {
			t.Errorf("%s: code %d, %q, scontrol %q", c.environ, code, said, queued)
		}
		got := strings.Join(n.noted("srun"), " ")
		if want := "/bin/lu -run-dir runs/4711-2 -checkpoint saved -checkpoint-every 10m -restart auto"; !strings.HasSuffix(got, want) {
			t.Errorf("srun %s, want %s", got, want)
		}
	}
}

// A job that lacks something reports it in one line, and starts no program.
func TestWhatIsMissing(t *testing.T) {
	n := newNode(t)
	sort := must.Get(exec.LookPath("sort"))(t)
	for _, c := range []struct {
		change  func(j *Job)
		environ string
		want    string
	}{
		{func(*Job) {}, "SLURM_JOB_ID=", "lu: this is the script of a job: sbatch script"},
		{func(j *Job) { j.Command[0] = "nosuch" }, "", "nosuch: there is no program nosuch here, which is " + n.dir + " on "},
		{func(j *Job) { j.Command[0] = "sort" }, "", "sort: " + sort + " is no program of migbsp\n"},
		{func(j *Job) { j.Command[0] = "./no such" }, "", "no such: there is no program './no such' here, which is " + n.dir + " on "},
		{func(j *Job) { j.MPI = "pmix_v9" }, "", "lu: srun has no --mpi=pmix_v9, but: MPI plugin types are... "},
		{func(j *Job) { j.MPI = "pmi" }, "", "lu: srun has no --mpi=pmi, but: "},
		{func(j *Job) { j.Modules = []string{"a b"} }, "MODULE_CODE=1", "lu: module load 'a b' has failed"},
		{func(j *Job) { j.Parts = append(j.Parts, j.Parts[0]) }, "SLURM_HET_SIZE=1", "lu: this job has 1 of 2 components"},
		{func(j *Job) { j.Cases = [][]string{{"x"}} }, "", "lu: no case has the number 1"},
	} {
		j := &Job{Parts: []Component{{Tasks: 2}}, MPI: "pmix", Command: []string{"lu"}}
		c.change(j)
		code, said := n.run(j, c.environ)
		if code != 2 || !strings.HasPrefix(said, c.want) || strings.Count(said, "\n") != 1 || n.noted("srun") != nil {
			t.Errorf("code %d, %q, want %q; srun %q", code, said, c.want, n.noted("srun"))
		}
	}
}

// A program is a named file, else migbsp's program, else the program in PATH.
func TestProgram(t *testing.T) {
	n := newNode(t)
	n.write("site/libexec/migbsp/lu", fakeLu)
	n.write("site/bin/migbsp", fakeMigbsp)
	for _, c := range []struct{ program, environ, want string }{
		{"lu", "MIGBSP_ROOT=" + n.dir + "/site", n.dir + "/site/libexec/migbsp/lu"},
		{"lu", "MIGBSP_ROOT=/nowhere", n.dir + "/bin/lu"},
		{"lu", "", n.dir + "/bin/lu"},
		{"fft", "", n.dir + "/libexec/migbsp/fft"}, // where the tool is
		{"lu", "PATH=" + n.dir + "/site/bin:" + n.dir + "/bin:" + os.Getenv("PATH"), n.dir + "/site/libexec/migbsp/lu"},
		{"./bin/lu", "MIGBSP_ROOT=" + n.dir + "/site", "./bin/lu"},
	} {
		code, said := n.run(&Job{Parts: []Component{{Tasks: 2}}, MPI: "pmix", Command: []string{c.program, "-n", "5"}}, c.environ)
		got := n.noted("srun")
		if code != 0 || len(got) < 3 || got[len(got)-3] != c.want {
			t.Errorf("%s with %s: code %d, %s\n got %q\nwant %s", c.program, c.environ, code, said, got, c.want)
		}
	}
}

// The job's comment is the verdict of its record, and a failure to set it changes no exit code.
func TestComment(t *testing.T) {
	n := newNode(t)
	for _, c := range []struct {
		environ string
		code    int
		want    string // of scontrol
		said    string
	}{
		{"SRUN_CODE=0", 0, "update jobid=4711 comment=PASSED \"quoted\"\n", ""},
		{"SRUN_CODE=3 SLURM_RESTART_COUNT=1", 3, "update jobid=4711 comment=PASSED \"quoted\"\n", ""},
		{"SRUN_CODE=3 MIGBSP_CODE=1", 3, "", ""},
		{"SCONTROL_CODE=1", 0, "update jobid=4711 comment=PASSED \"quoted\"\n", "PASSED \"quoted\"\n"},
	} {
		code, said := n.run(&Job{Parts: []Component{{Tasks: 2}}, MPI: "pmix", RunDir: "runs/%j", Comment: true, Command: []string{"lu"}}, strings.Fields(c.environ)...)
		dir := "runs/4711"
		if strings.Contains(c.environ, "RESTART") {
			dir += "-1"
		}
		got, srun := strings.Join(n.noted("scontrol"), ""), strings.Join(n.noted("srun"), " ")
		if code != c.code || got != c.want || said != c.said || !slices.Equal(n.noted("migbsp"), []string{"report", "-verdict", dir}) || !strings.HasSuffix(srun, "/lu -run-dir "+dir) {
			t.Errorf("%s: code %d, %q, scontrol %q, migbsp %q, srun %s", c.environ, code, said, got, n.noted("migbsp"), srun)
		}
	}
}
