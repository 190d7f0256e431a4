//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// site is a testbed as a site has a cluster: examples/site.testbed with Slurm, and migbsp
// installed for two MPIs, each with its module.
type site struct {
	t    *testing.T
	root string   // of this repository
	dir  string   // where jobs are submitted
	opt  string   // installed software, by MPI
	env  []string // of the submitting user
}

func newSite(t *testing.T) *site {
	t.Helper()
	beside(t)
	launchers(t)
	if err := slurm.Missing(); err != nil {
		skip(t, err.Error())
	}
	modules := exec.Command("bash", "-c", `for init in /etc/profile.d/lmod.sh /etc/profile.d/modules.sh; do [ ! -r $init ] || . $init; done; type module`)
	if modules.Run() != nil {
		skip(t, "no environment modules: apt-get install environment-modules")
	}
	s := &site{t: t, root: testrun.Root(t), dir: t.TempDir(), opt: t.TempDir()}
	files := filepath.Join(s.opt, "modulefiles")
	s.install("openmpi")
	s.install("mpich", settings(t, "mpicc.mpich")...)
	s.write(filepath.Join(files, "migbsp", ".version"), "#%Module1.0\nset ModulesVersion openmpi\n")
	s.env = []string{"MODULEPATH=" + files, control.Variable + "=" + short(t)}

	text := must.Get(os.ReadFile(filepath.Join(s.root, "examples/site.testbed")))(t)
	bringUp(t, string(text))
	succeeds(t, "slurm", "up")
	return s
}

// within is the site as a sub-test sees it.
func (s *site) within(t *testing.T) *site {
	sub := *s
	sub.t, sub.env = t, slices.Clone(s.env)
	return &sub
}

func (s *site) write(name, text string) {
	s.t.Helper()
	must.Write(s.t, name, text, 0o755)
}

// settings returns the variables for building with an MPI compiler.
func settings(t *testing.T, compiler string) []string {
	t.Helper()
	line := `eval "$(scripts/mpi-env "$0")" && printf 'CGO_CFLAGS=%s\nCGO_LDFLAGS=%s' "$CGO_CFLAGS" "$CGO_LDFLAGS"`
	ask := exec.Command("bash", "-c", line, compiler)
	ask.Dir = testrun.Root(t)
	text := must.Get(ask.Output())(t)
	return strings.Split(string(text), "\n")
}

// install copies programs for an MPI, given by settings or the default one, to the directory expected
// by their module file. The file is the shipped one, with the directory of this test.
func (s *site) install(version string, settings ...string) {
	s.t.Helper()
	built := testrun.BuildWith(s.t, settings, "mpi", "./apps/lu", "./cmd/migbsp")
	for from, to := range map[string]string{"lu": "libexec/migbsp", "migbsp": "bin"} {
		to = filepath.Join(s.opt, version, to)
		must.Do(s.t, os.MkdirAll(to, 0o755))
		must.Do(s.t, os.Rename(filepath.Join(built, from), filepath.Join(to, from)))
	}
	file := must.Get(os.ReadFile(filepath.Join(s.root, "slurm/modulefile/migbsp.tcl")))(s.t)
	text := regexp.MustCompile(`(?m)^set base .*$`).ReplaceAllString(string(file), "set base "+s.opt)
	if text == string(file) {
		s.t.Fatal("the module file does not say where programs are installed")
	}
	s.write(filepath.Join(s.opt, "modulefiles/migbsp", version), text)
}

// on runs a command on the first host.
func (s *site) on(words ...string) testrun.Result {
	s.t.Helper()
	return testrun.Command{Words: append([]string{program, "exec", "fast1"}, words...), Dir: s.dir, Env: s.env}.Run(s.t)
}

func (s *site) must(words ...string) string {
	s.t.Helper()
	r := s.on(words...)
	if r.Code != 0 {
		s.t.Fatalf("%v: code %d\n%s%s", words, r.Code, r.Out, r.Err)
	}
	return strings.TrimSpace(r.Out)
}

// submit submits a script unchanged.
func (s *site) submit(script string) (job string) {
	s.t.Helper()
	return s.must("sbatch", "--parsable", script)
}

// await waits until a job and all its steps have ended, and returns Slurm's record of each.
func (s *site) await(job string) (lines []string) {
	s.t.Helper()
	eventually(s.t, "job "+job+" ends", func() bool {
		lines = strings.Split(s.must("scontrol", "--oneliner", "show", "job", job), "\n")
		for _, line := range lines {
			for _, state := range []string{"PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "REQUEUED", "REQUEUE_HOLD", "SUSPENDED"} {
				if strings.Contains(line, " JobState="+state) {
					return false
				}
			}
		}
		return true
	})
	return lines
}

func (s *site) read(name string) string {
	s.t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(s.dir, name)))(s.t)
	return string(text)
}

