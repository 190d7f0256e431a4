package sbatch

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/shell/shelltest"
)

func TestPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"runs/%j":       `"runs/${SLURM_JOB_ID}+"`,
		"%x-%A_%a/%p%t": `"${SLURM_JOB_NAME}-${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}/%p%t+"`,
		"100%%j":        `"100%%j+"`,
		"a b$c`d\"e\\f": "\"a b\\$c\\`d\\\"e\\\\f+\"",
		"it's":          `"it's+"`,
	} {
		p, err := ParsePattern(text)
		if err != nil || p.word("+") != want {
			t.Errorf("%q: %s, %v, want %s", text, p.word("+"), err, want)
		}
	}
	for _, text := range []string{"", "-x", "a%", "%d", "%%%", "a\nb", "a\xff", "\x1b[2J"} {
		if p, err := ParsePattern(text); err == nil {
			t.Errorf("%q: %q", text, p)
		}
	}
	if p := Pattern("%%j%a"); p.has('j') || !p.has('a') || !p.has('%') {
		t.Errorf("%s has j: %v, a: %v", p, p.has('j'), p.has('a'))
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"runs/%j", "%x-%A_%a", "%%", "%", "a b", "-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePattern(text)
		if err != nil {
			return
		}
		if word := p.word(""); len(word) < len(text)+2 && p != "" || p.has('z') {
			t.Errorf("%q is %s", text, word)
		}
	})
}

// A directory with signs that mean something to a shell is that directory.
func TestPatternInBash(t *testing.T) {
	shelltest.NeedBash(t)
	for _, word := range shelltest.Hostile {
		p, err := ParsePattern("d/" + word)
		if err != nil || strings.Contains(word, "%") {
			continue
		}
		if got := shelltest.Bash(t, p.word("")); got[0] != string(p) {
			t.Errorf("%q is %q", p, got)
		}
	}
	got, err := exec.Command("bash", "-c", "SLURM_JOB_ID='1 2'; printf %s "+Pattern("a/%j").word(again)).Output()
	if err != nil || !bytes.Equal(got, []byte("a/1 2")) {
		t.Errorf("%q, %v", got, err)
	}
}
