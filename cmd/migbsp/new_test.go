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

// outside makes a program of one's own, as a module outside of this one, and builds it.
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
		return testrun.Command{Words: words, Dir: "life", Env: []string{cgo, "GOFLAGS=-mod=mod -trimpath", "GOWORK=off", "GONOSUMDB=*"}}
	}
	module("go build -o life -tags=" + tags).Must(t)
	return module
}

// What migbsp new makes builds as a module of its own, passes its test, and computes the same
// on goroutines, with all processes moving, and on emulated hosts.
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

// What exists stays as it is, and what cannot be a module is not begun.
func TestNewRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.Mkdir("there", 0o777))
	for line, want := range map[string]string{
		"there":                          "there: file exists",
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

// The page on programs of one's own shows parts of what migbsp new writes, as they are there.
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