// exists waits until a file is there.
func (s *site) exists(name string) {
	s.t.Helper()
	eventually(s.t, name+" is there", func() bool {
		time.Sleep(50 * time.Millisecond) // other jobs come before
		_, err := os.Stat(filepath.Join(s.dir, name))
		return err == nil
	})
}

// done checks a successful job: its state and comment, and its result, whose checksum it returns.
func (s *site) done(job, output string) (checksum string) {
	s.t.Helper()
	comment := regexp.MustCompile(` Comment=[0-9.]+ m?s, efficiency [0-9.]+.* PASSED ([0-9a-f]{16})`)
	lines, text := s.await(job), s.read(output)
	found := comment.FindStringSubmatch(lines[0])
	if !strings.Contains(lines[0], " JobState=COMPLETED ") || !strings.Contains(lines[0], " ExitCode=0:0 ") || found == nil {
		s.t.Fatalf("%s has\n%s\njob %s is\n%s", output, text, job, strings.Join(lines, "\n"))
	}
	if !strings.Contains(text, "PASSED\nchecksum  "+found[1]) {
		s.t.Errorf("%s has not the checksum %s\n%s", output, found[1], text)
	}
	return found[1]
}

// Every shipped script runs on the site unchanged, and jobs wait for each other as usual.
func TestShippedScripts(t *testing.T) {
	s := newSite(t)
	files, _ := filepath.Glob(filepath.Join(s.root, "slurm/*.s*"))
	jobs := map[string]string{}
	for _, file := range files {
		if name := filepath.Base(file); strings.HasSuffix(name, ".sbatch") {
			jobs[strings.TrimSuffix(name, ".sbatch")] = file
		} else if name != "two-clusters.sh" {
			t.Errorf("%s is not tried", name)
		}
	}
	// A job that is asked for a checkpoint after one of its nodes was drained goes on
	// elsewhere.
	long := s.submit(jobs["checkpoint"])
	delete(jobs, "checkpoint")
	first, second := filepath.Join("runs", long, "run.jsonl"), filepath.Join("runs", long+"-1", "run.jsonl")
	s.exists(first)
	succeeds(t, "slurm", "node", "fast1", "drain")
	s.must("scancel", "--signal=USR1", long)
	jobs["array"] = s.submit(jobs["array"])
	s.exists(second)
	succeeds(t, "slurm", "node", "fast1", "resume")
	simple := []string{"single", "mpich", "partitions"}
	for _, name := range simple {
		jobs[name] = s.submit(jobs[name])
	}

	checksums := map[string]string{}
	for _, name := range simple {
		checksums[name] = s.done(jobs[name], "lu-"+jobs[name]+".out")
	}
	if checksums["single"] != checksums["mpich"] || checksums["single"] != checksums["partitions"] {
		t.Errorf("the same matrix has checksums %v", checksums)
	}
	if text := s.read("lu-" + jobs["single"] + ".out"); strings.Count(text, "lu: warning: the 4 ranks on ") != 1 {
		t.Errorf("nobody says once that all slots of a host are one core\n%s", text)
	}
	if text := s.read("lu-" + jobs["partitions"] + ".out"); !strings.Contains(text, "16 ranks in 2 Sets (fast ") {
		t.Errorf("the run on two partitions has not two Sets of 16 ranks\n%s", text)
	}
	for task := range 4 {
		s.done(fmt.Sprint(jobs["array"], "_", task), fmt.Sprint("lu-", jobs["array"], "_", task, ".out"))
	}
	delete(jobs, "array")
	for _, name := range simple {
		delete(jobs, name)
	}
	if len(jobs) > 0 {
		t.Errorf("scripts that are not looked at: %v", jobs)
	}

	s.done(long, "lu-"+long+".out")
	text := s.read("lu-" + long + ".out")
	if n := strings.Count(text, "lu: there is a checkpoint; the job is queued again\n"); n != 1 {
		t.Errorf("the job was queued again %d times\n%s", n, text)
	}
	const drained = `"host":"fast1"`
	if !strings.Contains(s.read(first), drained) || strings.Contains(s.read(second), drained) {
		t.Errorf("%s was not on fast1, or %s was", first, second)
	}

	t.Run("two-clusters", func(t *testing.T) {
		s := s.within(t)
		s.env = append(s.env, "SSH=/run/"+name(t)+"/agent", "NETWORK=eth0", "BIND=none",
			"MIGBSP_ROOT="+s.opt+"/openmpi", "PATH="+s.opt+"/openmpi/bin:"+os.Getenv("PATH"))
		text := s.must(s.root+"/slurm/two-clusters.sh", s.root+"/slurm/two-clusters.hosts", "lu", "-n", "500", "-procs", "32")
		if !strings.Contains(text, "PASSED") || !strings.Contains(text, "16 ranks in 2 Sets") {
			t.Errorf("on two clusters\n%s", text)
		}
	})
	t.Run("refused", s.refused)
	t.Run("nodes", s.nodes)
}

