//go:build linux

package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSplitAgent(t *testing.T) {
	for _, c := range []struct{ arguments, host, command string }{
		{"alpha1 orted -mca ess env", "alpha1", "orted -mca ess env"},
		{"-x alpha1 proxy --port 1", "alpha1", "proxy --port 1"},
		{"-x -o StrictHostKeyChecking=no -l root -p 22 b2 a -l b", "b2", "a -l b"},
	} {
		host, command, err := splitAgent(strings.Fields(c.arguments))
		if err != nil || host != c.host || command != c.command {
			t.Errorf("%s: host %q, command %q, %v", c.arguments, host, command, err)
		}
	}
	for _, arguments := range []string{"", "alpha1", "-x", "-l root alpha1"} {
		if host, command, err := splitAgent(strings.Fields(arguments)); err == nil {
			t.Errorf("%q: host %q, command %q", arguments, host, command)
		}
	}
}

func TestLauncherLines(t *testing.T) {
	program := []string{"./lu", "-n", "100"}
	for name, line := range map[string]func(string, int, []string) ([]string, []string){"Open MPI": OpenMPI, "MPICH": MPICH} {
		command, _ := line("/bin/launcher", 7, program)
		if command[0] != "/bin/launcher" || !slices.Equal(command[len(command)-5:], []string{"-n", "7", "./lu", "-n", "100"}) {
			t.Errorf("%s: %v", name, command)
		}
	}
}

func TestCodes(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 75": 75, "kill -TERM $$": 143, "kill -KILL $$": 137} {
		if got, err := codeOf(exec.Command("sh", "-c", script).Run()); err != nil || got != want {
			t.Errorf("%s: code %d, %v, want %d", script, got, err, want)
		}
	}
	if _, err := codeOf(exec.Command("/nowhere/nothing").Run()); err == nil {
		t.Error("no error for a program that is not there")
	}
}

// A launcher is recognised by its version text, not by its name.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, says := range map[string]string{"mpirun.openmpi": "HYDRA", "mpirun": "mpirun (Open MPI) 4.1.4"} {
		script := "#!/bin/sh\necho '" + says + "'\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	if path, err := FindOpenMPI(); err != nil || path != filepath.Join(dir, "mpirun") {
		t.Errorf("Open MPI is %q, %v", path, err)
	}
	if path, err := FindMPICH(); err == nil {
		t.Errorf("MPICH is %q", path)
	}
}
