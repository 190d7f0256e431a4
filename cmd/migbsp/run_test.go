//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// installation builds the tool and programs and puts them where they find each other.
func installation(t *testing.T, tags string, programs ...string) (tool, libexec string) {
	t.Helper()
	root := t.TempDir()
	libexec = filepath.Join(root, "libexec/migbsp")
	for dir, packages := range map[string][]string{filepath.Join(root, "bin"): {"./cmd/migbsp"}, libexec: programs} {
		must.Do(t, os.MkdirAll(filepath.Dir(dir), 0o755))
		must.Do(t, os.Rename(testrun.Build(t, tags, packages...), dir))
	}
	return filepath.Join(root, "bin/migbsp"), libexec
}

// script makes a program of lines for sh.
func script(t *testing.T, path, lines string) string {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines), 0o755))
	return path
}

// A program that migbsp run starts without flags gets the same arguments, environment and signals,
// and ends with the same exit codes, as if started by its path.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tool")
	}
	tool, libexec := installation(t, "", "./apps/lu")
	script(t, filepath.Join(libexec, "told"), `trap 'echo asked; exit 7' TERM; echo "$$ $0 $#"; printf '<%s>' "$@"; echo; env | grep ^OF_TEST; [ -z "$WAIT" ] || while :; do sleep 0.01; done`)
	run := func(line string) testrun.Command { return testrun.Line(tool, "run "+line) }

	if got, want := run("lu -n 100 -quiet").Checksum(t), testrun.Line(libexec+"/lu", "-n 100 -quiet").Checksum(t); got != want {
		t.Errorf("checksum %s, want %s", got, want)
	}
	for _, line := range []string{"-n 0", "-bogus", "-help", "-restart none", "-print-config"} {
		got, want := run("lu "+line).Run(t), testrun.Line(libexec+"/lu", line).Run(t)
		if got != want {
			t.Errorf("lu %s: %+v, by its path %+v", line, got, want)
		}
	}
	c := run("told")
	c.Words, c.Env = append(c.Words, "-n", "a b", "", "--", "-help"), []string{"OF_TEST=a  b"}
	if out := c.Must(t); !strings.HasSuffix(out, " "+libexec+"/told 5\n<-n><a b><><--><-help>\nOF_TEST=a  b\n") {
		t.Errorf("it is told %q", out)
	}

	waits := exec.Command(tool, "run", "told")
	waits.Env = append(os.Environ(), "WAIT=1")
	out, err := waits.StdoutPipe()
	if err == nil {
		err = waits.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	if want := fmt.Sprint(waits.Process.Pid, " "); !strings.HasPrefix(lines.Text(), want) {
		t.Errorf("it is %q, and not the process %s", lines.Text(), want)
	}
	lines.Scan()
	waits.Process.Signal(syscall.SIGTERM)
	said := ""
	for lines.Scan() {
		said += lines.Text()
	}
	waits.Wait()
	if code := waits.ProcessState.ExitCode(); code != 7 || said != "asked" {
		t.Errorf("after a signal: code %d, %q", code, said)
	}
}

