package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

func called(args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	code := program.Run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// Tables fit a terminal, the record has each time, and the picture each curve.
func TestProgram(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "picture.svg")
	args := []string{"-nodes", "2,16,40", "-ranks", "1,3", "-quiet", "-svg", picture}
	code, out, errs := called(args...)
	if code != 0 || errs != "" {
		t.Fatalf("code %d, %s", code, errs)
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, "  ") && len(line) > 81 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	drawn, err := os.ReadFile(picture)
	if err != nil || !strings.Contains(string(drawn), "infiniband") || !strings.Contains(string(drawn), "nodes of 1 ranks") {
		t.Errorf("%v\n%s", err, drawn)
	}
	for _, c := range curves {
		if strings.Count(string(drawn), `class="`+c.class+`"`) != 1+len(presets) {
			t.Errorf("the picture has not each %s", c.label)
		}
	}
	times := make(map[string]float64)
	code, out, _ = called(append(args, "-json")...)
	networks := 0
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, `{"network":{"name":`) {
			networks++
		}
		var m frame.Measure
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if m.Of != "" {
			times[m.Of+": "+m.Measure] = m.Center
		}
	}
	if networks != len(presets) {
		t.Errorf("the record has the figures of %d networks", networks)
	}
	if want := len(presets) * 3 * 2 * len(columns); code != 0 || len(times) != want {
		t.Errorf("code %d, %d times, want %d", code, len(times), want)
	}
	for of, us := range times {
		if !(us > 0) && of != "" && !strings.Contains(of, "by hand") && !strings.Contains(of, "remembered") {
			t.Errorf("%s takes %v us", of, us)
		}
	}
}

// A network of one's own is one whose figures are given.
func TestSet(t *testing.T) {
	n := presets[0]
	if err := n.set("L=100, o=7,G=80"); err != nil || n.L != 100 || n.O != 7 || n.G != 0.08 || n.R != presets[0].R {
		t.Errorf("%v: %v", err, n)
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-network ethernet", `there is no network "ethernet"; there are loopback`},
		{"-set L=fast", `"L=fast": expected NAME=NUMBER`},
		{"-set l=1", `"l=1": expected NAME=NUMBER`},
		{"-set o=-1", `"o=-1": expected`},
		{"-nodes 1", "from 2 to"},
		{"-halo 0", "expected a byte"},
		{"-all 40000", "expected up to"},
		{"-leaf 16 -taper 0", "expected numbers above 0"},
		{"-leaf 16", "nodes are not alike"},
		{"-measure -testbed", "expected one of them"},
		{"-measure -svg x", "no picture"},
		{"x", `unexpected argument "x"`},
	} {
		if code, out, errs := called(strings.Fields(c.args)...); code != 2 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: code %d, %s%s", c.args, code, out, errs)
		}
	}
}

// What several runs have found is joined, and the figures of the network are the best of them.
func TestMeasuredNetwork(t *testing.T) {
	apart, err := parse([]string{
		`{"engine":"E","shape":{"Nodes":2,"Ranks":1},"message":{"round_trip":20,"send":3,"receive":2,"gap":4,"per_byte":0.003,"byte":0.0005,"copying":1},"times":{"empty":[9,10]}}`,
		`{"engine":"E","shape":{"Nodes":2,"Ranks":1},"message":{"round_trip":30,"send":4,"receive":2.5,"gap":3,"per_byte":0.003,"byte":0.001,"copying":1},"times":{"empty":[11]}}`,
	})
	if err != nil || len(apart.times["empty"]) != 3 {
		t.Fatalf("%v: %+v", err, apart)
	}
	together, err := parse([]string{`{"shape":{"Nodes":1,"Ranks":2},"message":{"copying":0.0002},"times":{"empty":[0.3,0.1]}}`})
	if err != nil {
		t.Fatal(err)
	}
	n := measuredNetwork("x", apart, together)
	if n.L != 5 || n.O != 3 || n.R != 2 || n.W != 3 || !same(n.G, 0.002) || n.B != 0.0005 || n.M != 0.1 || n.C != 0.0002 {
		t.Errorf("%+v", n)
	}
	if _, err := parse([]string{"mpirun: no"}); err == nil || !strings.Contains(err.Error(), "mpirun: no") {
		t.Errorf("%v", err)
	}
}
