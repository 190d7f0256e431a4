package shell_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/internal/shell/shelltest"
	"github.com/migbsp/migbsp/internal/testrun"
)

// Bash reads a quoted word back unchanged, from one line of printable text and in any locale.
func TestQuote(t *testing.T) {
	testrun.Needs(t, "bash")
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
	testrun.Needs(f, "bash")
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

func TestWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil}, {"  \t\n", nil}, {"-n 1000  -block\t32\n", []string{"-n", "1000", "-block", "32"}},
		{`'a b' "c d" e\ f`, []string{"a b", "c d", "e f"}}, {`'' ""`, []string{"", ""}}, {`a''b`, []string{"ab"}},
		{`"\"\\\n$x"`, []string{`"\\n$x`}}, {`'\'`, []string{`\`}}, {`\'\"`, []string{`'"`}}, {`-x='1 2'`, []string{"-x=1 2"}},
		{"'a\nb' $HOME `x` ;", []string{"a\nb", "$HOME", "`x`", ";"}},
	} {
		if got, err := shell.Words(c.text); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v, want %q", c.text, got, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"'a": "expected a second '", `"a\"`: `expected a second "`, `a\`: `expected a character behind the last \`,
	} {
		if got, err := shell.Words(text); err == nil || err.Error() != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// Words returns text in single quotes unchanged; Quote uses them for printable text.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"a b", `'a' "b" \c`, "it's", "", `"`, `\`, "über 'x'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, err := shell.Words(text)
		if err != nil {
			return
		}
		for _, word := range append(words, text) {
			if !shell.Printable(word) {
				continue
			}
			if again, err := shell.Words(shell.Quote(word)); err != nil || !slices.Equal(again, []string{word}) {
				t.Errorf("%q in %q is %q, %v", word, text, again, err)
			}
		}
	})
}
