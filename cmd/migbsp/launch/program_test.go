//go:build unix

package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// put makes files: those whose names end in * can be executed.
func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		mode := os.FileMode(0o644)
		name, run := strings.CutSuffix(name, "*")
		if run {
			mode = 0o755
		}
		must.Write(t, filepath.Join(dir, name), "#!/bin/sh\n", mode)
	}
}

// Names are looked for in the installation and then in PATH, never in the working
// directory; paths are paths.
func TestFind(t *testing.T) {
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	put(t, root, "p/bin/migbsp*", "p/libexec/migbsp/lu*", "p/libexec/migbsp/sort*", "p/libexec/migbsp/README", "elsewhere/sort*", "elsewhere/other*", "here/mine*", "here/plain", "here/folder/x")
	must.Do(t, os.Symlink(root+"/p/bin/migbsp", root+"/elsewhere/migbsp"))
	dir := Installed(root + "/elsewhere/migbsp")
	if dir != root+"/p/libexec/migbsp" {
		t.Fatalf("programs are looked for in %s", dir)
	}
	t.Chdir(root + "/here")
	t.Setenv("PATH", ".:here::"+root+"/elsewhere")
	for name, want := range map[string]string{
		"lu": "p/libexec/migbsp/lu", "sort": "p/libexec/migbsp/sort", "other": "elsewhere/other",
		"./mine": "here/mine", root + "/here/mine": "here/mine", "../p/libexec/migbsp/lu": "p/libexec/migbsp/lu",
		"mine":    `there is no program "mine" in DIR or PATH; for the one in this directory give ./mine`,
		"plain":   `there is no program "plain" in DIR or PATH; there is ./plain, but it cannot be executed: chmod +x`,
		"folder":  `there is no program "folder" in DIR or PATH; there is ./folder, but it is a directory`,
		"lou":     `there is no program "lou"; did you mean lu?`,
		"README":  `there is no program "README" in DIR or PATH`,
		"":        `there is no program "" in DIR or PATH`,
		"./plain": "./plain: it cannot be executed: chmod +x",
		"./none":  "./none: no such file or directory",
		"../here": "../here: it is a directory",
	} {
		path, err := Find(dir, name)
		if err != nil {
			if got := strings.ReplaceAll(err.Error(), dir, "DIR"); got != want || errors.Is(err, ErrUnknown) == strings.Contains(name, "/") {
				t.Errorf("%q: %s, want %s", name, got, want)
			}
		} else if path != filepath.Join(root, want) {
			t.Errorf("%q: %s, want %s", name, path, want)
		}
	}
	if got := strings.Join(Names(dir), " "); got != "lu sort" {
		t.Errorf("the programs are %s", got)
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct{ name, help, want string }{
		{"lu", "Lu factors a random\nmatrix, P A = L U. The\nrest.\n\nUsage: lu", "factors a random matrix, P A = L U"},
		{"sw", "Sw finds the best: the parts of both.\n\nUsage", "finds the best"},
		{"mine", "Computes it.\n\nUsage", "Computes it"},
		{"mine", "Usage: mine [flags]\n", ""},
		{"mine", "", ""},
		{"x", "X " + strings.Repeat("does this, ", 10) + "and that.", "does this, does this, does this, does this, does this, does this"},
		{"x", strings.Repeat("word ", 20), strings.Repeat("word ", 13) + "..."},
	} {
		if got := oneLine(c.name, c.help); got != c.want {
			t.Errorf("%q: %q, want %q", c.help, got, c.want)
		}
	}
}

// A program's description of itself does not depend on the launcher of this process, nor on
// settings that it would warn about.
func TestLook(t *testing.T) {
	program := filepath.Join(t.TempDir(), "p")
	for text, want := range map[string]Contents{
		"p (migbsp) v1\nMPI: MPICH 4.0.2\ngo1": {true, "MPICH 4.0.2"},
		"p (migbsp) (devel)\ngo1.26":           {true, ""},
		"GNU p 4":                              {},
		"":                                     {},
	} {
		script := "#!/bin/sh\n[ \"$1$OMPI_COMM_WORLD_SIZE$SLURM_STEP_ID$MIGBSP_NONE\" = -version ] || exit 1\nprintf '" + text + "'\n"
		must.Do(t, os.WriteFile(program, []byte(script), 0o755))
		for _, name := range []string{"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_ID", "MIGBSP_NONE"} {
			t.Setenv(name, "4")
		}
		if got := Look(t.Context(), program); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// A program of ours is asked for its flags, another one is not.
func TestFlags(t *testing.T) {
	program := filepath.Join(t.TempDir(), "lu")
	for version, want := range map[string]string{"lu (migbsp) v1": "-n -run-dir -v -help", "lu 1.0": ""} {
		script := `#!/bin/sh
case $1 in
-version) echo "` + version + `" ;;
-help) printf 'Lu factors.\n\nFlags of lu:\n  -n int\n        order, less than\n        -block\n  -run-dir directory\n  -v\tmore\n' ;;
esac
`
		must.Do(t, os.WriteFile(program, []byte(script), 0o755))
		if got := strings.Join(Flags(t.Context(), program), " "); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}
