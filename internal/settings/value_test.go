package settings

import (
	"slices"
	"strings"
	"testing"
)

// Another process gets what was given, in order, and defaults that are other
// than its own.
func TestApply(t *testing.T) {
	values, _, err := newProgram().resolve(t, "-word a -word b -procs 3", "MIGBSP_EVERY=1m", map[string]string{"here.toml": "[lu]\nn = 7"})
	if err != nil {
		t.Fatal(err)
	}
	other := newProgram()
	other.Lookup("share").Value.Set("0.25") // its own default
	for _, v := range values {
		if err := v.Apply(other.FlagSet); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]string{"procs": "3", "every": "1m0s", "n": "7", "share": "0.5", "quiet": "false"} {
		if got := other.Lookup(name).Value.String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if !slices.Equal(other.words, []string{"a", "b"}) {
		t.Errorf("words %v", other.words)
	}
	if err := (Value{Name: "word", Origin: Flag, Given: []string{"bad"}}).Apply(other.FlagSet); err == nil || !strings.Contains(err.Error(), "a word was expected") {
		t.Errorf("a value that the flag does not take: %v", err)
	}
}
