// Package docs_test checks the tree against docs/design.md.
package docs_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

const module = "github.com/migbsp/migbsp/"

// room is a row of the page's table.
type room struct {
	name  string
	may   []string // rooms, and packages of others by a part of their paths
	lines int      // at most, of Go without tests
}

var quoted = regexp.MustCompile("`([^`\n]+)`")

// rooms reads the table, from the ground up.
func rooms(t *testing.T) (all []room) {
	t.Helper()
	page, err := os.ReadFile("design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Rooms\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		r := room{name: strings.Trim(cells[1], " `")}
		for _, name := range quoted.FindAllStringSubmatch(cells[3], -1) {
			r.may = append(r.may, name[1])
		}
		if r.lines, err = strconv.Atoi(strings.TrimSpace(cells[4])); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		t.Fatal("design.md has no table of rooms")
	}
	return all
}

// roomOf is the room of a package: the one with the longest name that leads to it.
func roomOf(all []room, pkg string) (found room, ok bool) {
	for _, r := range all {
		if (pkg == r.name || strings.HasPrefix(pkg, r.name+"/")) && len(r.name) > len(found.name) {
			found, ok = r, true
		}
	}
	return found, ok
}

func forTests(pkg string) bool { return strings.HasSuffix(path.Base(pkg), "test") }

// allowance returns the name that a room's row must contain to import a path, or "" if imports are
// free. It returns an error if no row can allow the import.
func allowance(all []room, from room, imported string) (string, error) {
	pkg, ours := strings.CutPrefix(imported, module)
	switch first, _, _ := strings.Cut(imported, "/"); {
	case !strings.Contains(first, "."):
		return "", nil
	case ours && forTests(pkg):
		return "", fmt.Errorf("%s is for tests", pkg)
	case ours:
		to, ok := roomOf(all, pkg)
		if !ok {
			return "", fmt.Errorf("%s is in no room", pkg)
		}
		if to.name == from.name {
			return "", nil
		}
		return to.name, nil
	}
	for _, name := range from.may {
		if strings.Contains("/"+imported+"/", "/"+name+"/") {
			return name, nil
		}
	}
	return imported, nil
}

// violations returns the imports of a tree that the table does not allow, and the entries of the
// table that the tree does not use. imports lists the imports of each package, without tests.
func violations(all []room, imports map[string][]string) (wrong []string) {
	used := make(map[string]bool)
	filled := make(map[string]bool)
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		from, ok := roomOf(all, pkg)
		if !ok {
			wrong = append(wrong, pkg+" is in no room")
			continue
		}
		filled[from.name] = true
		if forTests(pkg) && pkg != from.name {
			continue
		}
		for _, imported := range imports[pkg] {
			needs, err := allowance(all, from, imported)
			switch {
			case err != nil:
				wrong = append(wrong, fmt.Sprintf("%s: %v", pkg, err))
			case needs != "" && !slices.Contains(from.may, needs):
				wrong = append(wrong, fmt.Sprintf("%s imports %s, which is not in the row of %s", pkg, needs, from.name))
			}
			used[from.name+" "+needs] = true
		}
	}
	for i, r := range all {
		if !filled[r.name] {
			wrong = append(wrong, fmt.Sprintf("room %s is empty", r.name))
		}
		for _, name := range r.may {
			above := slices.IndexFunc(all, func(other room) bool { return other.name == name })
			if above >= i {
				wrong = append(wrong, fmt.Sprintf("%s may import %s, which is not above it", r.name, name))
			}
			if !used[r.name+" "+name] {
				wrong = append(wrong, fmt.Sprintf("%s may import %s, and does not", r.name, name))
			}
		}
	}
	return wrong
}

// files returns the names of files below root with the given suffix, relative to root. It skips
// hidden files, test data, and third-party files.
func files(t *testing.T, root, end string) (all []string) {
	t.Helper()
	must.Do(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "vendor" || exists(filepath.Join(root, name, "go.mod"))):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, end):
			all = append(all, name)
		}
		return nil
	}))
	return all
}

// sources visits all Go files of the module, for any system and tags, except tests.
func sources(t *testing.T, visit func(pkg, name string)) {
	t.Helper()
	for _, name := range files(t, "..", ".go") {
		if !strings.HasSuffix(name, "_test.go") {
			visit(path.Dir(name), filepath.Join("..", name))
		}
	}
}

// tree returns the imports of all packages of the module.
func tree(t *testing.T) map[string][]string {
	t.Helper()
	imports := make(map[string][]string)
	sources(t, func(pkg, name string) {
		file := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly))(t)
		imports[pkg] = append(imports[pkg], "")
		for _, spec := range file.Imports {
			imported := must.Get(strconv.Unquote(spec.Path.Value))(t)
			imports[pkg] = append(imports[pkg], imported)
		}
	})
	return imports
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// The tree imports exactly the packages that the page's table allows.
func TestRooms(t *testing.T) {
	for _, wrong := range violations(rooms(t), tree(t)) {
		t.Error(wrong)
	}
}

// Of imports that a stranger might add to the tree the table allows none.
func TestImportsThatAreRefused(t *testing.T) {
	all, now := rooms(t), tree(t)
	before := len(violations(all, now))
	for pkg, imported := range map[string]string{
		"rebalancer":             module + "ledger",
		"ledger":                 module + "ledger/tell/page",
		"bsplib":                 module + "bsplib/bsptest",
		"internal/wire":          "golang.org/x/sys/unix",
		"rebalancer/internal/of": "github.com/shirou/gopsutil/v3/mem",
		"attic":                  "fmt",
	} {
		imports := maps.Clone(now)
		imports[pkg] = slices.Concat(now[pkg], []string{imported})
		if wrong := violations(all, imports); len(wrong) != before+1 {
			t.Errorf("%s imports %s: %q", pkg, imported, wrong)
		}
	}
}

// A row must not allow rooms below it, or unused ones.
func TestRowsThatAreRefused(t *testing.T) {
	for name, change := range map[string]func(all []room) []room{
		"downwards": func(all []room) []room { slices.Reverse(all); return all },
		"unused":    func(all []room) []room { all[len(all)-1].may = []string{all[0].name, "bsplib"}; return all },
		"empty":     func(all []room) []room { return append(all, room{name: "cellar"}) },
		"missing":   func(all []room) []room { return all[1:] },
	} {
		if wrong := violations(change(rooms(t)), tree(t)); len(wrong) == 0 {
			t.Errorf("a table that is wrong (%s) is accepted", name)
		}
	}
}

// Files that the page names are there.
func TestFilesOfThePage(t *testing.T) {
	page := must.Get(os.ReadFile("design.md"))(t)
	found := 0
	for _, name := range quoted.FindAllStringSubmatch(string(page), -1) {
		if ext := path.Ext(name[1]); (ext == ".go" || ext == ".c") && strings.Contains(name[1], "/") {
			found++
			if !exists(filepath.Join("..", name[1])) {
				t.Errorf("there is no file %s", name[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("the page names %d files", found)
	}
}
