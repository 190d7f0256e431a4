package docs_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A room has at most as many lines of Go as its row allows, without tests. The row may exceed the
// number only slightly, so that reductions are kept.
func TestLines(t *testing.T) {
	all := rooms(t)
	lines := make(map[string]int)
	sources(t, func(pkg, name string) {
		text := must.Get(os.ReadFile(name))(t)
		if r, ok := roomOf(all, pkg); ok {
			lines[r.name] += bytes.Count(text, []byte("\n"))
		}
	})
	for _, r := range all {
		if now := lines[r.name]; now > r.lines || now < r.lines*9/10-100 {
			t.Errorf("%s has %d lines, its row says %d", r.name, now, r.lines)
		}
	}
}
