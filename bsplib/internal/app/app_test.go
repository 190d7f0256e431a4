package app_test

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// pretended is a Runner without an engine, whose runs end as its fields specify.
type pretended struct {
	immovable  error
	resumed    *checkpoint.Source
	failure    *failure.Error // of Run
	known      bool
	unmeasured *failure.Error // of Measure
	ranks      int            // 0: two

	plan *app.Plan // that Run was given
}

func (p *pretended) Request()                                     {}
func (p *pretended) Drain([]drain.Host)                           {}
func (p *pretended) Movable() error                               { return p.immovable }
func (p *pretended) Resume(*app.Plan) (*checkpoint.Source, error) { return p.resumed, nil }

func (p *pretended) Sizes(plan *app.Plan) (procs, ranks int, err error) {
	return cmp.Or(plan.Procs, 2), cmp.Or(p.ranks, 2), nil
}

func (p *pretended) Run(plan *app.Plan, _ func(*failure.Error)) (*failure.Error, bool) {
	p.plan = plan
	if plan.Account != nil {
		run := *plan.Account.Run()
		run.Procs, run.Ranks, run.Mapping = plan.Procs, make([]ledger.Rank, 2), ledger.Mapping{{0, plan.Procs}}
		run.Sets, run.Links = make([]ledger.Set, 1), [][]ledger.Link{{{}}}
		plan.Account.Enter(&run)
	}
	if p.failure == nil || p.failure.Err == failure.ErrNotVerified {
		*plan.Result = ledger.Result{Title: "Pretended", Checksum: "01"}
	}
	return p.failure, p.known
}

func (p *pretended) Measure(*app.Plan, func(*failure.Error)) (*ledger.Machine, *failure.Error, bool) {
	return &ledger.Machine{PerByte: 1e-9, L: 1e-6}, p.unmeasured, false
}

// For each kind of end, the exit code, the output and the end of the record agree.
func TestEnds(t *testing.T) {
	bsptest.InProcess(t)
	t.Chdir(t.TempDir())
	checkpointed := &checkpoint.Source{Path: "kept", Manifest: &checkpoint.Manifest{Procs: 3}}
	for name, c := range map[string]struct {
		run    pretended
		args   string
		code   int
		stderr string // the whole of it
		reason string // in the record; "-" for a record without an end
	}{
		"with a result": {},
		"not verified":  {run: pretended{failure: &failure.Error{Err: failure.ErrNotVerified}, known: true}, code: 1, reason: "the result is not verified"},
		"broken":        {run: pretended{failure: &failure.Error{Superstep: 4, Text: "it broke"}, known: true}, code: 1, stderr: "program: superstep 4, process 0, rank 0: it broke\n", reason: "superstep 4, process 0, rank 0: it broke"},
		"by a panic": {
			run:  pretended{failure: &failure.Error{Text: "panic: x", Pid: 2, Stack: "main.f\n"}},
			code: 1, stderr: "program: superstep 0, process 2, rank 0: panic: x\nstack of process 2:\nmain.f\n", reason: "superstep 0, process 2, rank 0: panic: x",
		},
		"elsewhere": {run: pretended{failure: failure.OfEngine(mpi.ErrAborted, 0, 1)}, code: 1, reason: "-"},
		"checkpointed": {
			run:  pretended{failure: &failure.Error{Text: "checkpointed: here", Err: failure.ErrCheckpointed}, known: true},
			code: 75, stderr: "program: checkpointed: here\n", reason: "checkpointed: here",
		},
		"not resumed": {
			run:  pretended{resumed: checkpointed, failure: &failure.Error{Err: &failure.Unreadable{Text: "it is damaged"}}, known: true},
			args: "-restart kept", code: 2, stderr: "program: -restart kept: it is damaged\n", reason: "-restart kept: it is damaged",
		},
		"while g and l are measured": {
			run:  pretended{unmeasured: &failure.Error{Pid: -1, Text: "a rank is lost"}},
			code: 1, stderr: "program: superstep 0, rank 0: a rank is lost\n", reason: "superstep 0, rank 0: a rank is lost, while g and l were measured",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			code := 0
			var stdout string
			stderr := printed(t, &os.Stderr, func() {
				stdout = printed(t, &os.Stdout, func() {
					code = app.Start(new(app.Program), &c.run, append(strings.Fields(c.args), "-run-dir", dir)...)
				})
			})
			if code != c.code || stderr != c.stderr {
				t.Errorf("code %d, stderr %q, want %d, %q", code, stderr, c.code, c.stderr)
			}
			computed := c.run.failure == nil || c.run.failure.Err == failure.ErrNotVerified
			if strings.Contains(stdout, "checksum  01\n") != computed {
				t.Errorf("stdout:\n%s", stdout)
			}
			h := must.Get(ledger.Read(dir))(t)
			if c.reason == "-" {
				if h.End != nil {
					t.Errorf("the record ends with %+v", h.End)
				}
				return
			}
			if h.End == nil || h.End.Code != c.code || h.End.Reason != c.reason || (h.End.Result != nil) != computed {
				t.Errorf("the record ends with %+v, want code %d, %q", h.End, c.code, c.reason)
			}
		})
	}
}

