package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/ledger/tell/page"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/ledger/tell/trace"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

const clusters = "../../examples/clusters-of-clusters.xml"

func platform(t testing.TB, path string) *sim.Platform {
	t.Helper()
	return must.Get(sim.Read(path))(t)
}

// config is a workload on a platform.
func config(t testing.TB, p *sim.Platform, load sim.Workload, balance string) *sim.Config {
	t.Helper()
	where := must.Get(p.Place(load.Processes(), "contiguous"))(t)
	spec := must.Get(rebalancer.Parse(balance))(t)
	return &sim.Config{Platform: p, Workload: load, Where: where, Barrier: sim.Barrier{Near: 12.2e-6, Far: 87.7e-6}, Balance: spec}
}

// recorded simulates a run with a record of it.
func recorded(t testing.TB, c *sim.Config) (dir string, result *sim.Result) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	r := must.Get(Create(dir, About{Title: "title", Program: "program", Strategy: "strategy", Started: time.Unix(1e9, 0)}, c))(t)
	result, err := sim.Run(t.Context(), c, r.Report())
	must.Do(t, r.Close(result, err))
	return dir, result
}

func workload(t testing.TB, text string) sim.Workload {
	t.Helper()
	return must.Get(sim.ParseWorkload(text))(t)
}

// The record of a simulated run is consistent, contains the simulator's figures, and is accepted by
// all readers of records.
func TestRecordOfASimulatedRun(t *testing.T) {
	dir, result := recorded(t, config(t, platform(t, clusters), workload(t, "lu:n=300,p=25"), "auto,guard=0"))
	h := must.Get(ledger.Read(dir))(t)
	for _, problem := range h.Problems {
		t.Error(problem)
	}
	calls := h.Account.Calls()
	if h.Account.Run().Clock() != "SIMULATED" || h.End == nil || h.End.At != result.Time || h.Account.Steps() != 601 || calls.Calls != result.Calls || calls.Moves != result.Moves || result.Moves == 0 {
		t.Errorf("%+v, %d supersteps, %+v, of %+v", h.End, h.Account.Steps(), calls, result)
	}
	whole := h.Account.Whole()
	if b := h.Account.Budget(&whole); math.Abs(b.Unexplained) > 1e-6*b.Elapsed || math.Abs(b.Rescheduling-result.Deciding) > 1e-9 || math.Abs(b.Migration-result.Moving) > 1e-9 {
		t.Errorf("%+v, of %+v", b, result)
	}
	for pid, host := range result.Where {
		if h.Account.Where()[pid] != host {
			t.Errorf("process %d is on rank %d, want %d", pid, h.Account.Where()[pid], host)
		}
	}
	var report, out bytes.Buffer
	if err := page.Write(&report, tell.OfRecord(h), nil); err != nil || !strings.Contains(report.String(), `<strong class="tag">SIMULATED</strong>`) || strings.Contains(report.String(), "EMULATED") {
		t.Errorf("%v, no word on whose times they are", err)
	}
	if err := text.WriteAccount(&out, tell.OfRecord(h), "verdict", "", text.Display{}); err != nil || !strings.Contains(out.String(), "SIMULATED, ") {
		t.Errorf("%v in\n%s", err, out.String())
	}
	f := must.Get(os.Open(filepath.Join(dir, ledger.RecordName)))(t)
	defer f.Close()
	out.Reset()
	if _, err := trace.Write(&out, "r", f, trace.Options{}); err != nil || !strings.Contains(out.String(), "SIMULATED") || !json.Valid(out.Bytes()) {
		t.Errorf("%v: no trace that says whose times they are", err)
	}
	if _, err := os.Stat(filepath.Join(dir, ledger.SummaryName)); err != nil {
		t.Error(err)
	}
}

// A simulated record takes the time that the workload takes on the same or another platform.
func TestReplayTakesTheSameTime(t *testing.T) {
	p, two := platform(t, clusters), platform(t, "../../examples/two-sets.hosts")
	for _, text := range []string{"lu:n=200,p=25", "dp:n=40", "lbm:p=30,steps=20"} {
		load := workload(t, text)
		dir, _ := recorded(t, config(t, p, load, "auto"))
		replay := must.Get(Open(dir, sim.Reference))(t)
		if warnings := replay.Warnings(); len(warnings) > 0 {
			t.Error(warnings)
		}
		for _, where := range []*sim.Platform{p, two} {
			for _, balance := range []string{"off", "percent"} {
				var times [2]float64
				for i, load := range []sim.Workload{load, replay} {
					result := must.Get(sim.Run(t.Context(), config(t, where, load, balance), sim.Report{}))(t)
					times[i] = result.Time
				}
				if far := math.Abs(times[1]/times[0] - 1); far > 1e-6 {
					t.Errorf("%s on %s with %s: %g s, its record %g s", text, where.Name, balance, times[0], times[1])
				}
			}
		}
	}
}

