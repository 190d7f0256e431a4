package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// outside makes a user's program, as a module of its own, and builds it.
func outside(t *testing.T, tags string) (module func(line string) testrun.Command) {
	t.Helper()
	root := testrun.Root(t)
	if exists(filepath.Join(root, "vendor")) {
		t.Skip("SKIPPED: the modules are in vendor/, where those outside do not look")
	}
	t.Chdir(t.TempDir())
	code, out, err := call(t, "", "new", "-replace", root, "life")
	if code != cli.ExitOK || err != "" || !strings.Contains(out, "cd life\n") {
		t.Fatalf("code %d, %q\n%s", code, err, out)
	}
	cgo := "CGO_ENABLED=0"
	if tags != "" {
		cgo = "CGO_ENABLED=1"
	}
	module = func(line string) testrun.Command {
		words := strings.Fields(line)
		return testrun.Command{Words: words, Dir: "life", Env: []string{cgo, "GOFLAGS=-trimpath", "GOPROXY=off", "GOWORK=off"}}
	}
	module("go build -o life -tags=" + tags).Must(t)
	return module
}

// The output of migbsp new builds as a module of its own, passes its test, and computes the same on
// goroutines, with all processes moving, and on emulated hosts.
func TestNew(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	module := outside(t, "")
	module("go vet ./...").Must(t)
	module("go test").Must(t)
	want := module("./life -quiet").Checksum(t)
	for _, flags := range []string{"-procs 8", "-procs 8 -shake", "-procs 16 -hosts emulated.hosts"} {
		if got := module("./life -quiet " + flags).Checksum(t); got != want {
			t.Errorf("%s: checksum %s, want %s", flags, got, want)
		}
	}
}

// The commands that migbsp new prints work unchanged, one after the other, for a user with a
// checkout of the library who runs the tool there or elsewhere. The last one needs MPI.
func TestNewRecipe(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	root := testrun.Root(t)
	if exists(filepath.Join(root, "vendor")) {
		t.Skip("SKIPPED: the modules are in vendor/, where those outside do not look")
	}
	prefix := t.TempDir() // as scripts/install fills it, from this checkout
	must.Do(t, os.Rename(testrun.Build(t, "", "./cmd/migbsp"), filepath.Join(prefix, "bin")))
	must.Write(t, filepath.Join(prefix, "share/migbsp/checkout"), root+"\n", 0o644)
	tool := testrun.Line(filepath.Join(prefix, "bin/migbsp"), "new life")
	tool.Dir = t.TempDir()
	out := tool.Must(t)
	must.Have(t, out, "\nfrom "+root+". To go on:\n")
	_, recipe, _ := strings.Cut(out, "\n\n")
	recipe, last, _ := strings.Cut(recipe, "  go build -tags mpi")
	if last == "" || strings.Count(recipe, "\n") < 5 {
		t.Fatalf("not the expected commands:\n%s", out)
	}
	testrun.Command{
		Words: []string{"sh", "-ec", recipe}, Dir: tool.Dir,
		Env: []string{"CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOPROXY=off", "GOWORK=off"},
	}.Must(t)
}

// The library is found above the working directory, above the tool, and where the tool was
// installed from, in this order.
func TestCheckout(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) { must.Write(t, filepath.Join(root, name), text, 0o644) }
	write("a/go.mod", "module "+library+"\n")
	write("b/go.mod", "module "+library+"\n\ngo 1.26.0\n")
	write("b/cmd/none", "")
	write("c/go.mod", "module "+library+"/v2\n")
	under := func(names ...string) (dirs []string) {
		for _, name := range names {
			dirs = append(dirs, filepath.Join(root, name))
		}
		return dirs
	}
	for _, c := range []struct{ dirs, want string }{
		{"b/cmd a", "b"}, {"nowhere/at/all a", "a"}, {"c b", "b"}, {"a b", "a"}, {"c", ""}, {"", ""},
	} {
		got, err := checkout(under(strings.Fields(c.dirs)...))
		if c.want == "" && (err == nil || !strings.Contains(err.Error(), "git clone https://github.com/migbsp/migbsp, then add -replace migbsp")) {
			t.Errorf("%s: %q, %v", c.dirs, got, err)
		}
		if c.want != "" && (err != nil || got != filepath.Join(root, c.want)) {
			t.Errorf("%s: %q, %v, want %s", c.dirs, got, err, c.want)
		}
	}
	t.Chdir(filepath.Join(root, "b/cmd"))
	if dir, err := checkout(checkouts()); err != nil || filepath.Base(dir) != "b" {
		t.Errorf("in the checkout b: %q, %v", dir, err)
	}
}

