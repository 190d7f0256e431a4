//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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
		})
	}
}

// cutOff takes a host's interfaces down.
const cutOff = "for i in /sys/class/net/*; do ip link set ${i##*/} down; done; ! ip -o link show up | grep -q ."

// until waits until the output has a text n times, and reports whether the run goes on.
func until(ended chan error, said *testrun.Buffer, text string, n int) bool {
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
