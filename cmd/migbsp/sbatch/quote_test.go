package sbatch

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// hostile are words that shells read in their own way.
var hostile = []string{
	"", " ", "a b", "\n", "a\nb\n", "\t", "'", `"`, `\`, `\\'`, "$HOME", "${x:?no}", "$(exit 3)", "`exit 3`", "*", "?", "[a-z]", "{a,b}",
	"~", "~root", "#x", "a#b", ";", "&", "|", "<", ">", "(", ")", "!", "!!", "-n", "--", "-", "=", "a=b", "%j", "%", "$'x'", "\x01", "\x7f",
	"\xff", "\xc3", "é", "\u202e", "\u00a0", "ab\x1bcd", "\x01f", "#SBATCH --nodes=99", "\n#SBATCH --nodes=99", "EOF", "\r", "\r\n", "日本",
}

// randomWord is a hostile word or several in one.
func randomWord(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		if r.IntN(4) == 0 {
			b.WriteByte(byte(1 + r.IntN(255)))
		} else {
			b.WriteString(hostile[r.IntN(len(hostile))])
		}
	}
	return b.String()
}

func randomWords(r *rand.Rand, most int) []string {
	words := make([]string, r.IntN(most+1))
	for i := range words {
		words[i] = randomWord(r)
	}
	return words
}

func needBash(t testing.TB) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: no bash on this machine")
	}
}

// inBash are the words that bash reads.
func inBash(t testing.TB, text string) []string {
	t.Helper()
	out, err := exec.Command("bash", "-c", `printf '%s\0' `+text).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, text, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// Bash reads what has been quoted as it was, from one line of printable text.
func TestQuote(t *testing.T) {
	needBash(t)
	r := rand.New(rand.NewPCG(1, 2))
	words := append(append([]string{"x"}, hostile...), randomWords(r, 2000)...)
	text := QuoteAll(words)
	if !printable(text) {
		t.Errorf("not printable: %q", text)
	}
	got := inBash(t, text)
	if len(got) != len(words) {
		t.Fatalf("%d words, want %d", len(got), len(words))
	}
	for i, word := range words {
		if got[i] != word {
			t.Errorf("%q, quoted as %s, is %q", word, Quote(word), got[i])
		}
	}
}

func FuzzQuote(f *testing.F) {
	needBash(f)
	for _, word := range hostile {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if strings.Contains(word, "\x00") {
			return
		}
		if got := inBash(t, Quote(word)); len(got) != 1 || got[0] != word {
			t.Errorf("%q, quoted as %s, is %q", word, Quote(word), got)
		}
	})
}

// A directory with signs that mean something to a shell is that directory.
func TestPatternInBash(t *testing.T) {
	needBash(t)
	for _, word := range hostile {
		p, err := ParsePattern("d/" + word)
		if err != nil || strings.Contains(word, "%") {
			continue
		}
		if got := inBash(t, p.word("")); got[0] != string(p) {
			t.Errorf("%q is %q", p, got)
		}
	}
	got, err := exec.Command("bash", "-c", "SLURM_JOB_ID='1 2'; printf %s "+Pattern("a/%j").word(again)).Output()
	if err != nil || !bytes.Equal(got, []byte("a/1 2")) {
		t.Errorf("%q, %v", got, err)
	}
}
