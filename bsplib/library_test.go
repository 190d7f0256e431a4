package bsplib_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// The caller of Run owns the standard streams, signals, command line and process. Only packages
// internal/app, internal/membership/watch and cbsp, which belong to Main, may use these.
func TestRunIsALibrary(t *testing.T) {
	amongSources(t)
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"testdata", "bsptest", "cbsp", filepath.Join("internal", "app"), filepath.Join("internal", "membership", "watch")}, path):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		for _, found := range notOfALibrary(t, path, nil) {
			t.Error(found)
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Errorf("%d files: %v", files, err)
	}
}

// amongSources skips a test of the sources if a launcher has started it, on several
// ranks and in another directory.
func amongSources(t *testing.T) {
	t.Helper()
	bsptest.InProcess(t)
	if _, err := os.Stat("library_test.go"); err != nil {
		t.Skip("runs where the sources are only")
	}
}

// The search of TestRunIsALibrary detects violations.
func TestNotOfALibrary(t *testing.T) {
	for source, want := range map[string]int{
		`import "os"; var x = os.Stderr`:                        1,
		`import "os"; func f() { os.Exit(len(os.Args)) }`:       2,
		`import out "os"; var x, y = out.Stdout, out.Stdin`:     2,
		`import "os/signal"`:                                    1,
		`import "flag"`:                                         1,
		`import "log"`:                                          1,
		`import "fmt"; func f() { fmt.Println(); println("") }`: 2,
		`const x = "see -restart"`:                              1,
		"const x = `-procs is %d`":                              1,
		`const x = "-%s is %q"`:                                 1,
		`const x = "SIGUSR1 asks"`:                              1,
		`import "os"; import "fmt"; var name, _ = os.Hostname(); var x = fmt.Sprint("a-b %s-%d - -1 ", name)`: 0,
	} {
		if got := notOfALibrary(t, "x.go", "package x; "+source); len(got) != want {
			t.Errorf("%s: found %q, want %d", source, got, want)
		}
	}
}

// flagInText finds flags and signals in messages.
var flagInText = regexp.MustCompile(`(^|[\s('"])-([a-z]{2,}|%s)|SIG[A-Z]{3,}`)

// notOfALibrary returns the uses in a file of things that a library must not touch.
func notOfALibrary(t *testing.T, path string, source any) (found []string) {
	t.Helper()
	set := token.NewFileSet()
	file := must.Get(parser.ParseFile(set, path, source, 0))(t)
	say := func(n ast.Node, what string) {
		found = append(found, fmt.Sprintf("%v: %s", set.Position(n.Pos()), what))
	}
	imported := make(map[string]string) // packages by the names they have in this file
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if slices.Contains([]string{"flag", "log", "os/signal"}, name) {
			say(spec, "imports "+name)
		}
		local := filepath.Base(name)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		imported[local] = name
	}
	used := []string{"os.Stdin", "os.Stdout", "os.Stderr", "os.Exit", "os.Args", "fmt.Print", "fmt.Printf", "fmt.Println"}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(used, imported[x.Name]+"."+n.Sel.Name) {
				say(n, "uses "+x.Name+"."+n.Sel.Name)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				say(n, "calls "+f.Name)
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && flagInText.MatchString(text) {
				say(n, fmt.Sprintf("speaks of a flag or a signal: %q", text))
			}
		}
		return true
	})
	return found
}

// brought lists all packages that a program imports with bsplib besides the standard library
// and this module, by the module that requires them: docs/reference/dependencies.md gives
// the reasons.
var brought = map[string][]string{
	"golang.org/x/sys":  {"golang.org/x/sys/unix", "golang.org/x/sys/cpu"},
	"golang.org/x/term": {"golang.org/x/term"},
	"github.com/olekukonko/tablewriter": {
		"github.com/cespare/xxhash/v2", "github.com/clipperhouse/displaywidth", "github.com/clipperhouse/uax29/v2/graphemes",
		"github.com/fatih/color", "github.com/mattn/go-colorable", "github.com/mattn/go-isatty", "github.com/mattn/go-runewidth",
		"github.com/olekukonko/cat", "github.com/olekukonko/errors", "github.com/olekukonko/ll", "github.com/olekukonko/ll/lh",
		"github.com/olekukonko/ll/lx", "github.com/olekukonko/tablewriter", "github.com/olekukonko/tablewriter/pkg/twcache",
		"github.com/olekukonko/tablewriter/pkg/twwarp", "github.com/olekukonko/tablewriter/pkg/twwidth",
		"github.com/olekukonko/tablewriter/renderer", "github.com/olekukonko/tablewriter/tw",
	},
	"github.com/shirou/gopsutil/v3": {
		"github.com/shirou/gopsutil/v3/common", "github.com/shirou/gopsutil/v3/internal/common", "github.com/shirou/gopsutil/v3/mem",
	},
	"github.com/pelletier/go-toml/v2": {
		"github.com/pelletier/go-toml/v2/internal/parserbridge", "github.com/pelletier/go-toml/v2/unstable",
	},
}

// A program that imports bsplib gets only packages in the list, and the list has no unused
// package.
func TestPackagesBrought(t *testing.T) {
	amongSources(t)
	list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{if not .Module.Main}}{{.ImportPath}}{{end}}{{end}}", ".")
	var problems bytes.Buffer
	list.Stderr = &problems
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, &problems)
	}
	got := strings.Fields(string(out))
	var known []string
	for module, paths := range brought {
		known = append(known, paths...)
		for _, path := range paths {
			if !slices.Contains(got, path) {
				t.Errorf("%s (of %s) is in the list, but no program gets it", path, module)
			}
		}
	}
	for _, path := range got {
		if !slices.Contains(known, path) {
			t.Errorf("every program gets %s, which is not in the list", path)
		}
	}
}