// Run lists the programs that it can run, and refuses invalid calls in one line.
func TestRunRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tool")
	}
	tool, libexec := installation(t, "", "./apps/lu", "./apps/prefixsum")
	const list = "  lu         factors a random dense n x n matrix, P A = L U\n" +
		"  prefixsum  computes the running sums of 1, 2, ...\n"
	listed := "Programs in " + libexec + ":\n\n" + list + "\nmigbsp run PROGRAM -help explains one.\n"
	hosts := filepath.Join(t.TempDir(), "h")
	must.Do(t, os.WriteFile(hosts, []byte("a slots=0\nb slots=0\n#@set\n"), 0o644))
	const help = " (see migbsp run -help)\n"
	const renamed = "migbsp run: warning: -hosts before the program is now -on, and the next release refuses it; after the program it is the program's own flag\n"
	for _, c := range []struct {
		line     string
		code     int
		out, err string
	}{
		{"", 0, listed, ""},
		{"-list", 0, listed, ""},
		{"-names", 0, "lu\nprefixsum\n", ""},
		{"-names lu -table", 0, "verdict\nsites\nsteps\nranks\nsets\nfull\nnone\n", ""},
		{"-names lu --color", 0, "auto\nalways\nnever\n", ""},
		{"-names lu -n", 0, "", ""},
		{"-names env -table", 0, "", ""},
		{"-show lu -n 5", 0, libexec + "/lu -n 5\n", ""},
		{"luu -n 5", 2, "", "migbsp run: there is no program \"luu\"; did you mean lu?\n\n" + list},
		{"./lu", 2, "", "migbsp run: ./lu: no such file or directory" + help},
		{"-np 4", 2, "", "migbsp run: PROGRAM is missing" + help},
		{"-np 0 lu", 2, "", "migbsp run: invalid value \"0\" for flag -np: expected a whole number from 1 to 65535" + help},
		{"-n 4 lu", 2, "", "migbsp run: -n prints the command line only; the number of ranks is -np 4" + help},
		{"-ssh rsh lu", 2, "", "migbsp run: -ssh rsh: it needs -on, which starts ranks over ssh" + help},
		{"-launcher srun lu", 2, "", "migbsp run: -launcher srun: without -np or -on there is no launcher" + help},
		{"-np 4 lu", 2, "", "migbsp run: lu was built without MPI, which -np 4 needs: go build -tags mpi, or TAGS=mpi scripts/install; on this machine alone  migbsp run lu -ranks 4  does without" + help},
		{"-np 4 lu -n 500 -run-dir $x", 2, "", "migbsp run: lu was built without MPI, which -np 4 needs: go build -tags mpi, or TAGS=mpi scripts/install; on this machine alone  migbsp run lu -ranks 4 -n 500 -run-dir '$x'  does without" + help},
		{"-on none lu", 2, "", "migbsp run: open none: no such file or directory" + help},
		{"-on " + hosts + " lu", 2, "", "migbsp run: " + hosts + ":3:6: \"\" where a Set is named, expected its name, then attributes" + help},
		{"-hosts none lu", 2, "", renamed + "migbsp run: open none: no such file or directory" + help},
		{"-show lu -hosts none", 0, libexec + "/lu -hosts none\n", ""},
		{"-np 2 env", 2, "", "migbsp run: env -version does not say which MPI it was built with, as programs of migbsp do; name its launcher with -launcher" + help},
	} {
		if r := testrun.Line(tool, "run "+c.line).Run(t); r != (testrun.Result{Code: c.code, Out: c.out, Err: c.err}) {
			t.Errorf("%s: code %d\n%s%swant code %d\n%s%s", c.line, r.Code, r.Out, r.Err, c.code, c.out, c.err)
		}
	}
	must.Have(t, testrun.Line(tool, "run -names lu -balance").Must(t), "off\nauto\n", "\npercent\n", "\nhelp\n")
	empty := filepath.Join(t.TempDir(), "migbsp")
	if err := os.Link(tool, empty); err != nil {
		t.Skip(err)
	}
	testrun.Line(empty, "run").Fails(t, "no programs are installed in .*: scripts/install puts them there")
	ranks := testrun.Line(tool, "run -np 2 lu")
	ranks.Env = []string{"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=4"}
	ranks.Fails(t, "mpirun has started this tool on its ranks already")
}

