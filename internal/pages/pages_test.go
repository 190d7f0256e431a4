package pages

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

const some = `# A page

Prose before.

<!-- generated: one
command: go run ./bench/a -n 3
commit: 0123abc
date: 2026-11-22
machine: 2 cores
from: ./bench/a data
-->
` + "`go run ./bench/a -n 3`, at 0123abc, 2026-11-22, on 2 cores:" + `

| x |
|--:|
| 1 |

<!-- end -->

Between.

<!-- generated: two
command: go run ./bench/b
commit: 0123abd
date: 2026-11-21
machine: 2 cores
from: ./bench/b
-->
> Measured at 0123abd (2026-11-21); the code has changed since.

` + "`go run ./bench/b`, at 0123abd, 2026-11-21, on 2 cores:" + `

text

<!-- end -->

After.
`

func TestPage(t *testing.T) {
	p := must.Get(Parse("page.md", some))(t)
	if p.String() != some || len(p.Parts) != 2 || p.Part("none") != nil {
		t.Fatalf("%s", p)
	}
	one, two := p.Part("one"), p.Part("two")
	if one.Body != "| x |\n|--:|\n| 1 |" || one.Stale || !two.Stale || two.Body != "text" || strings.Join(one.From, "|") != "./bench/a|data" {
		t.Errorf("%+v, %+v", one, two)
	}
	if out := p.Outside(); strings.Contains(out, "| 1 |") || !strings.Contains(out, "Prose before.") || !strings.Contains(out, "Between.") || !strings.Contains(out, "After.") {
		t.Errorf("outside of parts is\n%s", out)
	}
	one.Stale, one.Body, two.Stale = true, "new", false
	changed := strings.NewReplacer("| x |\n|--:|\n| 1 |", "new", "-->\n`go run ./bench/a", "-->\n> Measured at 0123abc (2026-11-22); the code has changed since.\n\n`go run ./bench/a",
		"> Measured at 0123abd (2026-11-21); the code has changed since.\n\n", "").Replace(some)
	if p.String() != changed {
		t.Errorf("got\n%s\nwant\n%s", p, changed)
	}
}

// A part that somebody has edited, so that it no longer says where it comes from, is refused.
func TestPagesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ old, replaced, want string }{
		{"\n<!-- end -->\n\nBetween.", "\nBetween.", "page.md:5: a part has no end"},
		{"commit: 0123abc\n", "", "page.md:5: part one: expected command, commit, date, machine and from"},
		{"date: 2026-11-22", "date: today", "page.md:5: part one: expected command"},
		{"machine: 2 cores\nfrom: ./bench/a", "cores: 2\nfrom: ./bench/a", `page.md:5: part one: read "cores"`},
		{"on 2 cores:\n\n| x", "on 200 cores:\n\n| x", "page.md:5: part one is not as its command writes it"},
		{"> Measured at 0123abd", "> Measured at 0123abc", "page.md:22: part two is not as its command writes it"},
		{"generated: two", "generated: one", "page.md:22: part one is there twice"},
	} {
		if _, err := Parse("page.md", strings.Replace(some, c.old, c.replaced, 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %s", c.replaced, c.old, err, c.want)
		}
	}
}

