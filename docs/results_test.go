package docs_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/pages"
	"github.com/migbsp/migbsp/internal/testrun"
)

// Figures in docs/results stand in parts, which say where they come from, and of all pages'
// parts each says so as its command writes it, and names code that is there. Whether that
// has changed since is for go run ./bench/stale to say: measuring is not a test's work.
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
	if parts < 20 {
		t.Errorf("the pages have %d parts", parts)
	}
}

// What figures come from exists, and so does the commit, where the history reaches back.
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

// results are all pages of docs.
func results(t *testing.T) (all []*pages.Page) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		page, err := pages.Read(name)
		if err != nil {
			t.Error(err)
			return nil
		}
		all = append(all, page)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