// The tool finds programs, and runs them, where /proc is not mounted.
func TestRunWithoutProc(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tool")
	}
	without := []string{"unshare", "--mount", "sh", "-c", `mount -t tmpfs none /proc && exec "$@"`, "sh"}
	if text, err := exec.Command(without[0], append(without[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("no mounts of its own: %v %s", err, text)
	}
	tool, libexec := installation(t, "", "./apps/prefixsum")
	for _, line := range []string{"run -names", "run prefixsum -procs 4 -ranks 2 -quiet"} {
		hidden := testrun.Command{Words: append(append(without, tool), strings.Fields(line)...)}
		got, want := hidden.Run(t), testrun.Line(tool, line).Run(t)
		if got != want || got.Code != 0 {
			t.Errorf("%s: %+v, with /proc %+v", line, got, want)
		}
	}
	// The tool may be called by a link, or by PATH.
	link := filepath.Join(t.TempDir(), "migbsp")
	must.Do(t, os.Symlink(tool, link))
	hidden := testrun.Command{Words: append(without, "migbsp", "run", "-show", "prefixsum"), Env: []string{"PATH=" + filepath.Dir(link) + ":" + os.Getenv("PATH")}}
	if out := hidden.Must(t); out != libexec+"/prefixsum\n" {
		t.Errorf("by PATH it finds %q", out)
	}
}

// withoutCrowd removes the warning about more ranks than cores, which tests may have.
func withoutCrowd(text string) string {
	lines := strings.SplitAfter(text, "\n")
	if strings.HasSuffix(lines[0], ": ranks wait for each other\n") {
		lines = lines[1:]
	}
	return strings.Join(lines, "")
}

// Under the launcher of an MPI a program's result, exit codes and messages are the same, and
// signals end it.
func TestUnderMPIRun(t *testing.T) {
	testrun.MPI(t)
	launcher := strings.Fields(os.Getenv("MIGBSP_TEST_MPI"))[0]
	tool, libexec := installation(t, "mpi", "./apps/lu")
	run := func(line string) testrun.Command { return testrun.Line(tool, "run "+line) }
	want := testrun.Line(libexec+"/lu", "-n 100 -procs 6 -quiet").Checksum(t)

	r := run("-np 3 lu -n 100 -procs 6 -quiet").Run(t)
	if r.Code != 0 || !strings.Contains(r.Out, want) || withoutCrowd(r.Err) != "" {
		t.Errorf("%+v, want checksum %s", r, want)
	}
	r = run("-np 3 lu -n 0").Run(t)
	if r.Code != 2 || r.Out != "" || withoutCrowd(r.Err) != "lu: -n 0: the matrix needs at least one row (see lu -help)\n" {
		t.Errorf("a refusal: %+v", r)
	}
	t.Run("ends", func(t *testing.T) {
		for lines, code := range map[string]int{"exit 75": 75, "exit 1": 1, "sleep 0.5; kill -KILL $$": 137, "sleep 0.5; kill -SEGV $$": 139} {
			t.Run(lines, func(t *testing.T) {
				t.Parallel()
				path := script(t, filepath.Join(t.TempDir(), "ends"), lines+"\n")
				if r := run("-np 2 -launcher " + launcher + " " + path).Run(t); r.Code != code {
					t.Errorf("code %d, want %d\n%s", r.Code, code, r.Err)
				}
			})
		}
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(signal.String(), func(t *testing.T) {
				t.Parallel()
				endBySignal(t, signal, tool, launcher)
			})
		}
		t.Run("loss", func(t *testing.T) {
			t.Parallel()
			endByLoss(t, tool, libexec)
		})
	})
	t.Run("over ssh", func(t *testing.T) { runOverSSH(t, tool, launcher, want) })
}

// endByLoss checks the exit code after a rank is killed, which does not depend on the launcher's.
func endByLoss(t *testing.T, tool, libexec string) {
	t.Helper()
	command := exec.Command(tool, "run", "-np", "3", "lu", "-n", "8000", "-procs", "6", "-quiet")
	command.Env = append(os.Environ(), "MIGBSP_CONFIG="+os.DevNull, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	var said strings.Builder
	command.Stderr = &said
	must.Do(t, command.Start())
	hanging := time.AfterFunc(2*time.Minute, func() { command.Process.Kill() })
	defer hanging.Stop()
	victim := 0
	for deadline := time.Now().Add(time.Minute); victim == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		watched, ranks := false, []string{}
		all, _ := filepath.Glob("/proc/[0-9]*/exe")
		for _, exe := range all {
			if at, err := os.Readlink(exe); err != nil || at != libexec+"/lu" {
				continue
			}
			line, _ := os.ReadFile(filepath.Dir(exe) + "/cmdline")
			if strings.HasPrefix(string(line), libexec) {
				ranks = append(ranks, filepath.Base(filepath.Dir(exe)))
			} else {
				watched = true
			}
		}
		if watched && len(ranks) == 3 {
			time.Sleep(2 * time.Second) // until all are in its care
			fmt.Sscan(ranks[1], &victim)
		}
	}
	if victim > 0 {
		syscall.Kill(victim, syscall.SIGKILL)
	}
	command.Wait()
	if code, text := command.ProcessState.ExitCode(), said.String(); code != 200 || strings.Count(text, " is lost: ended by signal 9 (killed) ") != 1 {
		t.Errorf("after the loss of process %d: code %d\n%s", victim, code, text)
	}
}

