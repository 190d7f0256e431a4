package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestPagesPassMandoc(t *testing.T) {
	testrun.Needs(t, "mandoc")
	dir := filepath.Join(t.TempDir(), "man")
	if code, _, err := called(t, "man", dir); code != ExitOK {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(dir + "/*.1")
	if len(files) != 8 {
		t.Errorf("pages %v, want one of the tool and of its seven commands", files)
	}
	out, err := exec.Command("mandoc", append([]string{"-Tlint", "-W", "warning"}, files...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// The formatted page must show the texts of the table.
func TestPagesShowTheTexts(t *testing.T) {
	testrun.Needs(t, "mandoc")
	for name, texts := range map[string][]string{
		"tool.1":        {"does 'all' [that]: and $more", "It's a \\ tool. 'Quoted' at the start.", ".kept as it is", "tool-report(1)", "tool 1.2", "2026-01-02"},
		"tool-report.1": {"Prints. .Dotted line", `tool report -o "x y" runs/1`, "-format table|json", "how: 'so' or [so] (default table)", "tool report [flags] RUN [KIND]"},
	} {
		page := filepath.Join(t.TempDir(), name)
		must.Do(t, os.WriteFile(page, []byte(sample().pages()[name]), 0o644))
		out := must.Get(exec.Command("mandoc", "-Tascii", "-O", "width=78", page).Output())(t)
		shown := plain(string(out))
		must.Have(t, shown, texts...)
		if strings.Contains(shown, "75") {
			t.Errorf("%s shows a code that the table does not have:\n%s", name, shown)
		}
	}
}

// plain is text of mandoc without bold and underlined letters, and with single
// blanks.
func plain(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		if i+1 < len(runes) && runes[i+1] == '\b' {
			i++
			continue
		}
		b.WriteRune(runes[i])
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// The page of another program shows its help in sections.
func TestPageOfAnotherProgram(t *testing.T) {
	testrun.Needs(t, "mandoc")
	help := "Lu factors.\n\n  .kept  'as it is'\n\nUsage: lu [flags]        or: mpirun lu\n\nFlags of lu:\n  -n int\n        order, less\n        than -max\n  -v    more \"words\"\n\nAll programs:\n  -procs N\n    \tof them\n\nVariables too.\n\n  procs = 16\n"
	page := filepath.Join(t.TempDir(), "tool-lu.1")
	must.Do(t, os.WriteFile(page, []byte(sample().programPage(Program{"tool-lu", "factors", help})), 0o644))
	if out, err := exec.Command("mandoc", "-Tlint", "-W", "warning", page).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	out := must.Get(exec.Command("mandoc", "-Tascii", page).Output())(t)
	shown := plain(string(out))
	want := "NAME tool-lu - factors SYNOPSIS lu [flags] mpirun lu DESCRIPTION Lu factors. .kept 'as it is' FLAGS OF LU -n int order, less than -max -v more \"words\" ALL PROGRAMS -procs N of them NOTES Variables too. procs = 16 SEE ALSO tool(1)"
	must.Have(t, shown, want)
}
