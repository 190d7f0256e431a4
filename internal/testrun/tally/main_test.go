package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// sources are the packages of a module whose tests end in every possible way.
var sources = map[string]string{
	"go.mod": "module m\n",
	"plain/x_test.go": `package plain
		import "testing"
		func TestGood(t *testing.T) { t.Log("unwanted") }
		func TestTable(t *testing.T) {
			t.Run("one", func(t *testing.T) {})
			t.Run("two", func(t *testing.T) { t.Error("wanted") })
			t.Run("three", func(t *testing.T) { t.Skip("for want of a nail") })
		}
		func TestLater(t *testing.T) { t.Skip("for want of a nail") }`,
	"panics/x_test.go": `package panics
		import "testing"
		func TestPanic(t *testing.T) { panic("at the disco") }`,
	"ends/x_test.go": `package ends
		import ("os"; "testing")
		func TestMain(m *testing.M) { m.Run(); os.Exit(3) }
		func TestGood(t *testing.T) {}`,
	"broken/x_test.go": `package broken
		import "testing"
		func TestNothing(t *testing.T) { undefined() }`,
	"none/x.go": "package none\n",
	"empty/x_test.go": `package empty
		import "testing"
		func BenchmarkNothing(b *testing.B) {}`,
}

// tallied tallies a go test of the module above and returns the record and the output.
func tallied(t *testing.T, strict bool, args ...string) (record, out string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range sources {
		must.Write(t, filepath.Join(dir, name), text, 0o666)
	}
	var b strings.Builder
	got := newTally(&b, strict)
	test := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	test.Dir = dir
	must.Do(t, got.run(test))
	return got.record.String(), b.String()
}

func TestTally(t *testing.T) {
	for _, c := range []struct {
		strict       bool
		args         string
		record       string
		says, saysNo []string
	}{
		{false, "./plain ./none ./empty", "passed m/plain TestGood|passed m/plain TestTable/one|failed m/plain TestTable/two|skipped m/plain TestTable/three|skipped m/plain TestLater|",
			[]string{"x_test.go:6: wanted\n", "skipped 2: for want of a nail\n", "m/plain: 2 passed, 1 failed, 2 skipped\n"}, []string{"unwanted", "=== ", "m/none", "m/empty"}},
		{true, "-run Good|Later ./plain", "passed m/plain TestGood|failed m/plain TestLater|", []string{"for want of a nail"}, nil},
		{true, "./none ./empty", "failed m/empty|", []string{"m/empty"}, []string{"m/none"}},
		{false, "./panics", "failed m/panics TestPanic|", []string{"at the disco"}, nil},
		{false, "./ends", "passed m/ends TestGood|failed m/ends|", []string{"FAIL"}, nil},
		{false, "./broken", "failed m/broken|", []string{"undefined: undefined"}, nil},
		{false, "-nonsense ./plain", "failed ", nil, nil},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			record, out := tallied(t, c.strict, strings.Fields(c.args)...)
			if !strings.HasPrefix(strings.ReplaceAll(record, "\n", "|"), c.record) {
				t.Errorf("recorded\n%s\nwant %s", record, c.record)
			}
			must.Have(t, out, c.says...)
			for _, text := range c.saysNo {
				if strings.Contains(out, text) {
					t.Errorf("%q in\n%s", text, out)
				}
			}
		})
	}
}