// repository is a module of three packages, under git. change commits files, which are
// given as names and contents.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	testrun.Needs(t, "git")
	r := repository{t, t.TempDir()}
	r.git("init", "-q")
	r.change("go.mod", "module example.org/m\n\ngo 1.26\n", "measure/main.go", "package main\n\nimport _ \"example.org/m/used\"\n\nfunc main() {}\n",
		"used/used.go", "package used\n", "used/used_test.go", "package used\n", "other/other.go", "package other\n", "data/in.txt", "1\n", "README.md", "x\n")
	return r
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	out := must.Get(output(r.t.Context(), r.dir, "", "git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...))(r.t)
	return strings.TrimSpace(out)
}

func (r repository) write(name, text string) {
	r.t.Helper()
	must.Write(r.t, filepath.Join(r.dir, name), text, 0o666)
}

// change commits files and returns the commit.
func (r repository) change(files ...string) (commit string) {
	r.t.Helper()
	for i := 0; i < len(files); i += 2 {
		r.write(files[i], files[i+1])
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "Change "+files[0])
	return r.git("rev-parse", "--short", "HEAD")
}

func (r repository) open() *History {
	r.t.Helper()
	h := must.Get(OpenHistory(r.t.Context(), r.dir))(r.t)
	return h
}

func TestChanged(t *testing.T) {
	r := newRepository(t)
	first := r.git("rev-parse", "--short", "HEAD")
	of := Origin{Command: "go run ./measure", Commit: first, From: []string{"./measure", "data/*.txt"}}
	expect := func(want ...string) {
		t.Helper()
		got, err := r.open().Changed(t.Context(), &of)
		if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	expect()
	r.change("other/other.go", "package other\n\nvar new int\n", "used/used_test.go", "package used\n\nvar new int\n", "README.md", "y\n", "data/notes", "\n")
	expect()
	r.change("used/used.go", "// Package used is new.\npackage used // it is\n\n\n")
	expect()
	r.change("used/used.go", "package used\n\nvar new int\n")
	expect("used/used.go")
	r.change("data/in.txt", "2\n", "measure/more.go", "package main\n")
	expect("data/in.txt", "measure/more.go", "used/used.go")

	of.Commit = r.change("README.md", "z\n")
	expect()
	for _, from := range []string{"./gone", "gone"} {
		of.From = []string{from}
		if got, err := r.open().Changed(t.Context(), &of); err == nil {
			t.Errorf("%s: %q", from, got)
		}
	}
	of.Commit = "fffffff"
	if got, err := r.open().Changed(t.Context(), &of); err == nil || errors.Is(err, ErrNoHistory) {
		t.Errorf("an unknown commit: %q, %v", got, err)
	}
}

// What the compiler does not see makes no figure old, and what it sees does.
func TestSameCode(t *testing.T) {
	const code = "package p\n\n// F does.\nfunc F() int { return 1 }\n"
	for _, c := range []struct {
		other string
		same  bool
	}{
		{code, true},
		{"package p\n\nfunc F() int {\n\treturn 1 // one\n}\n", false}, // the line's end is a semicolon
		{"// Package p is new.\npackage p\n/* F\ndoes more. */\nfunc F() int { return 1 } // one", true},
		{strings.Replace(code, "1", "2", 1), false},
		{strings.Replace(code, "// F", "//go:noinline\n// F", 1), false},
		{"//go:build linux\n\n" + code, false},
		{code + "\n// ", true},
		{code + "\nvar s = `// text`", false},
	} {
		if sameCode(code, c.other) != c.same {
			t.Errorf("want %v of\n%s", c.same, c.other)
		}
	}
	const c = "package p\n\n// int one(void);\nimport \"C\"\n"
	if sameCode(c, strings.Replace(c, "int", "long", 1)) {
		t.Error("a comment is C here")
	}
}

// What was measured with changes that no commit has cannot be called one's figures.
func TestHead(t *testing.T) {
	r := newRepository(t)
	want := r.git("rev-parse", "--short", "HEAD")
	from := []string{"./measure", "data"}
	r.write("README.md", "new\n")
	r.write("other/more.go", "package other\n")
	if got, err := r.open().Head(t.Context(), from); err != nil || got != want {
		t.Errorf("%q, %v, want %s", got, err, want)
	}
	r.write("used/more.go", "package used\n")
	if got, err := r.open().Head(t.Context(), from); err == nil || !strings.Contains(err.Error(), "used/more.go: not committed") {
		t.Errorf("%q, %v", got, err)
	}
}

// Where the history does not reach back, or there is none, that is said.
func TestWithoutHistory(t *testing.T) {
	r := newRepository(t)
	first := r.git("rev-parse", "--short", "HEAD")
	r.change("used/used.go", "package used\n\nvar new int\n")
	shallow := repository{t, t.TempDir()}
	shallow.git("clone", "-q", "--depth", "1", "file://"+r.dir, ".")
	of := Origin{Commit: first, From: []string{"./measure"}}
	if got, err := shallow.open().Changed(t.Context(), &of); !errors.Is(err, ErrNoHistory) {
		t.Errorf("a shallow clone: %q, %v", got, err)
	}
	if _, err := OpenHistory(t.Context(), t.TempDir()); !errors.Is(err, ErrNoHistory) {
		t.Errorf("no repository: %v", err)
	}
	if _, err := OpenHistory(t.Context(), filepath.Join(r.dir, "used")); !errors.Is(err, ErrNoHistory) {
		t.Errorf("a directory of another repository: %v", err)
	}
}
