package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

const page = `# Page

<!-- generated: one
command: go run ./measure
commit: COMMIT
date: 2026-11-22
machine: one
from: ./measure
-->
` + "`go run ./measure`, at COMMIT, 2026-11-22, on one:" + `

text

<!-- end -->
`

const told = "> Measured at COMMIT (2026-11-22); the code has changed since.\n"

// directory is one, and a function that runs git there.
func directory(t *testing.T) (root string, git func(args ...string) string) {
	t.Helper()
	testrun.Needs(t, "git")
	root = t.TempDir()
	return root, func(args ...string) string {
		t.Helper()
		c := testrun.Command{Words: append([]string{"git", "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...), Dir: root}
		return strings.TrimSpace(c.Must(t))
	}
}

// A part is stale from the commit on that changes its code, until it is measured anew, and
// its page says so once it is told to.
func TestStale(t *testing.T) {
	root, git := directory(t)
	file := filepath.Join(root, "docs", "page.md")
	put := func(name, text string) {
		t.Helper()
		must.Write(t, name, text, 0o666)
	}
	code := func(text string) string {
		t.Helper()
		put(filepath.Join(root, "measure", "main.go"), "package main\n\nfunc main() { println(`"+text+"`) }\n")
		git("add", "-A")
		git("commit", "-q", "-m", text)
		return git("rev-parse", "--short", "HEAD")
	}
	try := func(write, strict bool) (string, error) {
		t.Helper()
		var out strings.Builder
		_, err := list(context.Background(), root, write, strict, &out)
		return out.String(), err
	}
	shows := func(commit string, stale bool) {
		t.Helper()
		text, err := os.ReadFile(file)
		want := strings.ReplaceAll(page, "COMMIT", commit)
		if stale {
			want = strings.Replace(want, "-->\n", "-->\n"+strings.ReplaceAll(told, "COMMIT", commit)+"\n", 1)
		}
		if err != nil || string(text) != want {
			t.Errorf("%v, the page is\n%s\nwant\n%s", err, text, want)
		}
	}

	put(filepath.Join(root, "go.mod"), "module example.org/m\n\ngo 1.26\n")
	git("init", "-q")
	first := code("one")
	put(file, strings.ReplaceAll(page, "COMMIT", first))
	if out, err := try(true, true); err != nil || out != "0 of 1 parts are older than their code\n" {
		t.Errorf("%v\n%s", err, out)
	}
	shows(first, false)

	second := code("two")
	want := "docs/page.md: one, measured at " + first + " (2026-11-22): measure/main.go\n1 of 1 parts are older than their code\n"
	if out, err := try(false, false); err != nil || !strings.HasPrefix(out, want) || !strings.Contains(out, "-write") {
		t.Errorf("%v\n%s", err, out)
	}
	shows(first, false)
	if out, err := try(true, false); err != nil || !strings.HasPrefix(out, want) {
		t.Errorf("%v\n%s", err, out)
	}
	shows(first, true)
	if out, err := try(false, true); err == nil {
		t.Errorf("a release may go on:\n%s", out)
	}

	// As if it had been measured, but for the line on top.
	put(file, strings.Replace(strings.ReplaceAll(page, "COMMIT", second), "-->\n", "-->\n"+strings.ReplaceAll(told, "COMMIT", second)+"\n", 1))
	if _, err := try(false, true); err == nil || !strings.Contains(err.Error(), "are said to be stale and are not") {
		t.Errorf("%v", err)
	}
	if out, err := try(true, true); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	shows(second, false)

	put(file, strings.ReplaceAll(page, "COMMIT", "fffffff"))
	if out, err := try(false, false); err != nil || !strings.Contains(out, "commit fffffff is unknown") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Each command of stale parts runs once, and all of them, whatever becomes of one.
func TestMeasure(t *testing.T) {
	root, git := directory(t)
	put := func(name, text string) {
		t.Helper()
		must.Write(t, filepath.Join(root, name), text, 0o666)
	}
	put("go.mod", "module example.org/m\n\ngo 1.26\n")
	put("measure/main.go", "package main\n\nfunc main() {}\n")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	first := git("rev-parse", "--short", "HEAD")
	put("measure/main.go", "package main\n\nfunc main() { println() }\n")
	git("commit", "-q", "-a", "-m", "two")
	part := func(name, command string) string {
		return strings.NewReplacer("generated: one", "generated: "+name, "# Page", "", "go run ./measure", command, "COMMIT", first).Replace(page)
	}
	put("docs/a.md", part("one", "echo x >>ran")+part("two", "echo x >>ran"))
	put("docs/b.md", part("one", "echo no MPI here; false")+part("two", "echo y >>ran"))
	must.Get(list(t.Context(), root, true, false, io.Discard))(t)
	var out strings.Builder
	err := measureAll(t.Context(), root, "", &out)
	ran, _ := os.ReadFile(filepath.Join(root, "ran"))
	if err == nil || !strings.Contains(err.Error(), "1 of 3 commands failed") || string(ran) != "x\ny\n" {
		t.Errorf("%v, ran %q", err, ran)
	}
	must.Have(t, out.String(), "1 of 3: echo x >>ran\ntook ", "no MPI here", "4 of 4 parts are older")
	if err := measureAll(t.Context(), root, "echo y", &out); err != nil {
		t.Error(err)
	}
	if ran, _ := os.ReadFile(filepath.Join(root, "ran")); string(ran) != "x\ny\ny\n" {
		t.Errorf("ran %q", ran)
	}
}

// Without a history nothing is known, which only a release minds.
func TestWithoutHistory(t *testing.T) {
	var out strings.Builder
	if _, err := list(t.Context(), t.TempDir(), false, false, &out); err != nil || !strings.HasPrefix(out.String(), "SKIPPED: there is no history here") {
		t.Errorf("%v, %s", err, &out)
	}
	if _, err := list(t.Context(), t.TempDir(), false, true, &out); err == nil {
		t.Error("a release may go on")
	}
}

func TestCommandLines(t *testing.T) {
	for args, want := range map[string]int{"-help": 0, "-wrong": 2, "more": 2, "-measure -write": 2, "-only x": 2} {
		var out, said strings.Builder
		if code := run(t.Context(), strings.Fields(args), &out, &said); code != want || (code == 0) != strings.Contains(out.String(), "-strict") {
			t.Errorf("%s: code %d, %s, %s", args, code, &out, &said)
		}
	}
}
