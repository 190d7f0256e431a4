package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Environment variables read by a program: by name, as a setting's flag, or as a name passed to a
// function that reads it.
var (
	readNow  = regexp.MustCompile(`(?i)getenv\("([A-Z_]+)"\)`)
	settings = regexp.MustCompile(`flags\.\w+Var\(&f\.\w+, "([a-z-]+)"`)
	ours     = regexp.MustCompile(`"(MIGBSP_[A-Z_]+)\b`)
	notOurs  = regexp.MustCompile(`^MIGBSP_(TEST_|PICTURES_)`) // variables of tests
	tools    = regexp.MustCompile(`^(bench|cmd/testbed|internal/testrun)(/|$)`)
)

// The page on configuration lists every variable read by programs and the tool, and no unused
// variable of ours.
func TestEnvironmentIsDocumented(t *testing.T) {
	page := string(must.Get(os.ReadFile("reference/configuration.md"))(t))
	where := map[string]string{} // variables, and a file that reads each
	sources(t, func(pkg, path string) {
		if forTests(pkg) || tools.MatchString(pkg) {
			return
		}
		source := must.Get(os.ReadFile(path))(t)
		for _, found := range append(readNow.FindAllSubmatch(source, -1), ours.FindAllSubmatch(source, -1)...) {
			where[string(found[1])] = path
		}
		if strings.HasSuffix(pkg, "internal/app") {
			for _, found := range settings.FindAllSubmatch(source, -1) {
				if name := string(found[1]); name != "print-config" && name != "version" {
					where["MIGBSP_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))] = path
				}
			}
		}
	})
	if len(where) < 25 {
		t.Errorf("only %v are read", where)
	}
	for name, path := range where {
		if !notOurs.MatchString(name) && !strings.Contains(page, "`"+name+"`") {
			t.Errorf("%s, which %s reads, is not in the page", name, path)
		}
	}
	for _, found := range regexp.MustCompile("`(MIGBSP_[A-Z_]+)`").FindAllStringSubmatch(page, -1) {
		if where[found[1]] == "" {
			t.Errorf("nothing reads %s", found[1])
		}
	}
}
