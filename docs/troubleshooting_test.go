package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// fragments returns the fixed parts of a message on the page, which has dots for the others.
func fragments(message string) (parts []string) {
	for part := range strings.SplitSeq(message, "...") {
		if part = strings.Trim(part, " :;,"); len(part) >= 8 {
			parts = append(parts, part)
		}
	}
	return parts
}

// The messages of the page on errors are in the sources.
func TestMessagesOfThePage(t *testing.T) {
	var sources strings.Builder
	for _, end := range []string{".go", ".c", ".h"} {
		for _, name := range files(t, "..", end) {
			if !strings.HasSuffix(name, "_test.go") {
				sources.Write(must.Get(os.ReadFile(filepath.Join("..", name)))(t))
			}
		}
	}
	code := regexp.MustCompile(`"\s*\+\s*"`).ReplaceAllString(sources.String(), "") // literals in several lines
	page := string(must.Get(os.ReadFile("reference/troubleshooting.md"))(t))
	found := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(page, -1) {
		for _, message := range quoted.FindAllStringSubmatch(row[1], -1) {
			for _, part := range fragments(message[1]) {
				found++
				if !strings.Contains(code, part) {
					t.Errorf("no message of the sources has %q, of %q", part, message[1])
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("the page has %d parts of messages", found)
	}
}
