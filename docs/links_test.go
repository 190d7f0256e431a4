package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

const (
	longestReadme = 950  // words
	longestOfC    = 1800 // of the guide to programs in C
	mostTerms     = 60   // of the glossary
)

// markdown returns the pages of the repository, by their paths from its root.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	pages := make(map[string]string)
	for _, name := range files(t, "..", ".md") {
		pages[name] = string(must.Get(os.ReadFile(filepath.Join("..", name)))(t))
	}
	return pages
}

var (
	fence      = regexp.MustCompile("(?ms)^ *```.*?^ *```[ \t]*$")
	codeSpan   = regexp.MustCompile("`[^`\n]*`")
	inlineLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *$`)
	labelOnly  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// links returns the destinations of a page's links; fences and code have none.
func links(page string) (destinations []string) {
	page = codeSpan.ReplaceAllString(fence.ReplaceAllString(page, ""), "`")
	for _, found := range inlineLink.FindAllStringSubmatch(page, -1) {
		destinations = append(destinations, found[1])
	}
	return destinations
}

// anchors returns the names that a page's headings have in links, as GitHub makes them: lower
// case, letters, digits, - and _ stay, spaces become -, and a repeated name gets a number.
func anchors(page string) map[string]bool {
	names := make(map[string]bool)
	for _, found := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, labelOnly.ReplaceAllString(found[1], "$1"))
		unique := name
		for n := 1; names[unique]; n++ {
			unique = fmt.Sprintf("%s-%d", name, n)
		}
		names[unique] = true
	}
	return names
}

// broken returns the errors of links within a set of pages. there reports whether the repository has
// a file or directory.
func broken(pages map[string]string, there func(name string) bool) (wrong []string) {
	for name, page := range pages {
		for _, link := range links(page) {
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(link, "#")
			target := name
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			}
			text, isPage := pages[target]
			switch {
			case !isPage && !there(target):
				wrong = append(wrong, fmt.Sprintf("%s: %s: there is no %s", name, link, target))
			case anchor != "" && !isPage:
				wrong = append(wrong, fmt.Sprintf("%s: %s: an anchor in a file that is no page", name, link))
			case anchor != "" && !anchors(text)[anchor]:
				wrong = append(wrong, fmt.Sprintf("%s: %s: %s has no heading of that name", name, link, target))
			}
		}
	}
	return wrong
}

func inTree(name string) bool {
	return !strings.HasPrefix(name, "../") && exists(filepath.Join("..", name))
}

// Files and headings that pages link to are there.
func TestLinks(t *testing.T) {
	for _, wrong := range broken(markdown(t), inTree) {
		t.Error(wrong)
	}
}

// Broken links are found, others are not.
func TestLinksThatAreRefused(t *testing.T) {
	there := func(name string) bool { return name == "docs/picture.png" }
	for link, want := range map[string]bool{
		"[a](other.md)":                          true,
		"[a](other.md#two-words)":                true,
		"[a](other.md#two-words-1)":              true,
		"[a](#one)":                              true,
		"[a](other.md#a-command-and-more)":       true,
		"![a](picture.png)":                      true,
		"[a](https://example.org/x)":             true,
		"```\n[a](gone.md)\n```":                 true,
		"`s[i](gone)`":                           true,
		"[a](gone.md)":                           false,
		"[a](other.md#inside)":                   false,
		"[a](#two)":                              false,
		"[a](picture.png#two)":                   false,
		"[a](../../outside.md)":                  false,
		"[`a`](gone.md)":                         false,
		"[the\nlabel](gone.md)":                  false,
		"```\ncode\n```\n[a](gone.md)\n```\n```": false,
	} {
		wrong := broken(map[string]string{
			"docs/page.md":  "# One\n\n" + link + "\n",
			"docs/other.md": "## Two words\n```\n# inside\n```\n## Two words\n## A `command`, and [more](page.md)\n",
		}, there)
		if (len(wrong) == 0) != want {
			t.Errorf("%q: %q", link, wrong)
		}
	}
}

// Each page is in the index, which leads to it in one step.
func TestIndex(t *testing.T) {
	pages := markdown(t)
	linked := make(map[string]bool)
	for _, link := range links(pages["docs/README.md"]) {
		linked[filepath.ToSlash(filepath.Join("docs", link))] = true
	}
	found := 0
	for name := range pages {
		if strings.HasPrefix(name, "docs/") && name != "docs/README.md" {
			found++
			if !linked[name] {
				t.Errorf("docs/README.md has no link to %s", name)
			}
		}
	}
	if found < 20 {
		t.Errorf("docs has %d pages", found)
	}
}

// The README is short, and has the two commands that others rely on.
func TestReadme(t *testing.T) {
	page := markdown(t)["README.md"]
	if words := len(strings.Fields(page)); words >= longestReadme {
		t.Errorf("README.md has %d words, expected less than %d", words, longestReadme)
	}
	for _, command := range []string{"\n$ go run ./apps/lu -n 1000\n", "\n$ ./scripts/test\n"} {
		if !strings.Contains(page, command) {
			t.Errorf("README.md has no line %q", strings.TrimSpace(command))
		}
	}
}

// The guide to programs in C is short: tables to look things up in are in reference/c.md.
func TestGuideToC(t *testing.T) {
	if words := len(strings.Fields(markdown(t)["docs/guide/c.md"])); words > longestOfC {
		t.Errorf("docs/guide/c.md has %d words, expected at most %d", words, longestOfC)
	}
}

// The program of the README builds and runs.
func TestProgramOfReadme(t *testing.T) {
	_, listing, _ := strings.Cut(markdown(t)["README.md"], "```go\n")
	listing, _, _ = strings.Cut(listing, "```")
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	text := "package main\n\nimport (\n\t\"math/bits\"\n\n\t\"" + module + "bsplib\"\n)\n\n" + listing
	must.Do(t, os.WriteFile(source, []byte(text), 0o644))
	program := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-o", program, source)
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(program, "-procs", "5", "-shake").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// The glossary is short, in order, and explains each term once.
func TestGlossary(t *testing.T) {
	page := markdown(t)["docs/reference/glossary.md"]
	_, table, _ := strings.Cut(page, "|---|---|\n")
	last, terms := "", 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			t.Fatalf("glossary: %q has %d cells, expected 2", line, len(cells)-2)
		}
		term := strings.ToLower(strings.TrimSpace(cells[1]))
		if term <= last {
			t.Errorf("glossary: %q stands after %q", term, last)
		}
		last = term
		terms++
	}
	if terms < 20 || terms > mostTerms {
		t.Errorf("the glossary has %d terms, expected 20 to %d", terms, mostTerms)
	}
}
