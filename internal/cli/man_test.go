package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPagesPassMandoc(t *testing.T) {
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("SKIPPED: no mandoc on this machine")
	}
	dir := filepath.Join(t.TempDir(), "man")
	if code, _, err := called(t, "man", dir); code != ExitOK {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(dir + "/*.1")
	if len(files) != 7 {
		t.Errorf("pages %v, want one of the tool and of its six commands", files)
	}
	out, err := exec.Command("mandoc", append([]string{"-Tlint", "-W", "warning"}, files...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// What a reader sees must be what the table says, whatever roff makes of it.
func TestPagesShowTheTexts(t *testing.T) {
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("SKIPPED: no mandoc on this machine")
	}
	for name, texts := range map[string][]string{
		"tool.1":        {"does 'all' [that]: and $more", "It's a \\ tool. 'Quoted' at the start.", ".kept as it is", "tool-report(1)", "tool 1.2", "2026-01-02"},
		"tool-report.1": {"Prints. .Dotted line", `tool report -o "x y" runs/1`, "-format table|json", "how: 'so' or [so] (default table)", "75", "tool report [flags] RUN [KIND]"},
	} {
		page := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(page, []byte(sample().pages()[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("mandoc", "-Tascii", "-O", "width=78", page).Output()
		if err != nil {
			t.Fatal(err)
		}
		shown := plain(string(out))
		for _, text := range texts {
			if text == "75" { // codes that the table does not have
				if strings.Contains(shown, text) {
					t.Errorf("%s shows %q:\n%s", name, text, shown)
				}
				continue
			}
			if !strings.Contains(shown, text) {
				t.Errorf("%s does not show %q:\n%s", name, text, shown)
			}
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
