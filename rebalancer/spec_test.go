package rebalancer

import (
	"bytes"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"off": "off", "auto": "auto", "one": "one", "percent,x=0.5": "percent,x=0.5", "migcube": "migcube",
		"mighull,alpha=8,D=0.75": "mighull,alpha=8,D=0.75", "automig": "automig", "pub-global": "pub-global",
		"pub-random,c=3,seed=7": "pub-random,c=3,seed=7", "pub-predict": "pub-predict", "pwor,r=2": "pwor,r=2", "auto,guard=0": "auto,guard=0",
		"one,guard=off": "one,guard=0", "one,guard=false": "one,guard=0", "one,guard=0": "one,guard=0",
		"one,guard=on": "one", "one,guard=true": "one", "one,viability=off": "one,viability=0", "one,alpha=4": "one",
	} {
		if s, err := Parse(text); err != nil || s.String() != want || s.Off() != (want == "off") {
			t.Errorf("%q: %q, off %v, %v; want %q", text, s.String(), s.Off(), err, want)
		}
	}
	if s := (Spec{}); !s.Off() || s.String() != "off" || s.value("alpha") != 4 {
		t.Errorf("nothing said is %q, alpha %g", s, s.value("alpha"))
	}
}

// Errors quote the input and list the alternatives.
func TestParseErrors(t *testing.T) {
	for text, words := range map[string][]string{
		"":                   {`""`, "off", "auto", "pwor"},
		"fastest":            {`"fastest"`, "off", "auto", "one", "percent", "migcube", "mighull", "automig", "pub-global", "pub-random", "pub-predict", "pwor"},
		"percent,y=1":        {"percent", `no parameter "y"; expected x, viability, `, " alpha, ", " guard, "},
		"percent,":           {`""`, "expected x, "},
		"percent,x":          {"x", "between 0 and 1"},
		"percent,x=":         {"x=", "number"},
		"percent,x=2":        {"x=2", "between 0 and 1"},
		"percent,x=on":       {"x=on", "number"},
		"percent,x=NaN":      {"x=NaN", "number"},
		"one,alpha=2.5":      {"alpha=2.5", "whole"},
		"one,alpha=0":        {"alpha=0", "between 1"},
		"one,guard=0.5":      {"guard=0.5", "whole"},
		"one,D=1,D=2":        {"D=2", "twice"},
		"off,alpha=3":        {"off", "alpha=3"},
		"pub-random,d=0.5":   {"d=0.5", "between 1"},
		"mighull,alpha=1e99": {"alpha=1e99", "between 1"},
	} {
		s, err := Parse(text)
		if err == nil {
			t.Errorf("%q is read as %q", text, s)
			continue
		}
		must.Have(t, err.Error(), words...)
		if len(err.Error()) > 160 { // two lines of a terminal
			t.Errorf("%q: an error of %d characters", text, len(err.Error()))
		}
	}
}

// No strategy has a parameter that all have, and defaults are within bounds.
func TestDefinitions(t *testing.T) {
	seen := map[string]bool{"off": true}
	for _, d := range Definitions() {
		if seen[d.Name] || d.About == "" || d.Source == "" || d.New == nil {
			t.Errorf("%+v", d)
		}
		seen[d.Name] = true
		keys := map[string]bool{}
		for _, p := range append(d.Parameters, common...) {
			if keys[p.Name] || p.About == "" || p.Default < p.Min || p.Default > p.Max {
				t.Errorf("%s: %+v", d.Name, p)
			}
			keys[p.Name] = true
		}
	}
}

func TestHelpNamesEverything(t *testing.T) {
	var b bytes.Buffer
	Help(&b)
	for _, d := range Definitions() {
		must.Have(t, b.String(), d.Name, d.About, d.Source)
		for _, p := range append(d.Parameters, common...) {
			must.Have(t, b.String(), p.Name+"=", p.About)
		}
	}
}

// The text of a parsed Spec parses to the same Spec.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"off", "auto", "percent,x=0.5,guard=off", "one,alpha=1e3,D=0x1p-2", "x,,=", "mighull,seed=9007199254740992"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		again, err := Parse(s.String())
		if err != nil || again.String() != s.String() || again.Name() != s.Name() {
			t.Errorf("%q reads as %q, that as %q, %v", text, s, again, err)
		}
	})
}
