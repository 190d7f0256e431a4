package docs_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// The checks of TestShape find each violation in a module that is made of them.
func TestShapeOfBadTree(t *testing.T) {
	dir, archive := t.TempDir(), must.Get(txtar.ParseFile("testdata/shape.txtar"))(t)
	var refused []string
	for _, file := range archive.Files {
		must.Write(t, filepath.Join(dir, file.Name), string(file.Data), 0o644)
		for i, line := range strings.Split(string(file.Data), "\n") {
			if strings.HasSuffix(line, "// refused") {
				refused = append(refused, fmt.Sprintf("%s:%d", file.Name, i+1))
			}
		}
	}
	for i := range 9 {
		must.Write(t, filepath.Join(dir, fmt.Sprintf("low/circle%d.go", i)), fmt.Sprintf("package low\n\nfunc f%d() { f%d() }\n", i, (i+1)%9), 0o644)
	}
	methods := "package low\n\ntype many int\n"
	for i := range 46 {
		methods += fmt.Sprintf("func (many) M%d() {}\n", i)
	}
	must.Write(t, filepath.Join(dir, "low/many.go"), methods, 0o644)
	tree := load(t, dir, "bad/", "./...")
	if wide, want := tree.wide(), map[string]width{
		"high.Whole": {fields: 26, methods: 1, files: 1},
		"high.held":  {fields: 26},
		"high.inner": {fields: 26},
		"low.many":   {methods: 46, files: 1},
	}; !maps.Equal(wide, want) {
		t.Errorf("wide types are %v, want %v", wide, want)
	}
	var found []string
	for _, wrong := range tree.casts() {
		at, _, _ := strings.Cut(wrong, ": ")
		found = append(found, at)
	}
	if !slices.Equal(found, refused) {
		t.Errorf("refused casts are %q, want %q", tree.casts(), refused)
	}
	for _, p := range tree.packages {
		if now := measured(p); p.Name == "low" && now != (shape{circle: 9, embeds: 1}) {
			t.Errorf("package low has %+v", now)
		}
	}
}

// The ceilings of wide types hold in both directions, and -lower raises none.
func TestShapeCeilings(t *testing.T) {
	now := map[string]width{"a": {30, 5, 1}, "b": {40, 5, 1}, "new": {26, 0, 0}}
	old := must.Get(widths("# types\na 30 5 1\nb 41 4 1\n\ngone 50 5 2 # soon\n"))(t)
	wrong := tooWide(now, old)
	for i, want := range []string{"b has only", "b has {", "gone has only", "new has"} {
		if len(wrong) != 4 || !strings.HasPrefix(wrong[i], want) {
			t.Fatalf("ceilings: %q", wrong)
		}
	}
	text := narrowed(now, old)
	if after, want := must.Get(widths(text))(t), (map[string]width{"a": {30, 5, 1}, "b": {40, 4, 1}}); !maps.Equal(after, want) {
		t.Errorf("ceilings after -lower are %v, want %v", after, want)
	}
	for _, bad := range []string{"a 1 2", "a 1 2 x", "a 1 2 -3", "a"} {
		if _, err := widths(bad); err == nil {
			t.Errorf("%q is accepted as a ceiling", bad)
		}
	}
}
