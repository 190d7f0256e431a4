package frame

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/pages"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A page with two parts of a program that measures, and one of another.
const page = `# Page

<!-- generated: first
command: go run ./bench/stale -n 1
commit: 0123abc
date: 2020-01-01
machine: another one
from: ./bench/stale
-->
` + "`go run ./bench/stale -n 1`, at 0123abc, 2020-01-01, on another one:" + `

old

<!-- end -->

Prose.

<!-- generated: second
command: go run ./bench/stale
commit: 0123abc
date: 2020-01-01
machine: another one
from: ./bench/stale
-->
` + "`go run ./bench/stale`, at 0123abc, 2020-01-01, on another one:" + `

old

<!-- end -->
`

// writing returns a program with some tables. Its name is the name of a real program, so that -page
// finds the package.
func writing(tables ...Table) Program {
	return Program{Name: "stale", Uses: []string{"examples/*.hosts"}, Flags: func(flags *flag.FlagSet) func() (Work, error) {
		flags.Int("n", 1, "how `many`")
		return func() (Work, error) {
			return func(_ context.Context, s *Session) error {
				for _, t := range tables {
					s.Table(t)
				}
				return nil
			}, nil
		}
	}}
}

func table(part, cell string) Table {
	return Table{Part: part, Title: "Title", Header: []string{"x"}, Rows: [][]string{{cell}}}
}

// history skips the test if no commit can be named: without git, and while the sources of the
// test's programs have uncommitted changes.
func history(t *testing.T) {
	t.Helper()
	root := must.Get(Root(t.Context()))(t)
	h, err := pages.OpenHistory(t.Context(), root)
	if err == nil {
		_, err = h.Head(t.Context(), []string{"./bench/stale"})
	}
	if err != nil {
		t.Skip("SKIPPED: ", err)
	}
}

func TestPage(t *testing.T) {
	history(t)
	file := filepath.Join(t.TempDir(), "page.md")
	must.Do(t, os.WriteFile(file, []byte(page), 0o666))
	p := writing(table("first", "1"), table("first", "2"), table("", "nowhere"), table("second", "3"))
	code, out, said := call(p, "-n", "7", "-page", file, "-quiet", "-parts", "first")
	if code != 0 || said != "" || !strings.Contains(out, "nowhere") {
		t.Fatalf("code %d, %s, %s", code, out, said)
	}
	got := must.Get(pages.Read(file))(t)
	first, second := got.Part("first"), got.Part("second")
	if want := "Title:\n\n| x |\n|--:|\n| 1 |\n\nTitle:\n\n| x |\n|--:|\n| 2 |"; first.Body != want {
		t.Errorf("got\n%s\nwant\n%s", first.Body, want)
	}
	if want := "go run ./bench/stale -n 7 -page " + file + " -parts first"; first.Command != want || first.Commit == "0123abc" || first.Date == "2020-01-01" ||
		!strings.Contains(first.Machine, " cores of ") || !strings.Contains(first.Machine, "go1.") || strings.Join(first.From, " ") != "./bench/stale examples/*.hosts" {
		t.Errorf("%+v, want %s", first.Origin, want)
	}
	if second.Body != "old" || second.Commit != "0123abc" || !strings.Contains(got.Outside(), "Prose.") {
		t.Errorf("what was not to change has:\n%s", got)
	}
}

// Work can ask which parts will be replaced, and for the commit that the page names.
func TestWants(t *testing.T) {
	history(t)
	file := filepath.Join(t.TempDir(), "page.md")
	must.Do(t, os.WriteFile(file, []byte(page), 0o666))
	var wants []string
	var commit string
	p := writing()
	p.Flags = func(*flag.FlagSet) func() (Work, error) {
		return func() (Work, error) {
			return func(ctx context.Context, s *Session) (err error) {
				wants = nil
				for _, part := range []string{"first", "second", "third"} {
					if s.Wants(part) {
						wants = append(wants, part)
						s.Table(table(part, "1"))
					}
				}
				commit, err = s.Commit(ctx)
				return err
			}, nil
		}
	}
	for args, want := range map[string]string{"": "", "-page " + file: "first second", "-page " + file + " -parts second": "second"} {
		code, _, said := call(p, append(strings.Fields(args), "-quiet")...)
		if got := strings.Join(wants, " "); code != 0 || got != want {
			t.Errorf("%s: code %d, %s, wants %q, expected %q", args, code, said, got, want)
		}
		if named := must.Get(pages.Read(file))(t).Part("second").Commit; args != "" && named != commit || len(commit) < 7 {
			t.Errorf("%s: commit %s, the page names %s", args, commit, named)
		}
	}
}

// Pages that cannot be written are refused before anything is measured.
func TestPagesThatAreRefused(t *testing.T) {
	history(t)
	dir := t.TempDir()
	fine, other := filepath.Join(dir, "fine.md"), filepath.Join(dir, "other.md")
	must.Do(t, os.WriteFile(fine, []byte(page), 0o666))
	must.Do(t, os.WriteFile(other, []byte(strings.ReplaceAll(page, "bench/stale", "bench/staler")), 0o666))
	measured := false
	p := writing()
	p.Flags = func(*flag.FlagSet) func() (Work, error) {
		return func() (Work, error) {
			return func(_ context.Context, s *Session) error { measured = true; s.Table(table("third", "1")); return nil }, nil
		}
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"-page none.md", 1, "none.md: no such file"},
		{"-page " + other, 1, "it has no part that begins with <!-- generated: and comes from go run ./bench/stale"},
		{"-page " + fine + " -parts third", 1, "has no part third, which begins with <!-- generated: third; there are first, second"},
		{"-page " + fine + " -json", 2, "-page and -json: expected one of them"},
		{"-parts first", 2, "-parts: expected -page too"},
	} {
		if code, _, said := call(p, strings.Fields(c.args)...); code != c.code || !strings.Contains(said, c.want) || measured {
			t.Errorf("%s: code %d, %s, measured: %v; want %d and %q", c.args, code, said, measured, c.code, c.want)
		}
	}
	if code, _, said := call(p, "-page", fine); code != 1 || !strings.Contains(said, "has no part third") || !measured {
		t.Errorf("a table without a part: code %d, %s", code, said)
	}
}
