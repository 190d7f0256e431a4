//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

const two = `cluster near hosts=2 speed=30%
cluster far hosts=1 speed=10% slots=2
`

func TestUpOnlyOnce(t *testing.T) {
	path := bringUp(t, two)
	if out := succeeds(t, "up", path); !strings.HasPrefix(out, "up already") {
		t.Errorf("a second time it says %q", out)
	}
	other := filepath.Join(t.TempDir(), "other")
	must.Do(t, os.WriteFile(other, []byte(two+"# another\n"), 0o644))
	fails(t, exitFailed, "end it first with: testbed down", "up", other)
	succeeds(t, "down")
	checkClean(t)
	succeeds(t, "down")
	succeeds(t, "up", other)
}

// The testbed keeps no file open that the caller of up has open, such as the lock of a
// script: it would stay locked until the testbed goes down.
func TestUpKeepsNoFilesOfItsCaller(t *testing.T) {
	path := bringUp(t, two)
	succeeds(t, "down")
	mine, other, err := os.Pipe()
	must.Do(t, err)
	defer mine.Close()
	defer other.Close()
	up := testbed(t, "up", path)
	up.ExtraFiles = slices.Repeat([]*os.File{other}, 8)
	if text, err := up.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	pipe := must.Get(os.Readlink(fmt.Sprintf("/proc/self/fd/%d", other.Fd())))(t)
	found := 0
	for _, pid := range processesOf(t, "") {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		found += len(files)
		for _, file := range files {
			if target, _ := os.Readlink(file); target == pipe {
				t.Errorf("process %d has %s open", pid, file)
			}
		}
	}
	if found == 0 {
		t.Error("the processes of the testbed have no files")
	}
}

func TestHosts(t *testing.T) {
	bringUp(t, two)
	dir := t.TempDir()
	for _, c := range []struct{ host, script, want string }{
		{"near2", "hostname", "near2"},
		{"near2", "nproc", "1"},
		{"far1", "getent hosts near2 far1 | tr -s ' '", "10.77.1.2 near2\n10.77.2.1 far1"},
		{"far1", "ls /sys/class/net | tr '\\n' ' '", "eth0 lo"},
		{"far1", "pwd", dir},
		{"far1", "echo $MIGBSP_CONFIG $TMPDIR", "/dev/null /var/tmp"},
		{"near1", "touch /dev/shm/x /var/tmp/y shared; ls /dev/shm /var/tmp | wc -l", "5"},
		{"near2", "ls /dev/shm /var/tmp shared | wc -w", "3"},
		{"near1", "ls /proc/1/fd >/dev/null && cat /proc/1/comm", "testbed"},
	} {
		command := exec.Command(program, "exec", c.host, "sh", "-c", c.script)
		command.Dir = dir
		command.Env = append(os.Environ(), "MIGBSP_CONFIG=/dev/null")
		text, err := command.CombinedOutput()
		if got := strings.TrimSpace(string(text)); err != nil || got != c.want {
			t.Errorf("%s: %s: got %q, %v, want %q", c.host, c.script, got, err, c.want)
		}
	}
	if r := call(t, "exec", "near1", "sh", "-c", "exit 75"); r.code != 75 {
		t.Errorf("code 75 of a program becomes %d", r.code)
	}
	if r := call(t, "exec", "near1", "sh", "-c", "kill -TERM $$"); r.code != 143 {
		t.Errorf("signal 15 of a program becomes code %d", r.code)
	}
	fails(t, exitFailed, "there is no host \"near3\"; there are near1, near2, far1", "exec", "near3", "true")
	fails(t, exitFailed, "nothing-of-this-name", "exec", "near1", "nothing-of-this-name")
}

// The core may be killed at any time: all that remains is cleaned up by the next
// up or down.
func TestCoreKilled(t *testing.T) {
	path := bringUp(t, two)
	for _, again := range []string{"up", "down"} {
		kill(t, processesOf(t, "core"))
		eventually(t, "all processes end", func() bool { return len(processesOf(t, "")) == 0 })
		fails(t, exitFailed, "no testbed is up", "status")
		if again == "up" {
			succeeds(t, "up", path)
			succeeds(t, "exec", "far1", "true")
		} else {
			succeeds(t, "down")
			checkClean(t)
		}
	}
}

func TestHostKilled(t *testing.T) {
	bringUp(t, two)
	sleeper := exec.Command(program, "exec", "near2", "sleep", "1000")
	must.Do(t, sleeper.Start())
	eventually(t, "the sleeper is there", func() bool { return host(t, "near2").Processes == 1 })
	kill(t, processesOf(t, "host near2"))
	if err := sleeper.Wait(); err == nil {
		t.Error("a program outlives its host")
	}
	eventually(t, "the host is gone", func() bool { return !host(t, "near2").Up })
	fails(t, exitFailed, "host near2 is gone", "exec", "near2", "true")
	succeeds(t, "exec", "near1", "true")
	if out := succeeds(t, "status"); !strings.Contains(out, "gone") {
		t.Errorf("status says\n%s", out)
	}
}

func TestCrash(t *testing.T) {
	bringUp(t, two)
	sleeper := exec.Command(program, "exec", "far1", "sleep", "1000")
	must.Do(t, sleeper.Start())
	eventually(t, "the sleeper is there", func() bool { return host(t, "far1").Processes == 1 })
	succeeds(t, "crash", "far1")
	if sleeper.Wait(); sleeper.ProcessState.ExitCode() != 137 {
		t.Errorf("a killed program has code %d", sleeper.ProcessState.ExitCode())
	}
	succeeds(t, "exec", "far1", "true")
}

func TestUpRefuses(t *testing.T) {
	if check := call(t, "check"); check.code != 0 {
		skip(t, "an emulated cluster needs more than there is here:\n"+check.out)
	}
	path := filepath.Join(t.TempDir(), "spec")
	must.Do(t, os.WriteFile(path, []byte("cluster a hosts=1 speed=2\n"), 0o644))
	fails(t, exitFailed, path+`:1:25: speed "2", expected`, "up", path)
	fails(t, exitFailed, "no such file", "up", path+"x")
	must.Do(t, os.WriteFile(path, []byte("cluster a hosts=64 speed=90%\n"), 0o644))
	fails(t, exitFailed, "given away", "up", path)
	checkClean(t)
}
