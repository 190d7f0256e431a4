//go:build linux

package watch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"golang.org/x/sys/unix"
)

// begun starts a command whose input and output the test has.
func begun(t *testing.T, words ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	t.Helper()
	c := exec.Command(words[0], words[1:]...)
	in, err := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	if err = errors.Join(err, err2); err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, in, bufio.NewReader(out)
}

// A launcher is identified by its program. Only a shell or its own proxy may be between it and the
// rank.
func TestLauncherOf(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	bash, _ = filepath.EvalSymlinks(bash)
	text := must.Get(os.ReadFile(bash))(t)
	dir := t.TempDir()
	for _, c := range []struct {
		above string // programs above the rank, the nearest last
		is    bool
	}{
		{"orterun", true}, {"mpiexec.hydra hydra_pmi_proxy", true}, {"prterun bash", true}, {"mpirun dash hydra_pmi_proxy", false},
		{"orted", false}, {"orterun orted", false}, {"mpiexec flux", false}, {"orterun slurmstepd", false}, {"srun", false}, {"sshd hydra_pmi_proxy", false},
		{"mpiexec.hydra sshd hydra_pmi_proxy", false}, {"mpiexec.hydra hydra_pmi_proxy hydra_pmi_proxy", false}, {"bash", false},
	} {
		line := "echo $$; read wait" // the rank
		programs := strings.Fields(c.above)
		for i := len(programs) - 1; i >= 0; i-- {
			path := filepath.Join(dir, programs[i])
			if _, err := os.Stat(path); err != nil {
				must.Do(t, os.WriteFile(path, text, 0o755))
			}
			below := bash
			if i+1 < len(programs) {
				below = filepath.Join(dir, programs[i+1])
			}
			// Two commands keep the shell from replacing itself by the last one.
			line = fmt.Sprintf("%s -c '%s'; true", below, strings.ReplaceAll(line, "'", `'\''`))
		}
		command, in, out := begun(t, filepath.Join(dir, programs[0]), "-c", line)
		rank, want := 0, 0
		fmt.Fscan(out, &rank)
		if c.is {
			want = command.Process.Pid
		}
		if got := launcherOf(rank); got != want || rank == 0 {
			t.Errorf("%s: the launcher of %d is %d, want %d", c.above, rank, got, want)
		}
		in.Close()
		command.Wait()
	}
}

// A script has the name of the shell's program.
func TestLauncherIsNoScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mpirun")
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\ncat; true\n"), 0o755))
	command, in, out := begun(t, path)
	io.WriteString(in, "ready\n")
	out.ReadString('\n')
	children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", command.Process.Pid))
	rank := 0
	if fmt.Sscan(string(children), &rank); err == nil && rank == 0 {
		t.Errorf("it has the children %q", children)
	}
	if got := launcherOf(rank); got != 0 {
		t.Errorf("the launcher is %d, a script", got)
	}
	in.Close()
	command.Wait()
}

// A launcher that ends by itself is left to it; another one is ended.
func TestEndLauncher(t *testing.T) {
	for _, c := range []struct {
		patience time.Duration
		ends     bool
	}{{time.Hour, true}, {time.Millisecond, false}} {
		command, in, _ := begun(t, "cat")
		launcher := &task{Launcher: command.Process.Pid, LauncherStart: startOf(command.Process.Pid)}
		if later := (&task{Launcher: launcher.Launcher, LauncherStart: launcher.LauncherStart - 1}).holdLauncher(); later >= 0 {
			t.Error("another process with the number of the launcher is held")
		}
		fd := launcher.holdLauncher()
		if fd < 0 {
			t.Skip("the kernel has no pidfd")
		}
		defer unix.Close(fd)
		if c.ends {
			in.Close()
		}
		launcher.endLauncher(fd, c.patience)
		err := command.Wait()
		if ended := err == nil; ended != c.ends {
			t.Errorf("with a patience of %v it ends with %v", c.patience, err)
		}
	}
	if fd := new(task).holdLauncher(); fd >= 0 {
		t.Error("no launcher is held")
	}
}
