package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// What of the environment a program reads: by name, a setting's flag, or a name that is
// handed on to what reads it.
var (
	readNow  = regexp.MustCompile(`(?i)getenv\("([A-Z_]+)"\)`)
	settings = regexp.MustCompile(`flags\.\w+Var\(&f\.\w+, "([a-z-]+)"`)
	ours     = regexp.MustCompile(`"(MIGBSP_[A-Z_]+)\b`)
	notOurs  = regexp.MustCompile(`^MIGBSP_(TEST_|PICTURES_)`) // variables of tests
	tools    = regexp.MustCompile(`^(bench|cmd/testbed|internal/testrun)(/|$)`)
)

// The page on configuration has every variable that programs and the tool read, and none
// of ours that nothing reads.
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
