package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// The table of managers has all platforms; platforms drawn at random are the same for the
// same number.
func TestParts(t *testing.T) {
	var out bytes.Buffer
	session := frame.NewSession(t.TempDir(), &out)
	s := &settings{examples: filepath.Join("..", "..", "examples")}
	if err := managersPart(t.Context(), s, session); err != nil || !strings.Contains(out.String(), "with managers") {
		t.Errorf("%v\n%s", err, out.String())
	}
	a, err := draw(session, 7)
	if err != nil {
		t.Fatal(err)
	}
	b, err := draw(session, 7)
	if err != nil || len(a.Hosts) != len(b.Hosts) || a.Hosts[3].Speed != b.Hosts[3].Speed || len(a.Hosts) < 21 {
		t.Errorf("%v: %d hosts, then %d", err, len(a.Hosts), len(b.Hosts))
	}
}

// A claim counts the places that it speaks of, and those where it holds.
func TestClaims(t *testing.T) {
	times := make(curves)
	for _, at := range places() {
		times[at] = map[string]float64{wq: 9, "gss": 3, "factoring": 2, lds5: 1.45, lds2: 1.4}
	}
	for i, want := range []struct{ met, of int }{{2, 5}, {1, 5}, {12, 12}, {0, 12}, {12, 12}, {4, 5}, {3, 5}, {8, 8}, {8, 8}} {
		if met, of := claims[i].count(times); met != want.met || of != want.of {
			t.Errorf("%s: %d of %d, want %d of %d", claims[i].says, met, of, want.met, want.of)
		}
	}
	if n := len(settingsTried()); n != 36 || settingsTried()[0] != plain {
		t.Errorf("%d settings, the first is %v", n, settingsTried()[0])
	}
}

func TestPlot(t *testing.T) {
	var cells []*cell
	for _, at := range places() {
		c, err := newCell(nil, fmt.Sprintf("bag:n=%d,flops=%de6,workers=%d", at.tasks, at.mflop, at.workers))
		if err != nil {
			t.Fatal(err)
		}
		c.bound = 1
		c.times = map[string]float64{wq: 2, "gss": 3, "factoring": 2, lds5: 1.45, lds2: 1.4, "auto": 1}
		cells = append(cells, c)
	}
	file := filepath.Join(t.TempDir(), "p.svg")
	if err := plotCurves(file, cells); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), "workers<") != 6 || strings.Count(string(text), "<path") < 36 {
		t.Errorf("%v: %s", err, text)
	}
}
