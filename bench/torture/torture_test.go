//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// The same seed draws the same trial, and the trials of some seeds have all faults.
func TestDraw(t *testing.T) {
	all := []engine{inProcess, mpirun, surviving, survivingL}
	seen := make(map[kind]bool)
	for seed := range uint64(100) {
		one := draw(seed, all)
		if again := draw(seed, all); one.String() != again.String() {
			t.Errorf("seed %d draws\n%v\nand\n%v", seed, one, again)
		}
		for i, f := range one.faults {
			seen[f.kind] = true
			if f.step >= one.steps || f.pid >= one.procs || i > 0 && f.step < one.faults[i-1].step {
				t.Errorf("seed %d: %v", seed, one)
			}
		}
		if one.first.ranks < 1 || draw(seed, all[:1]).first.engine != inProcess {
			t.Errorf("seed %d: %v", seed, one)
		}
	}
	if len(seen) != int(kinds) {
		t.Errorf("only %v are drawn", seen)
	}
}

// endedPart returns a part that has ended with a code, after faults.
func endedPart(t *testing.T, e engine, code int, out, err string, deadly ...kind) *part {
	t.Helper()
	p := &part{start: start{engine: e}, cmd: exec.Command("sh", "-c", fmt.Sprint("exit ", code)), deadly: deadly}
	p.cmd.Run()
	p.out.Write([]byte(out))
	p.err.Write([]byte(err))
	return p
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		p     *part
		hydra bool
		want  outcome
	}{
		{endedPart(t, inProcess, 0, "right\n", ""), false, survived},
		{endedPart(t, inProcess, 0, "", ""), false, lost},
		{endedPart(t, inProcess, 1, "", "victim: process 3 differs after superstep 7: block 1"), false, wrong},
		{endedPart(t, inProcess, 1, "", ""), false, lost},
		{endedPart(t, inProcess, 75, "", "", request), false, ended},
		{endedPart(t, inProcess, 75, "", "", killRank), false, ended},
		{endedPart(t, inProcess, 2, "", "", killRank), false, lost},
		{endedPart(t, mpirun, 137, "", "", killRank), false, ended},
		{endedPart(t, surviving, 200, "", "", killRank), false, lost},
		{endedPart(t, surviving, 75, "", "", terminate), false, ended},
		{endedPart(t, surviving, 143, "", "", terminate), false, ended},
		{endedPart(t, surviving, 143, "", "", killRank), false, lost},
		{endedPart(t, surviving, 255, "", "", killLauncher), true, excusable},
		{endedPart(t, surviving, 255, "", "", killLauncher), false, lost},
		{&part{hung: true, cmd: endedPart(t, mpirun, 0, "", "").cmd}, false, lost},
	} {
		if got, reason := c.p.judge(c.hydra); got != c.want {
			t.Errorf("%v, code %d, %v: %v (%s), want %v", c.p.start.engine, c.p.cmd.ProcessState.ExitCode(), c.p.deadly, got, reason, c.want)
		}
	}
}

// A changed byte of a checkpoint is in the newest one, and only if an older one exists.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"v-a-000009", "v-a-000010"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		for _, file := range []string{"manifest.json", "rank-00000.part"} {
			must.Do(t, os.WriteFile(filepath.Join(dir, name, file), make([]byte, 9), 0o600))
		}
		(&injector{dir: dir}).damage("*.part")
	}
	for name, want := range map[string]int{"v-a-000009": 0, "v-a-000010": 1} {
		if text := must.Get(os.ReadFile(filepath.Join(dir, name, "rank-00000.part")))(t); bytes.Count(text, []byte{1}) != want {
			t.Errorf("%s has %v", name, text)
		}
	}
}

// runTrials runs trials, which must not be wrong or lost.
func runTrials(t *testing.T, built *programs, allowed []engine, seed uint64, n int) {
	t.Helper()
	injected := 0
	for i := range n {
		one := draw(seed+uint64(i), allowed)
		dir := must.Get(os.MkdirTemp("", "torture"))(t) // the path of a socket is short
		r, err := one.run(t.Context(), built, dir, 5*time.Minute)
		os.RemoveAll(dir)
		if err != nil {
			t.Fatal(err)
		}
		injected += len(r.injected)
		if r.outcome >= lost {
			t.Errorf("%s", r.report("all"))
		}
	}
	if injected == 0 {
		t.Error("no fault was injected")
	}
}

// A few programs in one process survive their faults.
func TestInProcess(t *testing.T) {
	built := &programs{plain: filepath.Join(testrun.Build(t, "", victim), "victim")}
	runTrials(t, built, []engine{inProcess}, 1, 5)
}

// A few programs on MPI ranks survive their faults.
func TestUnderMPIFaults(t *testing.T) {
	launcher := testrun.MPI(t)
	built := &programs{
		mpi: filepath.Join(testrun.Build(t, "mpi", victim), "victim"), tool: filepath.Join(testrun.Build(t, "", tool), "migbsp"),
		launcher: strings.Fields(launcher.String()), hydra: launcher.Hydra(),
	}
	runTrials(t, built, []engine{mpirun, surviving, survivingL}, 1, 5)
}