// endBySignal has all ranks asked to end, each once.
func endBySignal(t *testing.T, signal syscall.Signal, tool, launcher string) {
	t.Helper()
	dir := t.TempDir()
	waits := script(t, filepath.Join(dir, "waits"), `
trap 'echo asked >>"$1/ended.$$"; exit 143' TERM INT
: >"$1/started.$$"
while :; do sleep 0.01; done
`)
	command := exec.Command(tool, "run", "-np", "2", "-launcher", launcher, waits, dir)
	command.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	must.Do(t, command.Start())
	files := func(pattern string) []string {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		return found
	}
	for deadline := time.Now().Add(time.Minute); len(files("started.*")) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("the ranks do not start")
			break
		}
	}
	command.Process.Signal(signal)
	command.Wait()
	if code := command.ProcessState.ExitCode(); code != 128+int(signal) {
		t.Errorf("%v: code %d", signal, code)
	}
	// No rank was asked twice; a launcher may not leave it the time to say that it was.
	for _, file := range files("ended.*") {
		if text, _ := os.ReadFile(file); strings.Count(string(text), "asked") > 1 {
			t.Errorf("%v: %s has %q", signal, file, text)
		}
	}
	for _, file := range files("started.*") {
		pid := strings.TrimPrefix(filepath.Ext(file), ".")
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if line, err := os.ReadFile("/proc/" + pid + "/cmdline"); err != nil || !strings.Contains(string(line), waits) {
				break
			} else if time.Now().After(deadline) {
				t.Errorf("%v: rank %s is left", signal, pid)
				break
			}
		}
	}
}

// runOverSSH starts ranks by a command that stands for ssh and runs all here, on loopback; so hosts
// are names only, which it passes to the commands that run there. Each host has a temporary
// directory of its own: two daemons of Open MPI that begin at the same time in one directory remove
// each other's files, so that one of them ends without a message, and mpirun waits for it.
func runOverSSH(t *testing.T, tool, launcher, want string) {
	dir := t.TempDir()
	ssh := script(t, filepath.Join(dir, "my ssh"), `
while :; do case $1 in -p) shift 2 ;; -*) shift ;; *) break ;; esac; done
export SLURMD_NODENAME=$1 TMPDIR='`+dir+`'/$1
mkdir -p "$TMPDIR"
case $1 in dark*) echo "connect to host $1: No route to host" >&2; exit 255 ;; esac
shift
exec /bin/sh -c "$*"
`)
	hosts := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	two := hosts("two", "#@set near\nfakea slots=1\n#@set far\nfakeb slots=2\n")
	// Hosts that are one would take each other's shared memory for their own.
	network := "--mca oob_tcp_if_include lo --mca btl self,tcp --mca btl_tcp_if_include lo"
	if version, _ := exec.Command(launcher, "--version").CombinedOutput(); strings.Contains(string(version), "HYDRA") {
		network = "-iface lo"
	}
	run := func(file, more string) testrun.Command {
		c := testrun.Line(tool, "run")
		c.Words = append(c.Words, "-on", file, "-ssh", "'"+ssh+"' -p 7", "-launcher-args", network)
		c.Words = append(c.Words, strings.Fields(more)...)
		c.Env = []string{"TMPDIR=" + dir}
		return c
	}
	r := run(two, "lu -n 100 -procs 6").Run(t)
	if r.Code != 0 || !strings.Contains(r.Out, want) || !strings.Contains(r.Out, "3 ranks in 2 Sets") || !strings.HasPrefix(r.Err, "lu: 2 Sets (#@set lines of two)") || strings.Count(r.Err, "\n") != 1 {
		t.Errorf("on all slots: code %d\n%s%s", r.Code, r.Out, r.Err)
	}
	r = run(two, "-np 2 lu -n 100 -procs 6 -quiet -sets here=fakea,fakeb").Run(t)
	if r.Code != 0 || !strings.Contains(r.Out, want) || r.Err != "" {
		t.Errorf("on two of them: %+v", r)
	}
	r = run(two, "-np 4 lu -n 100 -procs 6 -quiet -sets here=fakea,fakeb").Run(t)
	if r.Code != 0 || !strings.HasPrefix(r.Err, "migbsp run: 4 ranks on 3 slots: ranks wait for each other\n") {
		t.Errorf("on more than there are: %+v", r)
	}
	if r := run(two, "lu -n 0").Run(t); r.Code != 2 || r.Err != "lu: -n 0: the matrix needs at least one row (see lu -help)\n" {
		t.Errorf("a refusal: %+v", r)
	}
	dark := hosts("dark", "fakea\ndark1\nfakeb\ndark2\n")
	const lines = "migbsp run: dark1: connect to host dark1: No route to host\nmigbsp run: dark2: connect to host dark2: No route to host\n"
	if r := run(dark, "lu -n 100").Run(t); r != (testrun.Result{Code: 2, Err: lines}) {
		t.Errorf("hosts that are not reached: %+v", r)
	}
	if left, _ := filepath.Glob(dir + "/migbsp-run-*"); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}
