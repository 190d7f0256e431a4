package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// The second line of a job script in slurm/ is the command that prints it.
func TestJobScriptsAreTheToolsOwn(t *testing.T) {
	noSettings(t)
	files, _ := filepath.Glob("../../slurm/*.sbatch")
	if len(files) < 5 {
		t.Fatalf("%d job scripts: %v", len(files), files)
	}
	for _, name := range files {
		text := must.Get(os.ReadFile(name))(t)
		line := strings.SplitN(string(text), "\n", 3)[1]
		words, err := shell.Words(strings.TrimPrefix(line, "# "))
		if err != nil || len(words) < 2 || words[0] != "migbsp" || words[1] != "sbatch" {
			t.Errorf("%s: %q, %v", name, words, err)
			continue
		}
		if code, out, said := call(t, "", words[1:]...); code != cli.ExitOK || out != string(text) {
			t.Errorf("%s is not what its second line prints: code %d, %s\n%s", name, code, said, out)
		}
	}
}

// All scripts can be read by bash, and by shellcheck where it is.
func TestShellScripts(t *testing.T) {
	files, _ := filepath.Glob("../../slurm/*.s*")
	ours, _ := filepath.Glob("../../scripts/*")
	files = append(files, ours...)
	for _, tool := range [][]string{{"bash", "-n"}, {"shellcheck"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			t.Logf("SKIPPED: no %s on this machine", tool[0])
			continue
		}
		for _, name := range files {
			if out, err := exec.Command(tool[0], append(tool[1:], name)...).CombinedOutput(); err != nil {
				t.Errorf("%s %s: %v\n%s", tool[0], name, err, out)
			}
		}
	}
}

// The host file for two clusters has Sets, and ranks in both.
func TestHandMadeHosts(t *testing.T) {
	f, err := hostfile.Rules{Strict: true}.Read("../../slurm/two-clusters.hosts")
	if err != nil || len(f.Warnings) > 0 || len(f.Sets) != 2 {
		t.Fatalf("%v, %+v", err, f)
	}
}

// The directories that module files add to paths have installed files.
func TestModuleFiles(t *testing.T) {
	i := newInstaller(t)
	_, installed := i.run("-n")
	for _, name := range []string{"migbsp.lua", "migbsp.tcl"} {
		text := must.Get(os.ReadFile("../../slurm/modulefile/" + name))(t)
		found := 0
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "prepend") {
				continue
			}
			words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("\"(), []\n", r) })
			if dir := words[len(words)-1]; !strings.Contains(installed, "/opt/x/"+dir+"/") {
				t.Errorf("%s: nothing is installed in %s", name, dir)
			}
			found++
		}
		if found != 2 {
			t.Errorf("%s has %d paths", name, found)
		}
	}
}
