//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// cluster starts examples/three-clusters.testbed and returns the directory of programs built with
// MPI.
func cluster(t *testing.T) (bin string) {
	t.Helper()
	if _, err := launch.FindOpenMPI(); err != nil {
		skip(t, err.Error())
	}
	text := must.Get(os.ReadFile("../../examples/three-clusters.testbed"))(t)
	bin = testrun.Build(t, "mpi", "./apps/heat", "./apps/lbm", "./apps/lu", "./bench/load", "./cmd/migbsp")
	bringUp(t, string(text))
	return bin
}

// Processes that start in equal blocks leave slow hosts, also for other Sets, and compute the same.
func TestProcessesLeaveSlowHosts(t *testing.T) {
	bin := cluster(t)
	load := testrun.Line(filepath.Join(bin, "load"), "-procs 16 -steps 40 -pattern even -size 20000 -grain 100 -quiet")
	want := load.Checksum(t)
	hosts, run := "/run/"+name(t)+"/hosts", filepath.Join(t.TempDir(), "run")
	load.Words = append(append([]string{program, "mpirun"}, load.Words...), "-start", "blocks", "-hosts", hosts, "-run-dir", run)
	if got := load.Checksum(t); got != want {
		t.Errorf("checksum %s on the testbed, %s in-process", got, want)
	}
	accounted(t, run)
	text, err := os.ReadFile(filepath.Join(run, "run.jsonl"))
	if err != nil || !strings.Contains(string(text), `"links_from":"measured"`) {
		t.Errorf("links are not measured: %v", err)
	}
	if !betweenSets(t, string(text)) {
		t.Error("no process has moved between Sets")
	}
	testrun.Line(program, "mpirun "+filepath.Join(bin, "lu")+" -n 400 -procs 16 -quiet -hosts "+hosts).Must(t)
}

// Hosts without declared Sets are grouped by measured message times: also under quotas, and in one of
// three launches if other programs use the cores.
func TestSetsAreFound(t *testing.T) {
	run := testrun.Line(program, "mpirun "+filepath.Join(cluster(t), "lu")+" -n 400 -procs 16")
	var said []string
	for range 3 {
		out := run.Must(t)
		if strings.Contains(out, "in 3 Sets (alpha 3, beta 3, gamma 2)") {
			return
		}
		said = append(said, out)
	}
	t.Errorf("no launch has found three Sets:\n%s", strings.Join(said, "\n"))
}

// accounted checks the account of a run whose processes have left slow hosts: its figures
// fit together, the slowest host shows as slow, and by its quota; after the moves load is
// better balanced, and the run is shorter than it would have been without.
func accounted(t *testing.T, run string) {
	t.Helper()
	h := must.Get(ledger.Read(run))(t)
	for _, problem := range h.Problems {
		t.Error(problem)
	}
	before, whole := h.Account.Before(), h.Account.Whole()
	if before == nil {
		t.Fatal("nothing was moved")
	}
	const fast, slow = 0, 7 // alpha1 has 30 % of a core, gamma2 10 %, and both two of 16 equal processes
	if before.Step.Work[slow] < before.Step.Work[fast]*3/2 {
		t.Errorf("before the first move the host of 10 %% worked %v, that of 30 %% %v", before.Step.Work[slow], before.Step.Work[fast])
	}
	if was, is := h.Account.Efficiency(before).LoadBalance, h.Account.Efficiency(&whole).LoadBalance; is <= was {
		t.Errorf("load balance %.3f before the first move, %.3f in the whole run", was, is)
	}
	c := h.Account.Capacity().Ranks
	if len(c) != 8 || c[slow].Factor() >= c[fast].Factor() || c[slow].Quota > 0.11 || c[slow].Throttled <= 0 {
		t.Errorf("ranks got %+v", c)
	}
	saved, _, known := h.Account.Saving()
	if !known || saved.Step != whole.Step.Last || saved.Gross() <= 0 || saved.Gross() >= saved.Unmoved || !(saved.Error > 0) {
		t.Errorf("after %d supersteps the moves have saved %+v, known %v", whole.Step.Last, saved, known)
	}
}

