package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

func called(args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	code := program.Run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestFigures(t *testing.T) {
	args := []string{"-max", "1000", "-rounds", "1", "-quiet"}
	code, out, errs := called(append(args, "-json")...)
	if code != 0 || errs != "" {
		t.Fatalf("code %d, %s", code, errs)
	}
	figures := make(map[string]map[string]float64) // by case and measure
	for line := range strings.Lines(out) {
		var m frame.Measure
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if m.Of != "" && figures[m.Of] == nil {
			figures[m.Of] = make(map[string]float64)
		}
		if m.Of != "" {
			figures[m.Of][m.Measure] = m.Center
		}
	}
	if len(figures) != 2*3*2 {
		t.Errorf("%d cases", len(figures))
	}
	for of, f := range figures {
		if f["bytes of all reports"] <= 0 || f["bytes of the notice"] <= 0 || f["messages of the busiest host"] <= 0 ||
			!(f["call, simulated"] > f["deciding, simulated"]) || !(f["deciding, simulated"] > 0) || !(f["decide"] > 0) {
			t.Errorf("%s: %v", of, f)
		}
	}
	one, many := figures["1000 processes on 100 hosts in 1 Sets, percent"], figures["1000 processes on 100 hosts in 10 Sets, percent"]
	if sent := "messages of the busiest host"; one == nil || many == nil || many[sent] >= one[sent] {
		t.Errorf("with one Set %v, with many %v", one, many)
	}
	if code, out, _ := called(args...); code != 0 || !strings.Contains(out, " processes  hosts  Sets  balance ") {
		t.Errorf("code %d, %s", code, out)
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-max 5", "expected 10 processes at least"},
		{"-sets two", `there is no "two"; there are one, cube, square`},
		{"-balance off", "off decides nothing"},
		{"-balance fast", `there is no strategy "fast"`},
		{"-rounds 0", "at least one"},
		{"x", `unexpected argument "x"`},
	} {
		if code, out, errs := called(strings.Fields(c.args)...); code != 2 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: code %d, %s%s", c.args, code, out, errs)
		}
	}
	if code, out, _ := called("-h"); code != 0 || !strings.Contains(out, "-max") {
		t.Errorf("code %d, %s", code, out)
	}
}
