// Package shelltest has words that are hard to quote, and runs bash to read words.
package shelltest

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// Hostile are words with a meaning for shells.
var Hostile = []string{
	"", " ", "a b", "\n", "a\nb\n", "\t", "'", `"`, `\`, `\\'`, "$HOME", "${x:?no}", "$(exit 3)", "`exit 3`", "*", "?", "[a-z]", "{a,b}",
	"~", "~root", "#x", "a#b", ";", "&", "|", "<", ">", "(", ")", "!", "!!", "-n", "--", "-", "=", "a=b", "%j", "%", "$'x'", "\x01", "\x7f",
	"\xff", "\xc3", "é", "\u202e", "\u00a0", "ab\x1bcd", "\x01f", "#SBATCH --nodes=99", "\n#SBATCH --nodes=99", "EOF", "\r", "\r\n", "日本",
}

// Word is a hostile word or several in one.
func Word(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		if r.IntN(4) == 0 {
			b.WriteByte(byte(1 + r.IntN(255)))
		} else {
			b.WriteString(Hostile[r.IntN(len(Hostile))])
		}
	}
	return b.String()
}

// Words returns up to most of them.
func Words(r *rand.Rand, most int) []string {
	words := make([]string, r.IntN(most+1))
	for i := range words {
		words[i] = Word(r)
	}
	return words
}

// Bash returns the words that bash reads in a text.
func Bash(t testing.TB, text string) []string {
	t.Helper()
	out, err := exec.Command("bash", "-c", `printf '%s\0' `+text).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, text, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