// A wrong start ends at once, with code 2 and one line with the remedy.
func (s *site) refused(t *testing.T) {
	s = s.within(t)
	lu, other := s.opt+"/openmpi/libexec/migbsp/lu -n 200 -quiet", s.opt+"/mpich/libexec/migbsp/lu -n 200 -quiet"
	const component = `lu: only component 0 of 2 was started (1 rank for 4 tasks); use srun --het-group=0,1, or set MIGBSP_COMPONENTS=some if this is meant`
	cases := []struct{ line, says string }{
		{"srun --mpi=pmix " + lu, component},
		{"srun --mpi=pmi2 " + other, component},
		{"mpirun.openmpi " + lu, component},
		{"mpiexec.hydra " + other, component},
		{"srun --het-group=1 --mpi=none " + lu, `lu: srun --mpi=none started 3 tasks, but Open MPI .* use srun --mpi=pmix`},
		{"srun --het-group=1 --mpi=pmi2 --kill-on-bad-exit=1 " + lu, `lu: srun --mpi=pmi2 started 3 tasks, but Open MPI .* use srun --mpi=pmix`},
		{"srun --het-group=1 --mpi=pmix " + other, `lu: srun --mpi=pmix started 3 tasks, but MPICH .* use srun --mpi=pmi2`},
	}
	script := "#!/bin/bash\n#SBATCH --partition=fast --ntasks=1 --output=refused.out\n#SBATCH hetjob\n#SBATCH --partition=slow --nodes=1 --ntasks=3\n"
	for i, c := range cases {
		script += fmt.Sprintf("%s >refused.%d 2>&1; echo \"code $?\" >>refused.%d\n", c.line, i, i)
	}
	script += lu + " >byhand 2>&1; echo \"code $?\" >>byhand\n"
	script += "MIGBSP_COMPONENTS=some srun --mpi=pmix " + lu + " >meant 2>&1; echo \"code $?\" >>meant\n"
	s.write(filepath.Join(s.dir, "refused.sbatch"), script)
	job := s.submit("refused.sbatch")
	s.await(job)
	for i, c := range cases {
		text := s.read(fmt.Sprint("refused.", i))
		ours := regexp.MustCompile(`(?m)^lu: .*$`).FindAllString(text, -1)
		if len(ours) != 1 || !regexp.MustCompile("^"+strings.NewReplacer("(", `\(`, ")", `\)`).Replace(c.says)+"$").MatchString(ours[0]) || !strings.HasSuffix(text, "code 2\n") {
			t.Errorf("%s says\n%s\nwant the one line %s", c.line, text, c.says)
		}
	}
	byHand := "lu: warning: the job has 2 components, but this was started without srun: it runs on this node only; start all by  srun --het-group=0,1 lu\n"
	if text := s.read("byhand"); !strings.HasPrefix(text, byHand) || !strings.HasSuffix(text, "code 0\n") {
		t.Errorf("without a launcher it says\n%s", text)
	}
	if text := s.read("meant"); !strings.Contains(text, "PASSED") || !strings.HasSuffix(text, "code 0\n") {
		t.Errorf("one component that is meant says\n%s", text)
	}
}

// Nodes are lost, emptied and taken back.
func (s *site) nodes(t *testing.T) {
	s = s.within(t)
	state := func(node string) string {
		t.Helper()
		for line := range strings.Lines(succeeds(t, "slurm", "node")) {
			if words := strings.Fields(line); len(words) > 3 && words[0] == node {
				return words[2]
			}
		}
		t.Fatalf("%s is not among\n%s", node, succeeds(t, "slurm", "node"))
		return ""
	}
	is := func(node, want string) {
		t.Helper()
		eventually(t, node+" is "+want, func() bool { return state(node) == want })
	}
	succeeds(t, "slurm", "node", "slow1", "drain")
	is("slow1", "drained")
	succeeds(t, "slurm", "node", "slow1", "resume")
	is("slow1", "idle")
	succeeds(t, "slurm", "node", "slow2", "down")
	is("slow2", "down")
	succeeds(t, "slurm", "node", "slow2", "up")
	is("slow2", "idle")
	succeeds(t, "slurm", "node", "slow2", "up")
	succeeds(t, "crash", "slow2")
	succeeds(t, "slurm", "node", "slow2", "up")
	if got := s.must("srun", "-w", "slow2", "hostname"); got != "slow2" {
		t.Errorf("after a crash a job is on %q", got)
	}
	fails(t, exitFailed, `there is no host "slow3"; there are fast1,fast2,slow1,slow2`, "slurm", "node", "slow3", "drain")
	succeeds(t, "slurm", "down")
	fails(t, exitFailed, "Slurm is not up; start it by: testbed slurm up", "slurm", "node")
}
