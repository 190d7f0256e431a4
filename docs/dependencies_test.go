package docs_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// groups are the groups of users that get modules, and the packages that they link.
var groups = []struct{ name, tags, packages string }{
	{"programs", "", "./bsplib"},
	{"programs with MPI", "mpi", "./bsplib"},
	{"migbsp", "", "./cmd/migbsp"},
	{"stagevet", "", "./cmd/stagevet"},
	{"testbed", "", "./cmd/testbed"},
	{"bench", "", "./bench/..."},
}

// linked returns the modules linked by a group's packages, on Linux.
func linked(t *testing.T, tags, packages string) []string {
	t.Helper()
	list := exec.Command("go", "list", "-tags", tags, "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", packages)
	list.Dir, list.Env = "..", append(os.Environ(), "GOOS=linux", "GOFLAGS=", "CGO_ENABLED=1")
	out := must.Get(list.Output())(t)
	return strings.Fields(string(out))
}

// The page lists all direct dependencies, each with the groups that get it, a role and a reason.
func TestDependencies(t *testing.T) {
	mod := must.Get(os.ReadFile("../go.mod"))(t)
	page := must.Get(os.ReadFile("reference/dependencies.md"))(t)
	var direct []string
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1) {
		direct = append(direct, m[1])
	}
	if len(direct) == 0 {
		t.Fatal("go.mod has no dependencies")
	}
	gets := make(map[string][]string) // groups by module
	for _, g := range groups {
		for _, m := range linked(t, g.tags, g.packages) {
			if slices.Contains(direct, m) && !slices.Contains(gets[m], "programs") && !slices.Contains(gets[m], g.name) {
				gets[m] = append(gets[m], g.name)
			}
		}
	}
	var rows []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\S+)` \\| (.+?) \\| (.+?) \\| (.+?) \\|$").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, row[1])
		if want := strings.Join(gets[row[1]], ", "); row[2] != want {
			t.Errorf("%s: on the page %q get it, in fact %q", row[1], row[2], want)
		}
	}
	slices.Sort(rows)
	slices.Sort(direct)
	if !slices.Equal(rows, direct) {
		t.Errorf("rows of the page: %q\ndirect in go.mod: %q", rows, direct)
	}
}
