//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/network"
	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// program is the testbed, built for the tests.
var program string

func TestMain(m *testing.M) {
	if os.Getenv(helperVariable) != "" {
		end(helper(os.Args[1:]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "testbed")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "testbed")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s", text)
		return 1
	}
	// A separate testbed, so that tests do not disturb another one. Its processes must not look like
	// a part of a job that runs these tests.
	os.Setenv(control.Variable, "test"+strconv.Itoa(os.Getpid()))
	for _, name := range []string{control.Mark, "SLURM_JOB_ID"} {
		os.Unsetenv(name)
	}
	return m.Run()
}

// besides contains the names of testbeds that are up in addition to the usual one of tests, by the
// names of their tests.
var besides sync.Map

// beside runs a test in parallel with others, with a separate testbed: for tests that mostly wait.
func beside(t *testing.T) {
	besides.Store(t.Name(), fmt.Sprintf("beside%dof%d", beds.Add(1), os.Getpid()))
	t.Parallel()
}

var beds atomic.Int64

// short is the name of a test's testbed as TESTBED_NAME has it.
func short(t *testing.T) string {
	for name := t.Name(); name != "."; name = path.Dir(name) {
		if own, is := besides.Load(name); is {
			return own.(string)
		}
	}
	return os.Getenv(control.Variable)
}

func name(t *testing.T) string { return "migbsp-testbed-" + short(t) }

// testbed is the command of a test's testbed.
func testbed(t *testing.T, arguments ...string) *exec.Cmd {
	command := exec.Command(program, arguments...)
	command.Env = append(os.Environ(), control.Variable+"="+short(t))
	return command
}

// result is how a command has ended.
type result struct {
	code      int
	out, said string
}

func call(t *testing.T, arguments ...string) result {
	t.Helper()
	command := testbed(t, arguments...)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err := command.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return result{command.ProcessState.ExitCode(), strings.TrimSpace(out.String()), strings.TrimSpace(said.String())}
}

// succeeds is call of a command that must not fail.
func succeeds(t *testing.T, arguments ...string) string {
	t.Helper()
	r := call(t, arguments...)
	if r.code != 0 {
		t.Fatalf("testbed %s ends with code %d: %s", strings.Join(arguments, " "), r.code, r.said)
	}
	return r.out
}

// fails is call of a command that must fail with a code and say something.
func fails(t *testing.T, code int, text string, arguments ...string) {
	t.Helper()
	r := call(t, arguments...)
	if r.code != code || !strings.Contains(r.said, text) || strings.Contains(r.said, "\n") {
		t.Errorf("testbed %s ends with code %d and says %q, expected code %d and %q", strings.Join(arguments, " "), r.code, r.said, code, text)
	}
}

// skip is loud, and a failure where the test is required.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("MIGBSP_TEST_TESTBED") == "required" {
		t.Fatal("required, but " + why)
	}
	t.Skip("SKIPPED: " + why)
}

// bringUp starts a testbed and takes it down after the test. The test must not leave files or
// processes.
func bringUp(t *testing.T, text string) (path string) {
	t.Helper()
	if os.Getenv("MIGBSP_TEST_TESTBED") == "" {
		skip(t, "this takes the machine's processors for itself: MIGBSP_TEST_TESTBED=required, as in scripts/test testbed, runs it")
	}
	if check := call(t, "check"); check.code != 0 {
		skip(t, "an emulated cluster needs more than there is here:\n"+check.out)
	}
	if _, err := os.Stat("/run/migbsp-testbed"); err == nil {
		skip(t, "a testbed is up, which these tests would slow down")
	}
	path = filepath.Join(t.TempDir(), "spec")
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	before := interfaces(t)
	succeeds(t, "up", path)
	t.Cleanup(func() {
		succeeds(t, "down")
		checkClean(t)
		if after := interfaces(t); !slices.Equal(before, after) {
			t.Errorf("interfaces were %v and are %v", before, after)
		}
	})
	return path
}

// checkClean fails the test if the testbed has left files, groups or processes.
func checkClean(t *testing.T) {
	t.Helper()
	left, _ := filepath.Glob("/run/" + name(t) + "*")
	groups, _ := filepath.Glob("/sys/fs/cgroup/*/" + name(t))
	left = append(left, groups...)
	if _, err := os.Stat("/sys/fs/cgroup/" + name(t)); err == nil {
		left = append(left, "a control group")
	}
	for _, pid := range processesOf(t, "") {
		left = append(left, fmt.Sprint("process ", pid))
	}
	if len(left) > 0 {
		t.Errorf("the testbed leaves %v", left)
	}
}

func interfaces(t *testing.T) []string {
	t.Helper()
	all := must.Get(net.Interfaces())(t)
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	return names
}

// processesOf returns the processes of the testbed whose command line continues with some text.
// Processes that have ended have no command line.
func processesOf(t *testing.T, text string) []int {
	var pids []int
	want := "/run/" + name(t) + "/testbed\x00" + strings.ReplaceAll(text, " ", "\x00")
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		if line, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(line), want) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

func kill(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) != 1 {
		t.Fatalf("processes %v, expected one", pids)
	}
	must.Do(t, syscall.Kill(pids[0], syscall.SIGKILL))
}

// eventually waits for a condition, at most five minutes: the machine may be busy.
func eventually(t *testing.T, what string, happens func() bool) {
	t.Helper()
	for limit := time.Now().Add(5 * time.Minute); !happens(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("never: " + what)
		}
	}
}

func state(t *testing.T) control.State {
	t.Helper()
	var s control.State
	must.Do(t, json.Unmarshal([]byte(succeeds(t, "status", "-json")), &s))
	return s
}

