//go:build linux

package main

import (
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"bogus", `there is no command "bogus"`},
		{"up", "SPEC is missing; usage: testbed up SPEC"},
		{"up a b", `"b" is one argument too many`},
		{"exec a", "COMMAND is missing"},
		{"mpirun", "PROGRAM is missing"},
		{"mpirun -n", "RANKS is missing"},
		{"mpirun -n 0 x", `-n "0", expected a number from 1 to 4096`},
		{"mpirun -bogus x", "there is no option -bogus"},
		{"set-speed a 5", `speed "5", expected a part of a processor`},
		{"set-rate a-b fast", `rate "fast", expected bits or bytes per second`},
		{"hog a 200%", "expected a part of a host from above 0% to 100%, or off"},
		{"slurm sideways", `"sideways", expected up, down or node`},
		{"slurm node a", "down|up|drain|resume is missing; usage: testbed slurm up|down|node [NODE down|up|drain|resume]"},
		{"slurm node a sideways", `"sideways", expected down, up, drain, resume`},
		{"slurm node a up b", `"b" is one argument too many`},
		{"check x", `"x" is one argument too many`},
	} {
		r := call(t, strings.Fields(c.line)...)
		if r.code == 77 {
			skip(t, r.said)
		}
		if r.code != exitUsage || !strings.Contains(r.said, c.want) || strings.Contains(r.said, "\n") {
			t.Errorf("%s: code %d, %q, want %q", c.line, r.code, r.said, c.want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, flag := range []string{"-h", "--help", "help"} {
		out := succeeds(t, flag)
		for _, c := range commands() {
			if !strings.Contains(out, "\n  "+c.name) {
				t.Errorf("testbed %s says nothing of %s", flag, c.name)
			}
		}
	}
	for _, c := range commands() {
		if out := succeeds(t, c.name, "--help"); !strings.Contains(out, c.does) {
			t.Errorf("testbed %s --help says %q", c.name, out)
		}
	}
	if r := call(t); r.code != exitUsage || !strings.Contains(r.said, "Usage: testbed COMMAND") {
		t.Errorf("without a command: code %d, %q", r.code, r.said)
	}
}

// Nothing but up needs anything else to be refused where no testbed is up.
func TestNothingIsUp(t *testing.T) {
	for _, line := range []string{"status", "exec a true", "mpirun true", "set-speed a 5%", "set-rate a none", "hog a off", "crash a", "slurm up", "slurm node", "slurm node a up", "check-speeds"} {
		r := call(t, strings.Fields(line)...)
		if r.code == 77 {
			skip(t, r.said)
		}
		if r.code != exitFailed || !strings.Contains(r.said, "no testbed is up") {
			t.Errorf("%s: code %d, %q", line, r.code, r.said)
		}
	}
	checkClean(t)
}
