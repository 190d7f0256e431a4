package main

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// A ratio is that of turns; a reference that is missing says so in its row.
func TestRatios(t *testing.T) {
	p := programs[0]
	p.references = []reference{{name: "there"}, {name: "away"}}
	c := course{
		alone:      []speed{{1, ""}, {3, ""}, {2, ""}},
		references: [][]speed{{{5, ""}, {4, ""}, {1, ""}}, nil},
		missing:    []error{nil, errMissing("no cc")},
	}
	got := ""
	for _, row := range c.ratios(new(frame.Session), &p) {
		got += strings.Join(row, ";") + "\n"
	}
	if want := "lu;2 s;there;4 s;0.75\nlu;2 s;away;no cc;-\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
