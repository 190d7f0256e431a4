package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// An installation of scripts/install works in its directory, shadows no other programs, and
// uninstall removes all of it.
func TestInstalled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds all programs")
	}
	root := filepath.Join(t.TempDir(), "a root")
	install := testrun.Line("../../scripts/install", "")
	install.Env = []string{"DESTDIR=" + root, "PREFIX=/usr", "TAGS=", "CGO_ENABLED="}
	byMake := install
	if make, err := exec.LookPath("make"); err == nil {
		byMake.Words = []string{make, "-s", "-C", "../..", "install"}
	}
	byMake.Must(t)
	checkSaid(t, root, install)
	if out := testrun.Line(filepath.Join(root, "usr/bin/migbsp"), "version").Must(t); !strings.HasPrefix(out, "migbsp ") {
		t.Errorf("its version is %q", out)
	}
	testrun.Line(filepath.Join(root, "usr/libexec/migbsp/sort"), "-n 1000 -quiet").Must(t)
	checkNames(t, filepath.Join(root, "usr"))
	checkC(t, filepath.Join(root, "usr"))
	checkModules(t, filepath.Join(root, "usr"))
	checkLinks(t, filepath.Join(root, "usr/share/doc/migbsp"))
	install.Words = append(install.Words, "uninstall")
	install.Must(t)
	must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("it leaves %s", path)
		}
		return err
	}))
}

// checkSaid compares the output of -n with the installed files.
func checkSaid(t *testing.T, root string, install testrun.Command) {
	t.Helper()
	install.Words = append(slices.Clone(install.Words), "-n")
	var there []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			there = append(there, path)
		}
		return err
	})
	said := strings.Split(strings.TrimSpace(strings.ReplaceAll(install.Must(t), "install "+root, root)), "\n")
	slices.Sort(said)
	slices.Sort(there)
	if err != nil || !slices.Equal(said, there) {
		t.Errorf("-n says %d files, and there are %d: %v\n%q\n%q", len(said), len(there), err, said, there)
	}
}

// checkC compiles and runs a program in C with the installation, without Go, if the machine has a C
// compiler.
func checkC(t *testing.T, prefix string) {
	t.Helper()
	bspcc := filepath.Join(prefix, "bin/bspcc")
	if _, err := os.Stat(bspcc); err != nil {
		if _, err := exec.LookPath("cc"); err == nil {
			t.Error("there is a C compiler, and bspcc is not installed")
		}
		return
	}
	c := testrun.Command{Dir: t.TempDir(), Env: []string{"PATH=" + prefix + "/bin:/usr/bin:/bin", "XDG_CACHE_HOME=/dev/null"}}
	source := must.Get(filepath.Abs("../../examples/c/inprod.c"))(t)
	c.Words, c.In = []string{"sh", "-euc", `bspcc -o inprod "$1"; bsprun -n 4 -quiet ./inprod`, "sh", source}, "1000\n"
	if out := c.Must(t); out != "inner product 333833500, expected 333833500\n" {
		t.Errorf("in C: %q", out)
	}
	if _, err := os.Stat(filepath.Join(prefix, "lib/migbsp/libmigbsp.so")); err != nil {
		return
	}
	for _, way := range []string{
		`bspcc -static-rank -o rank "$1"`,
		// Words of pkg-config end at blanks.
		`ln -s "$(dirname "$(command -v bspcc)")/.." here; cc -o rank "$1" $(PKG_CONFIG_PATH=$PWD/here/share/pkgconfig pkg-config --cflags --libs migbsp-rank)`,
	} {
		if _, err := exec.LookPath("pkg-config"); err != nil && strings.Contains(way, "pkg-config") {
			continue
		}
		c.Words = []string{"sh", "-euc", way + `; ./rank -quiet`, "sh", source}
		if out := c.Must(t); out != "inner product 333833500, expected 333833500\n" {
			t.Errorf("%s: %q", way, out)
		}
	}
}

// checkLinks follows the links between installed pages.
func checkLinks(t *testing.T, dir string) {
	t.Helper()
	links, pages := regexp.MustCompile(`\]\(([\w./-]+)[)#]`), 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		pages++
		text, err := os.ReadFile(path)
		for _, link := range links.FindAllSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), string(link[1]))); err != nil && strings.ContainsAny(string(link[1]), "./") {
				t.Errorf("%s: %v", path, err)
			}
		}
		return err
	})
	if err != nil || pages < 30 {
		t.Errorf("%d pages are installed: %v", pages, err)
	}
}

