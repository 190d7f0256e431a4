package sbatch

import "testing"

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
