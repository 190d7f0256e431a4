package shell_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/internal/shell/shelltest"
)

// Bash reads what has been quoted as it was, from one line of printable text and in any
// locale.
func TestQuote(t *testing.T) {
	shelltest.NeedBash(t)
	for _, locale := range []string{"C", "C.UTF-8"} {
		t.Run(locale, func(t *testing.T) {
			t.Setenv("LC_ALL", locale)
			checkQuote(t)
		})
	}
}

func checkQuote(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := append(append([]string{"x"}, shelltest.Hostile...), shelltest.Words(r, 2000)...)
	text := shell.QuoteAll(words)
	if !shell.Printable(text) {
		t.Errorf("not printable: %q", text)
	}
	got := shelltest.Bash(t, text)
	if len(got) != len(words) {
		t.Fatalf("%d words, want %d", len(got), len(words))
	}
	for i, word := range words {
		if got[i] != word {
			t.Errorf("%q, quoted as %s, is %q", word, shell.Quote(word), got[i])
		}
	}
}

func FuzzQuote(f *testing.F) {
	shelltest.NeedBash(f)
	for _, word := range shelltest.Hostile {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if strings.Contains(word, "\x00") {
			return
		}
		if got := shelltest.Bash(t, shell.Quote(word)); len(got) != 1 || got[0] != word {
			t.Errorf("%q, quoted as %s, is %q", word, shell.Quote(word), got)
		}
	})
}
