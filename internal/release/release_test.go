package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Required and optional fields of the Citation File Format 1.2.0.
var (
	citationNeeds = []string{"cff-version", "message", "title", "authors"}
	citationKnows = append([]string{"abstract", "date-released", "doi", "keywords", "license", "references", "repository-code", "type", "url", "version"}, citationNeeds...)
	workNeeds     = []string{"type", "title", "authors"}
	workKnows     = append([]string{"collection-title", "conference", "doi", "end", "institution", "issue", "journal", "languages", "publisher", "start", "thesis-type", "volume", "year"}, workNeeds...)
	workTypes     = []string{"article", "book", "conference-paper", "report", "software", "thesis"}
)

// checkFields checks that the fields indented by a prefix include all of needs, and are
// all in knows.
func checkFields(t *testing.T, what, text, prefix string, needs, knows []string) {
	t.Helper()
	var found []string
	for _, m := range regexp.MustCompile(`(?m)^`+prefix+`([a-z-]+):`).FindAllStringSubmatch(text, -1) {
		if slices.Contains(found, m[1]) || !slices.Contains(knows, m[1]) {
			t.Errorf("%s: the field %s is there twice, or unknown", what, m[1])
		}
		found = append(found, m[1])
	}
	for _, name := range needs {
		if !slices.Contains(found, name) {
			t.Errorf("%s has no %s", what, name)
		}
	}
}

func TestCitation(t *testing.T) {
	text := must.Get(os.ReadFile("../../CITATION.cff"))(t)
	whole, works, ok := strings.Cut(string(text), "\nreferences:\n")
	checkFields(t, "CITATION.cff", whole, "", citationNeeds, citationKnows)
	if !ok || !strings.Contains(whole, "cff-version: 1.2.0\n") || !strings.Contains(whole, "\nlicense: Apache-2.0\n") {
		t.Errorf("it has no references, another format or another licence:\n%s", whole)
	}
	for work := range strings.SplitSeq(strings.TrimPrefix(works, "  - "), "\n  - ") {
		checkFields(t, work, "    "+work, "    ", workNeeds, workKnows)
		if kind, _, _ := strings.Cut(strings.TrimPrefix(work, "type: "), "\n"); !slices.Contains(workTypes, kind) {
			t.Errorf("the type %q", kind)
		}
	}
	if exec.Command("python3", "-c", "import yaml").Run() == nil {
		sh(t, ".", `python3 -c 'import sys, yaml; assert len(yaml.safe_load(open(sys.argv[1]))["references"]) == 4' ../../CITATION.cff`)
	}
}

// The workflows call the scripts of this module, with every existing lane.
func TestWorkflows(t *testing.T) {
	test, err1 := os.ReadFile("../../scripts/test")
	flow, err2 := os.ReadFile("../../.github/workflows/test.yml")
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	lanes := regexp.MustCompile(`(?m)^all=\((.*)\)$`).FindSubmatch(test)
	if want := "lane: [" + strings.ReplaceAll(string(lanes[1]), " ", ", ") + "]"; !strings.Contains(string(flow), want) {
		t.Errorf("test.yml has not %s", want)
	}
	files, _ := filepath.Glob("../../.github/workflows/*.yml")
	for _, name := range files {
		text := must.Get(os.ReadFile(name))(t)
		for _, script := range regexp.MustCompile(`scripts/\w+`).FindAllString(string(text), -1) {
			if _, err := os.Stat("../../" + script); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if len(files) != 2 {
		t.Errorf("workflows: %q", files)
	}
}