func host(t *testing.T, name string) control.Host {
	t.Helper()
	hosts := state(t).Hosts
	at := slices.IndexFunc(hosts, func(h control.Host) bool { return h.Name == name })
	if at < 0 {
		t.Fatalf("no host %s among %v", name, hosts)
	}
	return hosts[at]
}

// The tool starts ranks over the testbed's hosts as over a cluster without a batch system, with their
// Sets, and in a job as the job's tasks.
func TestRunOnHosts(t *testing.T) {
	beside(t)
	bin := cluster(t)
	lu := filepath.Join(bin, "lu")
	want := testrun.Line(lu, "-n 200 -procs 16 -quiet").Checksum(t)
	// on is the tool on the first host.
	on := func(line string) testrun.Command {
		c := testrun.Line(program, "exec alpha1 "+line)
		c.Env = []string{control.Variable + "=" + short(t)}
		return c
	}
	dir := "/run/" + name(t)
	tool := filepath.Join(bin, "migbsp") + " run "
	over := func(more string) testrun.Command {
		c := on(tool + "-on " + dir + "/hosts -ssh " + dir + "/agent -launcher-args")
		c.Words = append(c.Words, "--bind-to none --mca btl self,tcp --mca btl_tcp_if_include "+network.Interface+" --mca oob_tcp_if_include "+network.Interface)
		c.Words = append(c.Words, strings.Fields(more)...)
		return c
	}
	r := over(lu + " -n 200 -procs 16").Run(t)
	if r.Code != 0 || !strings.Contains(r.Out, want) || !strings.Contains(r.Out, "8 ranks in 3 Sets") {
		t.Errorf("over ssh: code %d, want 0, checksum %s and 8 ranks in 3 Sets\n%s%s", r.Code, want, r.Out, r.Err)
	}
	if r := over("-np 3 " + lu + " -n 0").Run(t); r != (testrun.Result{Code: 2, Err: "lu: -n 0: the matrix needs at least one row (see lu -help)\n"}) {
		t.Errorf("a refusal: %+v", r)
	}
	if r := over("/bin/none").Run(t); r.Code != 2 || strings.Count(r.Err, "\n") != 1 {
		t.Errorf("no program: %+v", r)
	}
	if err := slurm.Missing(); err != nil {
		skip(t, err.Error())
	}
	succeeds(t, "slurm", "up")
	c := on("salloc --quiet -p alpha -N 3 -n 3 " + tool + "-np 3 " + lu + " -n 200 -procs 16")
	if r := c.Run(t); r.Code != 0 || !strings.Contains(r.Out, want) || strings.Contains(r.Err, "migbsp run:") {
		t.Errorf("in a job: code %d\n%s%s", r.Code, r.Out, r.Err)
	}
	c = on("salloc --quiet -p alpha -N 3 -n 3 " + tool + "-np 3 " + lu + " -n 0")
	// srun has errors of its own, which --quiet leaves.
	if r := c.Run(t); r.Code != 2 || strings.Count(r.Err, "lu: -n 0") != 1 {
		t.Errorf("a refusal in a job: %+v", r)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"bogus", `there is no command "bogus"`},
		{"up", "SPEC is missing; usage: testbed up SPEC"},
		{"up a b", `"b" is one argument too many`},
		{"exec a", "COMMAND is missing"},
		{"mpirun", "PROGRAM is missing"},
		{"mpirun -n", "RANKS is missing"},
		{"mpirun -n 0 x", `-n "0", expected a number from 1 to 4096`},
		{"mpirun -bogus x", "there is no option -bogus"},
		{"set-speed a 5", `speed "5", expected a part of a processor`},
		{"set-rate a-b fast", `rate "fast", expected bits or bytes per second`},
		{"hog a 200%", "expected a part of a host from above 0% to 100%, or off"},
		{"slurm sideways", `"sideways", expected up, down or node`},
		{"slurm node a", "down|up|drain|resume is missing; usage: testbed slurm up|down|node [NODE down|up|drain|resume]"},
		{"slurm node a sideways", `"sideways", expected down, up, drain, resume`},
		{"slurm node a up b", `"b" is one argument too many`},
		{"check x", `"x" is one argument too many`},
	} {
		r := call(t, strings.Fields(c.line)...)
		if r.code == 77 {
			skip(t, r.said)
		}
		if r.code != exitUsage || !strings.Contains(r.said, c.want) || strings.Contains(r.said, "\n") {
			t.Errorf("%s: code %d, %q, want %q", c.line, r.code, r.said, c.want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, flag := range []string{"-h", "--help", "help"} {
		out := succeeds(t, flag)
		for _, c := range commands() {
			if !strings.Contains(out, "\n  "+c.name) {
				t.Errorf("testbed %s says nothing of %s", flag, c.name)
			}
		}
	}
	for _, c := range commands() {
		if out := succeeds(t, c.name, "--help"); !strings.Contains(out, c.does) {
			t.Errorf("testbed %s --help says %q", c.name, out)
		}
	}
	if r := call(t); r.code != exitUsage || !strings.Contains(r.said, "Usage: testbed COMMAND") {
		t.Errorf("without a command: code %d, %q", r.code, r.said)
	}
}

// Without a testbed, every command except up fails for that reason alone.
func TestNothingIsUp(t *testing.T) {
	for _, line := range []string{"status", "exec a true", "mpirun true", "set-speed a 5%", "set-rate a none", "hog a off", "crash a", "slurm up", "slurm node", "slurm node a up", "check-speeds"} {
		r := call(t, strings.Fields(line)...)
		if r.code == 77 {
			skip(t, r.said)
		}
		if r.code != exitFailed || !strings.Contains(r.said, "no testbed is up") {
			t.Errorf("%s: code %d, %q", line, r.code, r.said)
		}
	}
	checkClean(t)
}