// The record also contains moves prescribed by a workload, and their additional time.
func TestPrescribedMoves(t *testing.T) {
	p := platform(t, "../../examples/two-sets.hosts")
	file := filepath.Join(t.TempDir(), "w.csv")
	lines := "map,0,fast1\nmap,1,fast2\nwork,1,0,2e8\nmsg,1,0,1,1000\nover,1,0.25\nmig,1,1,slow1,1000000\nwork,2,1,1e8\nstate,1,5000\n"
	must.Do(t, os.WriteFile(file, []byte(lines), 0o666))
	load := must.Get(sim.ReadCSV(file, p))(t)
	dir, result := recorded(t, config(t, p, load, "off"))
	h, err := ledger.Read(dir)
	if err != nil || len(h.Problems) > 0 {
		t.Fatal(err, h.Problems)
	}
	if len(h.Moves) != 1 || h.Moves[0].Pid != 1 || h.Account.Run().Ranks[h.Moves[0].To].Host != "slow1" || math.Abs(h.Calls[0].Move-result.Moving) > 1e-9 {
		t.Errorf("%+v, %+v, of %+v", h.Moves, h.Calls, result)
	}
	replay := must.Get(Open(dir, sim.Reference))(t)
	var s sim.Step
	s.Work = make([]float64, 2)
	if err := replay.Fill(0, &s); err != nil || s.Over != 0.25 || s.Work[0] != 2e8 || replay.State(1) != 5000 {
		t.Errorf("%v: %+v", err, s)
	}
	if hosts := replay.Hosts(); hosts[0] != "fast1" || hosts[1] != "fast2" {
		t.Error(hosts)
	}
}

// growing is a workload whose processes have ever larger states.
type growing struct{ sim.Workload }

func (g growing) Fill(step int, s *sim.Step) error {
	s.State = make([]float64, g.Processes())
	for pid := range s.State {
		s.State[pid] = float64(1000 * (step + 1))
	}
	return g.Workload.Fill(step, s)
}

// A move copies the process's state of that time, also in a replay.
func TestStatesChange(t *testing.T) {
	var load sim.Workload = growing{workload(t, "lbm:p=16,steps=30,flops=1e8,bytes=1000")}
	for range 2 {
		dir, result := recorded(t, config(t, platform(t, "../../examples/two-sets.hosts"), load, "auto,guard=0"))
		h, err := ledger.Read(dir)
		if err != nil || result.Moves == 0 || len(h.Moves) != result.Moves {
			t.Fatalf("%v, %+v", err, result)
		}
		for _, m := range h.Moves {
			if m.Bytes != int64(1000*m.Step) {
				t.Errorf("after superstep %d process %d has %d bytes", m.Step, m.Pid, m.Bytes)
			}
		}
		load = must.Get(Open(dir, sim.Reference))(t)
	}
}

// brokenLoad fails in its second superstep.
type brokenLoad struct{ sim.Workload }

func (b brokenLoad) Fill(step int, s *sim.Step) error {
	if step > 0 {
		return errors.New("no more")
	}
	return b.Workload.Fill(step, s)
}

// A failed run leaves a record with its error; a record is not overwritten by another.
func TestRecordOfARunThatFails(t *testing.T) {
	c := config(t, platform(t, "../../examples/two-sets.hosts"), brokenLoad{workload(t, "lbm:p=4")}, "off")
	dir := t.TempDir()
	r := must.Get(Create(dir, About{}, c))(t)
	result, failure := sim.Run(context.Background(), c, r.Report())
	if err := r.Close(result, failure); err == nil || err != failure {
		t.Error(err)
	}
	h, err := ledger.Read(dir)
	if err != nil || h.End == nil || h.End.Code != 1 || !strings.Contains(h.End.Reason, "no more") || h.Account.Steps() != 1 {
		t.Errorf("%v: %+v", err, h)
	}
	if _, err := Create(dir, About{}, c); err == nil || !strings.Contains(err.Error(), "has the record of a run already") {
		t.Error(err)
	}
}
