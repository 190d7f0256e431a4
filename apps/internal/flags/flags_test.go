package flags

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/settings"
)

func TestUnused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "<nil>"},
		{[]string{"-other", "3"}, "<nil>"},
		{[]string{"-n", "5"}, "-n 5: why"},
		{[]string{"-n", "1"}, "-n 1: why"}, // its default
		{[]string{"-words"}, "-words true: why"},
		{[]string{"-words", "-n", "5"}, "-n 5: why"},
	} {
		set := flag.NewFlagSet("test", flag.ContinueOnError)
		set.Int("n", 1, "")
		set.Int("other", 1, "")
		set.Bool("words", false, "")
		if err := set.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(unused(set, "why", []string{"words", "n"})); got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
}

func TestOptionalInt(t *testing.T) {
	var x OptionalInt
	for _, c := range []struct {
		text, shown string
		or          int
		wrong       bool
	}{
		{"", "", 7, false},
		{"0", "0", 0, false},
		{"-3", "-3", -3, false},
		{"x", "-3", -3, true},
		{"1e3", "-3", -3, true},
		{"", "", 7, false},
	} {
		if err := x.Set(c.text); (err != nil) != c.wrong || x.String() != c.shown || x.Or(7) != c.or {
			t.Errorf("%q: %v, shown as %q, or 7: %d", c.text, err, x.String(), x.Or(7))
		}
	}
}

// Both names set the same value, help shows both, and misuse of either is reported.
func TestAlias(t *testing.T) {
	set := flag.NewFlagSet("p", flag.ContinueOnError)
	n := set.Int("n", 3, "`numbers`")
	settings.Alias(set, "size", "n")
	if err := set.Parse([]string{"-n", "4", "-size", "5"}); err != nil || *n != 5 {
		t.Errorf("n is %d, %v", *n, err)
	}
	if err := unused(set, "for nothing", []string{"size"}); err == nil || err.Error() != "-size 5: for nothing" {
		t.Errorf("%v", err)
	}
	var help bytes.Buffer
	set.SetOutput(&help)
	set.PrintDefaults()
	if text := help.String(); !strings.Contains(text, "-size name\n    \tanother name of -n (default 3)") || strings.Contains(text, "panic") {
		t.Error(text)
	}
}
