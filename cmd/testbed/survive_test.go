//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// four has two Sets with two hosts each.
const four = `cluster near hosts=2 speed=20%
cluster far hosts=2 speed=20%
`

// Hosts that are cut off one after the other cost a run time, but not its result.
func TestSurviveLostHosts(t *testing.T) {
	found := launchers(t)
	if len(found[0]) > 0 {
		skip(t, "the program is built for Open MPI")
	}
	programs := testrun.Build(t, "mpi", "./apps/lu", "./apps/heat")
	tool := filepath.Join(testrun.Build(t, "", "./cmd/migbsp"), "migbsp")
	for _, c := range []struct{ program, lostAfter string }{
		{"lu -n 6000 -procs 8", "10s"},
		{"heat -n 1200 -steps 4000 -procs 8", "3s"},
	} {
		program := c.program
		t.Run(strings.Fields(program)[0], func(t *testing.T) {
			words := strings.Fields(program + " -table none -balance off -checkpoint-every 2s")
			words[0] = filepath.Join(programs, words[0])
			dir := t.TempDir()
			line := append([]string{"exec", "near1", "env", "--chdir=" + dir, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "TMPDIR=" + dir, "MIGBSP_LOST_AFTER=" + c.lostAfter,
				tool, "run", "-survive", "3", "-on", "/run/" + name(t) + "/hosts", "-ssh", "/run/" + name(t) + "/agent",
				"-launcher", "mpirun.openmpi", "-launcher-args", "--bind-to none --mca pml ob1 --mca btl self,tcp --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0"}, words...)
			want := checksumOf(t, testrun.Line(words[0], strings.Join(strings.Fields(program)[1:], " ")+" -quiet").Must(t))
			bringUp(t, four)
			run := testbed(t, line...)
			var out, said testrun.Buffer
			run.Stdout, run.Stderr, run.WaitDelay = &out, &said, 10*time.Second
			must.Do(t, run.Start())
			defer run.Process.Kill()
			ended := make(chan error, 1)
			go func() { ended <- run.Wait() }()
			over := false
			for i, host := range []string{"far1", "near2", "far2"} {
				over = over || !until(ended, &said, "checkpoint ", 1)
				time.Sleep(5 * time.Second)
				succeeds(t, "exec", host, "sh", "-c", cutOff)
				begun := time.Now()
				over = over || !until(ended, &said, "; the program goes on from ", i+1)
				gone := time.Since(begun)
				over = over || !until(ended, &said, "goes on from ", 2*(i+1))
				t.Logf("%s: the tool goes on after %.1f s, the program after %.1f s", host, gone.Seconds(), time.Since(begun).Seconds())
			}
			if !over {
				<-ended
			}
			if got := checksumOf(t, out.String()); got != want || run.ProcessState.ExitCode() != 0 || strings.Count(said.String(), "; the program goes on from ") != 3 {
				t.Errorf("code %d, checksum %s, want %s; it says\n%s", run.ProcessState.ExitCode(), got, want, said.String())
			}
			fenced(t, words[0])
		})
	}
}

// fenced checks that the ranks on hosts that were cut off end by themselves.
func fenced(t *testing.T, program string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		var left []string
		for _, exe := range must.Get(filepath.Glob("/proc/[0-9]*/exe"))(t) {
			if at, err := os.Readlink(exe); err == nil && at == program {
				left = append(left, filepath.Base(filepath.Dir(exe)))
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Errorf("processes %v of the program are left", left)
			return
		}
	}
}

// A job of Slurm goes on without a host that is cut off, on its other hosts. Slurm still takes the step
// there for alive.
func TestSurviveInJob(t *testing.T) {
	if err := slurm.Missing(); err != nil {
		skip(t, err.Error())
	}
	bin := testrun.Build(t, "mpi", "./apps/heat", "./cmd/migbsp")
	words := []string{filepath.Join(bin, "heat"), "-n", "1200", "-steps", "5000", "-procs", "8"}
	want := checksumOf(t, testrun.Command{Words: append(slices.Clone(words), "-quiet")}.Must(t))
	bringUp(t, four)
	succeeds(t, "slurm", "up")
	dir := t.TempDir()
	script, output := filepath.Join(dir, "job"), filepath.Join(dir, "out")
	job := testrun.Command{Words: slices.Concat([]string{filepath.Join(bin, "migbsp"), "sbatch", "-nodes", "4", "-ntasks", "4", "-time", "10", "-survive", "2", "-options", "--wait --output=" + output, "--"},
		words, []string{"-table", "none", "-balance", "off"})}.Must(t)
	must.Do(t, os.WriteFile(script, []byte(job), 0o777))
	run := testbed(t, "exec", "near1", "env", "--chdir="+dir, "PATH="+bin+":"+os.Getenv("PATH"), "MIGBSP_LOST_AFTER=5s", "sbatch", script)
	must.Do(t, run.Start())
	defer run.Process.Kill()
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	said := fileText(output)
	if until(ended, said, "heat: checkpoint ", 1) {
		succeeds(t, "exec", "near2", "sh", "-c", cutOff) // the script runs on far1
	}
	<-ended
	text := said.String()
	if got := checksumOf(t, text); got != want || run.ProcessState.ExitCode() != 0 || !strings.Contains(text, ", without near2\n") {
		t.Errorf("code %d, checksum %s, want %s\n%s", run.ProcessState.ExitCode(), got, want, text)
	}
}

// fileText is the name of a file. Its text is that of the file at any time.
type fileText string

func (f fileText) String() string {
	text, _ := os.ReadFile(string(f))
	return string(text)
}

// cutOff takes a host's interfaces down.
const cutOff = "for i in /sys/class/net/*; do ip link set ${i##*/} down; done; ! ip -o link show up | grep -q ."

// until waits until the output has a text n times, and reports whether the run goes on.
func until(ended chan error, said fmt.Stringer, text string, n int) bool {
	for end := time.Now().Add(2 * time.Minute); strings.Count(said.String(), text) < n; time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			return false
		default:
		}
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func checksumOf(t *testing.T, text string) string {
	t.Helper()
	found := regexp.MustCompile(`checksum[ :]+(\S+)`).FindStringSubmatch(text)
	if found == nil {
		t.Error(fmt.Sprintf("no checksum in %q", text))
		return ""
	}
	return found[1]
}