// The same on the ranks of an MPI, and its test too.
func TestUnderMPINew(t *testing.T) {
	mpirun := testrun.MPI(t)
	module := outside(t, "mpi")
	module("go test -tags mpi -c -o life.test").Must(t)
	mpirun.On(3, module("./life.test")).Must(t)
	want := module("./life -quiet").Checksum(t)
	if got := mpirun.On(2, module("./life -quiet -procs 8")).Checksum(t); got != want {
		t.Errorf("checksum %s, want %s", got, want)
	}
}

// Existing files do not change, and an invalid module is not begun.
func TestNewRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.Mkdir("there", 0o777))
	for line, want := range map[string]string{
		"there":                          "there: file already exists",
		"a/b":                            "a/b: expected a name without a slash",
		"..":                             `"example.com/.." cannot be`,
		"a b":                            `"example.com/a b" cannot be`,
		"x.":                             `"example.com/x." cannot be`,
		"v1":                             `"example.com/v1" cannot be the path of a module: it may end in /v2`,
		"-module life life":              `"life" cannot be`,
		"-module Example.com/x life":     `"Example.com/x" cannot be`,
		"-module example.com//x life":    `"example.com//x" cannot be`,
		"-module example.com/x/ life":    `"example.com/x/" cannot be`,
		"-module example.com/x\ny life":  "cannot be",
		"-replace there life":            "-replace there: expected a directory with the sources of migbsp",
		"-replace nowhere life":          "-replace nowhere: expected",
		"-module example.com/x/v1.2 out": "cannot be",
	} {
		args := strings.Split(line, " ")
		if line == "a b" {
			args = []string{line}
		}
		code, _, err := call(t, "", append([]string{"new"}, args...)...)
		if code == cli.ExitOK || !strings.Contains(err, want) {
			t.Errorf("%s: code %d, %q, want %q", line, code, err, want)
		}
	}
	must.Hold(t, ".", 1)
	for _, module := range []string{"example.com/life", "example.com/Life-2.0_x~", "a-b.example.org/x/y/v2", "example.org"} {
		if err := checkModule(module); err != nil {
			t.Error(err)
		}
	}
}

// A new module asks for the Go that the library asks for.
func TestNewGoVersion(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil || !strings.Contains(string(mod), "\ngo "+goVersion+"\n") {
		t.Errorf("go.mod does not say %s: %v", goVersion, err)
	}
}

// The page on users' own programs shows parts of the output of migbsp new, unchanged.
func TestNewPage(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/guide/own-program.md"))(t)
	var files string
	for _, name := range []string{"main.go", "main_test.go", "emulated.hosts"} {
		text := must.Get(template.ReadFile("template/" + name))(t)
		files += "\n" + string(text)
	}
	parts := regexp.MustCompile("(?ms)^```(?:go|hosts)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	if len(parts) < 3 {
		t.Errorf("the page shows %d parts", len(parts))
	}
	for _, part := range parts {
		if !strings.Contains(files, "\n"+part[1]) {
			t.Errorf("the template has no such part:\n%s", part[1])
		}
	}
	if words := len(strings.Fields(string(page))); words > 900 {
		t.Errorf("%d words", words)
	}
}
