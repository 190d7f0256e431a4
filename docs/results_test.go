package docs_test

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/pages"
	"github.com/migbsp/migbsp/internal/testrun"
)

// Figures in docs/results are in parts, which name their source. Each part of all pages has the form
// that its command writes, and names existing code. go run ./bench/stale reports whether the code has
// changed since, because measuring does not belong in a test.
func TestResults(t *testing.T) {
	parts := 0
	for _, page := range results(t) {
		parts += len(page.Parts)
		if filepath.Dir(page.Name) != "results" {
			continue
		}
		if len(page.Parts) == 0 {
			t.Errorf("%s has no part that a command has made", page.Name)
		}
		for line := range strings.Lines(page.Outside()) {
			if strings.HasPrefix(line, "|") && strings.Contains(line, "--:|") {
				t.Errorf("%s has a table of figures without what has made it:\n%s", page.Name, line)
			}
		}
	}
	if parts < 10 {
		t.Errorf("the pages have %d parts", parts)
	}
}

// No part is written by hand: the command of each runs a program of bench, which writes the part into
// its page. So go run ./bench/stale -measure can measure all of them again.
func TestCommands(t *testing.T) {
	form := regexp.MustCompile(`^(?:sudo )?go run \./(bench/[a-z]+) (?:.* )?-page (docs/[^ ]+)(?: |$)`)
	for _, page := range results(t) {
		for _, part := range page.Parts {
			found := form.FindStringSubmatch(part.Command)
			if found == nil {
				t.Errorf("%s of %s is made by %q, expected go run ./bench/... -page FILE", part.Name, page.Name, part.Command)
				continue
			}
			if _, err := os.Stat(filepath.Join("..", found[1], "main.go")); err != nil {
				t.Error(err)
			}
			if want := path.Join("docs", filepath.ToSlash(page.Name)); found[2] != want {
				t.Errorf("%s of %s is written into %s, want %s", part.Name, page.Name, found[2], want)
			}
		}
	}
}

// The sources of figures exist, and so does the commit, if the history includes it.
func TestOrigins(t *testing.T) {
	history, err := pages.OpenHistory(t.Context(), testrun.Root(t))
	if err != nil {
		t.Skip("SKIPPED: ", err)
	}
	unknown := 0
	for _, page := range results(t) {
		for _, part := range page.Parts {
			switch _, err := history.Changed(t.Context(), &part.Origin); {
			case errors.Is(err, pages.ErrNoHistory):
				t.Logf("%s of %s: %v", part.Name, page.Name, err)
				unknown++
			case err != nil:
				t.Errorf("%s of %s: %v", part.Name, page.Name, err)
			}
		}
	}
	if unknown > 0 && !t.Failed() {
		t.Skipf("SKIPPED: of %d parts nothing can be said: git fetch --unshallow", unknown)
	}
}

// results returns all pages of docs.
func results(t *testing.T) (all []*pages.Page) {
	t.Helper()
	for _, name := range files(t, ".", ".md") {
		page, err := pages.Read(name)
		if err != nil {
			t.Error(err)
			continue
		}
		all = append(all, page)
	}
	return all
}