// A state that cannot move is an error only for a run that would move or write it. The number of
// processes follows from the checkpoint to resume from.
func TestPlans(t *testing.T) {
	bsptest.InProcess(t)
	t.Chdir(t.TempDir())
	fixed := pretended{immovable: errors.New("state.F: a function")}
	for _, c := range []struct {
		run    pretended
		args   string
		code   int
		stderr string
		procs  int // of the plan, 0 if the program was not to run
	}{
		{pretended{}, "", 0, "", 2},
		{pretended{}, "-procs 5", 0, "", 5},
		{pretended{resumed: &checkpoint.Source{Manifest: &checkpoint.Manifest{Procs: 7}}}, "-restart kept", 0, "", 7},
		{pretended{}, "-restart auto -checkpoint kept", 0, "", 2},
		{fixed, "", 0, "program: processes stay where they are: state.F: a function\n", 2},
		{fixed, "-balance off", 0, "", 2},
		{fixed, "-shake", 1, "program: -shake: state.F: a function\n", 0},
		{fixed, "-checkpoint kept", 1, "program: -checkpoint kept: state.F: a function\n", 0},
	} {
		code := 0
		stderr := printed(t, &os.Stderr, func() {
			printed(t, &os.Stdout, func() { code = app.Start(new(app.Program), &c.run, append(strings.Fields(c.args), "-quiet")...) })
		})
		if code != c.code || stderr != c.stderr {
			t.Errorf("%s: code %d, stderr %q, want %d, %q", c.args, code, stderr, c.code, c.stderr)
		}
		if (c.run.plan != nil) != (c.procs > 0) || c.run.plan != nil && c.run.plan.Procs != c.procs {
			t.Errorf("%s: the plan is %+v, want %d processes", c.args, c.run.plan, c.procs)
		}
		if p := c.run.plan; p != nil && c.run.immovable != nil && p.Balance != nil {
			t.Errorf("%s: what cannot move is balanced by %v", c.args, p.Balance)
		}
	}
}

// Only long work is announced, before it begins and in a line.
func TestWorkIsAnnounced(t *testing.T) {
	bsptest.InProcess(t)
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		amount float64 // of each process
		args   string
		want   string
	}{
		{0, "", ""}, {5e9, "", ""},
		{5e11, "-ranks 1", "program: 1e+12 flop are to be done: roughly 17 minutes on 1 rank; Ctrl-C ends it\n"},
		{5e15, "-ranks 1", "program: 1e+16 flop are to be done: roughly 1.2e+02 days on 1 rank; Ctrl-C ends it\n"},
		{2e10, "-ranks 1", "program: 4e+10 flop are to be done: roughly 40 seconds on 1 rank; Ctrl-C ends it\n"},
		{2e10, "-ranks 1 -quiet", ""},
	} {
		run := &pretended{ranks: 1}
		p := &app.Program{Work: func(procs int) app.Work {
			return app.Work{Amount: c.amount * float64(procs), Unit: "flop", PerSecond: 1e9}
		}}
		stderr := printed(t, &os.Stderr, func() {
			printed(t, &os.Stdout, func() { app.Start(p, run, strings.Fields(c.args)...) })
		})
		if stderr != c.want {
			t.Errorf("%g, %s: %q, want %q", c.amount, c.args, stderr, c.want)
		}
	}
}