// takenNames returns the programs of systems and clusters.
func takenNames(t *testing.T) map[string]bool {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/taken-names.txt"))(t)
	taken := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			taken[line] = true
		}
	}
	for _, name := range []string{"sort", "renice", "ts", "sponge", "srun", "mpicc", "fft", "[", "sw"} {
		if !taken[name] {
			t.Fatalf("the list has no %s", name)
		}
	}
	return taken
}

// checkNames checks that programs, pages and completions do not shadow those of other packages.
func checkNames(t *testing.T, prefix string) {
	t.Helper()
	taken := takenNames(t)
	for dir, end := range map[string]string{"bin": "", "share/man/man1": ".1", "share/bash-completion/completions": "", "share/fish/vendor_completions.d": ".fish"} {
		entries, err := os.ReadDir(filepath.Join(prefix, dir))
		if err != nil || len(entries) == 0 {
			t.Errorf("%s: %v, %v", dir, entries, err)
		}
		for _, e := range entries {
			name := strings.TrimSuffix(e.Name(), end)
			if taken[name] && name != "bspcxx" { // which replaces BSPonMPI's on purpose
				t.Errorf("%s/%s is in the way of another %s", dir, e.Name(), name)
			}
			if other, err := exec.LookPath(name); err == nil && dir == "bin" && strings.HasPrefix(other, "/usr/bin/") {
				t.Errorf("%s/%s is in the way of %s", dir, name, other)
			}
		}
	}
	look := "command -v sort; command -v load; command -v migbsp"
	before, _ := exec.Command("sh", "-c", look).Output()
	with := exec.Command("sh", "-c", look)
	with.Env = append(os.Environ(), "PATH="+prefix+"/bin:"+os.Getenv("PATH"))
	after, _ := with.Output()
	if want := string(before) + prefix + "/bin/migbsp\n"; string(after) != want {
		t.Errorf("with %s/bin in PATH: %q, want %q", prefix, after, want)
	}
}

// A module file adds only the tool to PATH, puts its pages before those of the system, and reports
// the installation's directory. A file that names another directory is refused.
func checkModules(t *testing.T, prefix string) {
	t.Helper()
	loaded := 0
	for _, system := range []struct{ file, as, command string }{
		{"migbsp.tcl", "0.2-x", "modulecmd"},
		{"migbsp.lua", "0.2-x.lua", os.Getenv("LMOD_CMD")},
		{"migbsp.lua", "0.2-x.lua", "/usr/share/lmod/lmod/libexec/lmod"},
	} {
		command, err := exec.LookPath(system.command)
		if err != nil {
			continue
		}
		loaded++
		text := must.Get(os.ReadFile("../../slurm/modulefile/" + system.file))(t)
		modules, base := t.TempDir(), filepath.Join(t.TempDir(), "base")
		script := filepath.Join(modules, "migbsp", system.as)
		must.Write(t, script, strings.Replace(string(text), "/opt/migbsp\"", base+"\"", 1), 0o666)
		if system.file == "migbsp.tcl" {
			writeFile(t, script, strings.Replace(string(text), "set base /opt/migbsp", "set base "+base, 1))
		}
		load := func() string {
			c := exec.Command("bash", "-c", fmt.Sprintf(`eval "$(%s bash load migbsp/0.2-x)"; command -v sort; command -v migbsp; command -v lu; echo "$MIGBSP_ROOT $MANPATH"`, command))
			c.Env = append(os.Environ(), "MODULEPATH="+modules, "MANPATH=", "LOADEDMODULES=", "_LMFILES_=")
			out, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v", command, err)
			}
			return string(out)
		}
		if out := load(); !strings.Contains(strings.Join(strings.Fields(out), " "), "there is no directory "+base+"/0.2-x: migbsp is not installed there") {
			t.Errorf("%s loads a module of nothing:\n%s", command, out)
		}
		must.Do(t, os.MkdirAll(base, 0o755))
		root := filepath.Join(base, "0.2-x")
		must.Do(t, os.Symlink(prefix, root))
		sort, err := exec.LookPath("sort")
		want := fmt.Sprintf("%s\n%s/bin/migbsp\n%s %s/share/man:", sort, root, root, root)
		if out := load(); err != nil || strings.TrimRight(out, ":\n")+":" != want {
			t.Errorf("%s: %q, want %q", command, out, want)
		}
	}
	if loaded == 0 {
		t.Log("SKIPPED: neither Environment Modules nor Lmod is on this machine")
	}
}
