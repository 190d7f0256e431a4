package page

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// evil are names that would do harm if they were markup anywhere.
var evil = []string{
	`</script><script>window.hacked=1</script>`,
	`"><img src=x onerror=window.hacked=1>`,
	`'><svg onload=window.hacked=1>`,
	`</title></style><script>window.hacked=1</script>`,
	"\x00\x01\x1b[31mred\x07\u202eolleh\u2028]]>&lt;b&gt;",
	`<!--<script>`, "`${window.hacked=1}`", `{{.Run}}`, `javascript:window.hacked=1`, `=HYPERLINK("x")`,
}

var hostile = func() shape {
	s := usual
	s.name = func(kind string, i int) string { return evil[i%len(evil)] + kind }
	return s
}()

func TestHostileNamesAreText(t *testing.T) {
	h := hostile.history(t)
	h.Problems = append(h.Problems, evil...)
	h.Warnings = append(h.Warnings, ledger.Warning{Text: evil[0]})
	page := pageOf(t, h)
	all := elementsOf(t, page)
	for _, fault := range faults(all) {
		t.Error(fault)
	}
	scripts := 0
	for _, e := range all {
		switch e.name {
		case "script":
			scripts++
		case "img", "iframe", "object", "embed", "b":
			t.Errorf("there is an element %s", e.name)
		}
	}
	if scripts != 2 {
		t.Errorf("there are %d scripts, not the data and the page's own", scripts)
	}
	if text := words(all); !strings.Contains(text, evil[0]+"host") || !strings.Contains(text, "{{.Run}}host") {
		t.Error("names are not shown as they are")
	}
	for _, r := range page {
		if r < ' ' && r != '\n' && r != '\t' || r == '\u202e' {
			t.Fatalf("the page has the character %U", r)
		}
	}
}

func TestHostileNamesDoNothing(t *testing.T) {
	b := startBrowser(t)
	a := hostile.history(t)
	a.Problems = append(a.Problems, evil...)
	both := pageOfTwo(t, a, usual.history(t))
	for _, text := range []string{pageOf(t, a), both} {
		file := stored(t, text)
		b.open(file)
		b.quiet(file)
		var seen struct {
			Hacked bool
			Text   string
		}
		b.eval(`({hacked: window.hacked !== undefined, text: document.body.innerText})`, &seen)
		if seen.Hacked {
			t.Error("a name was executed")
		}
		if !strings.Contains(seen.Text, `<script>window.hacked=1</script>`) {
			t.Error("a name is not shown as it is")
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range evil {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s := shape{seed: 1, steps: 6, ranks: 2, sets: 2, procs: 2, every: 2, moves: 1, strategy: name, name: func(string, int) string { return name }}
		all := elementsOf(t, pageOf(t, s.history(t)))
		for _, fault := range faults(all) {
			t.Error(fault)
		}
	})
}

func FuzzASCII(f *testing.F) {
	for _, text := range append(evil, "\U0001f600é", "\u2028") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		js := must.Get(ascii(text))(t)
		if i := strings.IndexFunc(string(js), func(r rune) bool { return r < ' ' || r >= 0x7f || strings.ContainsRune("<>&", r) }); i >= 0 {
			t.Errorf("%q has %q", js, js[i])
		}
		var back string
		if err := json.Unmarshal([]byte(js), &back); err != nil || back != strings.ToValidUTF8(text, "\ufffd") && utf8.ValidString(text) {
			t.Errorf("%q became %q: %v", text, back, err)
		}
	})
}

func TestCommandLineIsQuoted(t *testing.T) {
	run := &ledger.Run{Program: "lu", Args: []string{"-n", "a b", "it's", "$(x)", "./a/b-c_d.e=1,2:3"}}
	if got, want := commandLine(run), `lu -n 'a b' 'it'\''s' '$(x)' ./a/b-c_d.e=1,2:3`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
