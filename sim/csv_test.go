package sim

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestWorkloadsAsTables(t *testing.T) {
	p := star(3, 100, 0)
	text := "# a comment\nsteps,3\nmap,0,a\nmap,1,b\nmap,2,c,2\nstate,1,100\nwork,1,0,10\nwork,1,2,0.5\nmsg,1,0,1,8\nmig,2,1,c,64\nover,2,0.25\nwork,2,1,1\n" +
		"states,2,1,300\nstates,3,0,7\nsite,1,main.go:5\nsite,3,in f, g\n"
	load := must.Get(parseCSV("w.csv", strings.NewReader(text), p))(t)
	if load.Processes() != 3 || load.Steps() != 3 || load.State(1) != 100 || !reflect.DeepEqual(load.Where, []string{"a", "b", "c"}) {
		t.Errorf("%+v", load)
	}
	want := []Step{
		{Work: []float64{10, 0, 0.5}, Messages: []Message{{0, 1, 8}}, Site: "main.go:5"},
		{Work: []float64{0, 1, 0}, Moves: []Move{{Pid: 1, Host: 2, Bytes: 64}}, Over: 0.25, State: []float64{0, 300, 0}},
		{Work: []float64{0, 0, 0}, State: []float64{7, 300, 0}, Site: "in f, g"},
	}
	if !reflect.DeepEqual(load.steps, want) {
		t.Errorf("%+v, want %+v", load.steps, want)
	}
	var out bytes.Buffer
	must.Do(t, WriteCSV(&out, load, p, []int32{0, 1, 2}))
	again := must.Get(parseCSV("again.csv", &out, p))(t)
	again.Where, load.Where = nil, nil
	if !reflect.DeepEqual(again, load) {
		t.Errorf("written and read: %+v, want %+v", again, load)
	}
}

func TestTablesThatAreWrong(t *testing.T) {
	p := star(2, 100, 0)
	for text, want := range map[string]string{
		"":                      "w.csv: there are no processes in it",
		"wrok,1,0,1\n":          `w.csv:1:1: "wrok": expected steps, map, work, msg, mig, over, state, states or site`,
		"work,1,0\n":            "w.csv:1: 3 fields; expected work,ss,p,flops",
		"work,0,0,1\n":          `w.csv:1:6: "0": expected a whole number from 1 to 10000000`,
		"\nwork,1,-1,1\n":       `w.csv:2:8: "-1": expected a whole number from 0 to 10000000`,
		"work,1,0,NaN\n":        `w.csv:1:10: "NaN": expected a number from 0 on`,
		"work,1,0,-3\n":         `w.csv:1:10: "-3": expected a number from 0 on`,
		"map,0,zz\n":            `w.csv:1:7: "zz": expected a host of the platform`,
		"states,1,0\n":          "w.csv:1: 3 fields; expected states,ss,p,bytes",
		"states,1,0,-1\n":       `w.csv:1:12: "-1": expected a number from 0 on`,
		"site,x,a,b\n":          `w.csv:1:6: "x": expected a whole number from 1 to 10000000`,
		"mig,1,0,zz,1\n":        `w.csv:1:9: "zz": expected a host of the platform`,
		"steps,2\nwork,3,0,1\n": "w.csv: superstep 3 is mentioned, but there are 2 by its line steps",
	} {
		if _, err := parseCSV("w.csv", strings.NewReader(text), p); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("steps,3\nmap,0,a\nwork,1,0,10\nmsg,1,0,1,8\nmig,2,1,b,64\nover,2,0.25\nstate,1,2\nstates,2,1,9\nsite,2,a,b\n")
	p := star(2, 100, 0)
	f.Fuzz(func(t *testing.T, text string) {
		for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' }) {
			if len(field) > 3 {
				return // it could ask for very many supersteps
			}
		}
		load, err := parseCSV("w.csv", strings.NewReader(text), p)
		if err != nil {
			return
		}
		var out bytes.Buffer
		must.Do(t, WriteCSV(&out, load, p, make([]int32, load.Processes())))
		if _, err := parseCSV("again.csv", &out, p); err != nil {
			t.Errorf("%q was written as %q: %v", text, out.String(), err)
		}
	})
}

// A workload that is written and read again is the same, superstep by superstep.
func TestExportedWorkloads(t *testing.T) {
	p := star(3, 100, 0)
	for _, text := range []string{"lu:n=12,p=3", "dp:n=3", "lbm:p=3,steps=5,noise=0.1"} {
		load := must.Get(ParseWorkload(text))(t)
		var out bytes.Buffer
		must.Do(t, WriteCSV(&out, load, p, []int32{0, 1, 2}))
		again, err := parseCSV("again.csv", &out, p)
		if err != nil || again.Steps() != load.Steps() {
			t.Fatalf("%s: %v, %d supersteps, want %d", text, err, again.Steps(), load.Steps())
		}
		var want, got Step
		for k := range load.Steps() {
			want.clear(3)
			got.clear(3)
			must.Do(t, errors.Join(load.Fill(k, &want), again.Fill(k, &got)))
			for pid := range 3 {
				if got.state(again, pid) != want.state(load, pid) {
					t.Errorf("%s: superstep %d: process %d takes %g bytes along, want %g", text, k, pid, got.state(again, pid), want.state(load, pid))
				}
			}
			got.State, want.State = nil, nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: superstep %d: %+v, want %+v", text, k, got, want)
			}
		}
	}
}