// The reported saving of moves matches the additional time of a run without moves, in turns on the same undeclared
// hosts. The sign is right, and the error within three times the
// reported one of a single turn or of all turns, because the times of turns differ too.
func TestSavedOnSlowHosts(t *testing.T) {
	bin := cluster(t)
	run := func(line string) (elapsed float64, a *ledger.Account) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "run")
		testrun.Line(program, "mpirun "+filepath.Join(bin, line)+" -quiet -start blocks -run-dir "+dir).Must(t)
		h := must.Get(ledger.Read(dir))(t)
		return h.Account.Whole().Elapsed, &h.Account
	}
	const turns = 3 // a busy machine may disturb one
	moved := 0
	for _, line := range []string{
		"load -procs 16 -steps 120 -pattern even -size 5000 -grain 240 -stride 8 -halo 100",
		"lu -n 1600 -procs 32", "heat -n 500 -steps 500 -procs 32", "lbm -n 100x50 -steps 500 -procs 32",
	} {
		var off, saved, said, doubt float64
		moves, wrong := false, "not run"
		for turn := 0; turn < turns && wrong != ""; turn++ {
			unmoved, _ := run(line + " -balance off")
			elapsed, a := run(line)
			saving, spent, known := a.Saving()
			off, saved, said, doubt = off+unmoved, saved+unmoved-elapsed, said+saving.Gross()-spent, doubt+saving.Error
			moves = moves || a.Calls().Moves > 0
			t.Logf("%s: off %.2f s, auto %.2f s: %.2f s saved; %.2f said, +- %.2f", line, unmoved, elapsed, unmoved-elapsed, saving.Gross()-spent, saving.Error)
			switch wrong = ""; {
			case !moves:
			case a.Calls().Moves > 0 && !known:
				wrong = "nothing is known of what moves brought"
			case saved > 0.1*off && said <= 0:
				wrong = fmt.Sprintf("%.2f s were saved, %.2f are said to be", saved, said)
			case max(saved-said, said-saved) > 3*doubt+0.1*off:
				wrong = fmt.Sprintf("%.2f s were saved, %.2f +- %.2f are said to be", saved, said, doubt)
			}
		}
		if moves {
			moved++
		}
		if wrong != "" {
			t.Errorf("%s: %s in %d turns", line, wrong, turns)
		}
	}
	if moved < 3 {
		t.Errorf("of four programs %d were moved", moved)
	}
}

// betweenSets reports whether a process has moved from one cluster's ranks (0 to 2, 3 to
// 5, 6 and 7) to another's.
func betweenSets(t *testing.T, record string) bool {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(record))
	lines.Buffer(nil, len(record)+1)
	for lines.Scan() {
		var m struct {
			Type     string
			From, To int
		}
		if !strings.Contains(lines.Text(), `"migration"`) {
			continue
		}
		must.Do(t, json.Unmarshal(lines.Bytes(), &m))
		if m.Type == "migration" && m.From/3 != m.To/3 {
			return true
		}
	}
	return false
}

// A job on two partitions is one run, and a job started only on the first reports its mistake.
func TestJobOnTwoPartitions(t *testing.T) {
	if err := slurm.Missing(); err != nil {
		skip(t, err.Error())
	}
	beside(t)
	bin := cluster(t)
	succeeds(t, "slurm", "up")
	dir := t.TempDir()
	script, output := filepath.Join(dir, "job"), filepath.Join(dir, "out")
	job := testrun.Line(filepath.Join(bin, "migbsp"), "sbatch -partition alpha:3:3,beta:3:3 -time 5 -- "+filepath.Join(bin, "lu")+" -n 300 -procs 12").Must(t)
	submit := func(text string) (code int, printed string) {
		must.Do(t, os.WriteFile(script, []byte(text), 0o777))
		r := call(t, "exec", "alpha1", "sbatch", "--wait", "--output="+output, script)
		b, err := os.ReadFile(output)
		if err != nil {
			t.Fatalf("code %d, %s, %v", r.code, r.said, err)
		}
		return r.code, string(b)
	}
	if code, printed := submit(job); code != 0 || !strings.Contains(printed, "PASSED") || !strings.Contains(printed, "6 ranks in 2 Sets") {
		t.Errorf("code %d\n%s", code, printed)
	}
	first := strings.ReplaceAll(job, " --het-group=0,1", "")
	if first == job {
		t.Fatalf("the job starts no group of two components:\n%s", job)
	}
	if code, printed := submit(first); code == 0 || !strings.Contains(printed, "only component 0 of 2 was started (3 ranks for 6 tasks); use srun --het-group=0,1") {
		t.Errorf("on the first of two components: code %d\n%s", code, printed)
	}
}

// scripts/testbed builds the program and is the program.
func TestScript(t *testing.T) {
	script := exec.Command("../../scripts/testbed", "--help")
	want := succeeds(t, "--help")
	if text, err := script.Output(); err != nil || strings.TrimSpace(string(text)) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, text, want)
	}
}
