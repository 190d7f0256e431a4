package account

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
	"github.com/migbsp/migbsp/rebalancer"
)

const ms = time.Millisecond

// handClock is a clock that the test sets.
type handClock struct {
	clock.Clock // panics in methods that an account does not call
	now, wall   time.Duration
	tick        time.Duration // added to wall at each reading
	emulation   *clock.Emulation
}

func (c *handClock) Now() time.Duration          { return c.now }
func (c *handClock) Emulated() bool              { return c.emulation != nil }
func (c *handClock) Emulation() *clock.Emulation { return c.emulation }

func (c *handClock) Interrupt() {}

func (c *handClock) Wall() time.Duration {
	c.wall += c.tick
	return c.wall
}

// member is a rank of a run under test.
type member struct {
	*Account
	t       *testing.T
	rank    int
	comm    mpi.Comm
	clock   handClock
	samples []*loads.Sample
}

// run is a run with an account, on in-process ranks.
type run struct {
	speeds []float64 // of the ranks
	where  []int32
	book   *ledger.Account
	set    Settings // overrides the defaults

	platform *rebalancer.Platform // nil for a uniform one
}

// noStates are settings of loads where states have no bytes.
var noStates = loads.Settings{StateBytes: func(int) int64 { return 0 }}

// do runs body on each rank, between Open before superstep 1 and the last exchange.
func (r run) do(t *testing.T, facts Facts, body func(m *member)) {
	t.Helper()
	platform := rebalancer.Uniform(len(r.speeds), rebalancer.Link{})
	if r.platform != nil {
		platform = *r.platform
	}
	for rank, speed := range r.speeds {
		platform.Ranks[rank].Speed = speed
		facts.Hosts = append(facts.Hosts, fmt.Sprint("host", rank))
	}
	facts.Where, facts.Platform = r.where, &platform
	mpitest.OnRanks(len(r.speeds))(t, func(comm mpi.Comm) error {
		rank := comm.Rank()
		m := &member{t: t, rank: rank, comm: comm}
		s := r.set
		s.Control, s.Clock, s.Kept, s.Loads.Procs, s.Loads.Speed = control.New(comm), &m.clock, true, len(r.where), r.speeds[rank]
		if s.Position == nil {
			s.Position = func() ledger.Progress { return ledger.Progress{} }
		}
		if s.Brought == nil {
			s.Brought = func() (float64, float64, bool, error) { return 0, 0, false, nil }
		}
		s.SiteName = func(pc uintptr) string { return fmt.Sprintf("file.go:%d", pc) }
		if rank == 0 {
			s.Book = r.book
		}
		for pid, on := range r.where {
			if int(on) == rank {
				m.samples = append(m.samples, &loads.Sample{Pid: pid})
			}
		}
		m.Account = New(s)
		m.must(m.Open(1, facts))
		body(m)
		return nil
	})
}

func (m *member) must(err error) {
	if err != nil {
		m.t.Errorf("rank %d: %v", m.rank, err)
		m.comm.Abort(1)
	}
}

// superstep runs an empty superstep.
func (m *member) superstep(step int) {
	m.Begin(m.clock.now, m.clock.wall)
	for _, s := range m.samples {
		m.Worked(s, m.clock.wall)
	}
	m.Close(step, 1, clock.Superstep{}, m.samples, false, nil)
}

// record is the output of a run.
type record struct{ bytes.Buffer }

func (*record) Close() error { return nil }

// entries are the entries of a record of one kind.
func entries[T any](t *testing.T, text string) []T {
	t.Helper()
	var all []T
	d := ledger.NewDecoder("record", strings.NewReader(text)).WithLoads()
	for {
		e, err := d.Next()
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if is, ok := any(e).(*T); ok {
			all = append(all, *is)
		}
	}
}

// newRecord returns an account that is recorded, and its record.
func newRecord() (*ledger.Account, *record) {
	w := new(record)
	return &ledger.Account{Recorder: ledger.NewRecorder(w, nil).Unhurried()}, w
}

// did is a process's superstep.
type did struct {
	work, span     time.Duration
	sent, received int
}

// The measurements of all ranks are combined: the work of the slowest rank, the shortest
// barrier, the first known site. Work is the elapsed time of a rank's processes; the lower
// bound uses their CPU time and each rank's measured share of a core.
func TestSteps(t *testing.T) {
	supersteps := []struct {
		name  string
		procs [3]did // 0 and 1 on rank 0, 2 on rank 1; rank 2 has none
		sites [3]uintptr
		took  [3]clock.Superstep
		want  ledger.Step
	}{
		{
			name:  "rank 1 is kept from running",
			procs: [3]did{{work: 30 * ms, span: 30 * ms, sent: 5}, {work: 40 * ms, span: 45 * ms, received: 7}, {work: 20 * ms, span: 80 * ms, sent: 6}},
			sites: [3]uintptr{12, 12, 0},
			took:  [3]clock.Superstep{{Took: 90 * ms, Barrier: 20 * ms}, {Took: 91 * ms, Barrier: 11 * ms}, {Took: 92 * ms, Barrier: 92 * ms}},
			want: ledger.Step{
				Site: "file.go:12", Work: []time.Duration{75 * ms, 80 * ms, 0}, WorkMax: 80 * ms, WorkSum: 155 * ms,
				Denied: 60 * ms, DeniedSum: 65 * ms,
				// (70*1 + 20*2) / (1*s0 + 2*s1 + 1), shares s0 = 70.2/75.2, s1 = 20.2/80.2
				Least:       45132810,
				SlowestRank: 1, Slowest: 2, SlowestWork: 80 * ms, Talks: 1, H: 7, Comm: 11 * ms, Total: 90 * ms,
			},
		},
		{
			name:  "one long process on the fast rank",
			procs: [3]did{{work: ms, span: ms}, {work: 2 * ms, span: 2 * ms}, {work: 20 * ms, span: 20 * ms}},
			sites: [3]uintptr{0, 0, 34},
			took:  [3]clock.Superstep{{Took: 25 * ms, Barrier: 22 * ms}, {Took: 25 * ms, Barrier: 5 * ms}, {Took: 25 * ms, Barrier: 4 * ms}},
			want: ledger.Step{
				Site: "file.go:34", Work: []time.Duration{3 * ms, 20 * ms, 0}, WorkMax: 20 * ms, WorkSum: 23 * ms,
				Least: 20 * ms, SlowestRank: 1, Slowest: 2, SlowestWork: 20 * ms, Comm: 4 * ms, Total: 25 * ms,
			},
		},
		{
			name: "nothing, anywhere",
			want: ledger.Step{Site: "end", Work: []time.Duration{0, 0, 0}, SlowestRank: 0, Slowest: 0},
		},
	}
	book, written := newRecord()
	first := func() ledger.Progress { return ledger.Progress{Loop: 2, Stage: 3, Stages: 4} }
	r := run{speeds: []float64{1, 2, 1}, where: []int32{0, 0, 1}, book: book, set: Settings{
		Position: first, Loads: noStates,
	}}
	r.do(t, Facts{}, func(m *member) {
		for i, s := range supersteps {
			m.clock.now, m.clock.wall = time.Duration(i+1)*time.Second, time.Duration(i+1)*time.Minute
			m.Begin(m.clock.now, m.clock.wall)
			work := time.Duration(0)
			for _, p := range m.samples {
				d := s.procs[p.Pid]
				p.Work, p.Span, p.Sent, p.Received = d.work, d.span, d.sent, d.received
				m.Worked(p, m.clock.wall)
				if work += d.work; m.Work() != work {
					t.Errorf("%s: work of %v so far, want %v", s.name, m.Work(), work)
				}
			}
			m.Close(i+1, s.sites[m.rank], s.took[m.rank], m.samples, false, nil)
			if m.Work() != 0 {
				t.Errorf("%s: work of %v goes into the next superstep", s.name, m.Work())
			}
		}
		if m.rank == 0 && book.Steps() != 0 {
			t.Errorf("%d supersteps are entered before they were shipped", book.Steps())
		}
		m.must(m.Ship(len(supersteps) + 1))
		m.clock.now += 500 * ms
		m.must(m.Stop(len(supersteps)+1, "a note"))
	})
	book.Recorder.Close(&ledger.End{}, nil)
	got := entries[ledger.Step](t, written.String())
	if len(got) != len(supersteps) {
		t.Fatalf("%d supersteps, want %d", len(got), len(supersteps))
	}
	for i, s := range supersteps {
		s.want.First, s.want.Last, s.want.Count, s.want.Ranks = i+1, i+1, 1, 3
		s.want.At = time.Duration(i+1) * time.Second
		if !reflect.DeepEqual(got[i], s.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", s.name, got[i], s.want)
		}
	}
	if whole := book.Whole(); whole.Elapsed != 3.5 || whole.Step.WorkMin != 0 || whole.Step.H != 7 {
		t.Errorf("%+v, want 3.5 s in all", whole)
	}
	if p := entries[ledger.Progress](t, written.String()); len(p) != 1 || p[0] != (ledger.Progress{At: 3, Step: 4, Loop: 2, Stage: 3, Stages: 4}) {
		t.Errorf("progress %+v", p)
	}
	if w := entries[ledger.Warning](t, written.String()); len(w) != 1 || w[0].Text != "a note" {
		t.Errorf("warnings %+v", w)
	}
}

// A batch is full on all ranks at once. Otherwise rank 0 requests a shipment after a time that
// grows with the cost of shipping.
func TestShipping(t *testing.T) {
	for _, c := range []struct{ tick, after time.Duration }{
		{0, 500 * ms}, {ms, 500 * ms}, {5 * ms, time.Second}, {time.Second, 5 * time.Second},
	} {
		book := new(ledger.Account)
		r := run{speeds: []float64{1, 1}, where: []int32{0, 1}, book: book}
		r.do(t, Facts{}, func(m *member) {
			m.clock.tick = c.tick
			step := 1
			for ; !m.Full(); step++ {
				m.superstep(step)
				if m.rank == 0 && book.Steps() != 0 {
					t.Errorf("%d supersteps are entered of a batch that is not full", book.Steps())
				}
			}
			if step != batchSteps+1 {
				t.Errorf("rank %d: full before superstep %d", m.rank, step)
			}
			m.Begin(0, time.Minute)
			m.must(m.Ship(step))
			if m.Full() || m.rank == 0 && book.Steps() != batchSteps {
				t.Errorf("rank %d: full %v, %d supersteps entered, want %d", m.rank, m.Full(), book.Steps(), batchSteps)
			}
			for _, wait := range []time.Duration{0, c.after, c.after + 1} {
				m.Begin(0, time.Minute+wait)
				if due := m.Due(); due != (m.rank == 0 && wait > c.after) {
					t.Errorf("rank %d: due %v, %v after a shipment that took %v", m.rank, due, wait, c.tick)
				}
			}
			m.superstep(step)
			m.Worked(m.samples[0], 2*time.Minute) // Due uses the time when the last process ended its work
			if m.Due() != (m.rank == 0) {
				t.Errorf("rank %d: due %v a minute later", m.rank, m.Due())
			}
			m.must(m.Stop(step + 1))
		})
		if n := book.Steps(); n != batchSteps+1 {
			t.Errorf("%d supersteps in all, want %d", n, batchSteps+1)
		}
	}
}

// Ranks that keep no account measure the work of a superstep and make no exchange.
func TestNothingIsKept(t *testing.T) {
	book, written := newRecord()
	a := New(Settings{Clock: &handClock{}, Book: book}) // an exchange would panic without a Channel
	s := &loads.Sample{Work: ms}
	if err := a.Open(1, Facts{}); err != nil || a.Kept() {
		t.Error(err)
	}
	for step := range 2 * batchSteps {
		a.Begin(0, 0)
		a.Worked(s, time.Hour)
		if a.Work() != ms {
			t.Fatalf("work of %v", a.Work())
		}
		a.Close(step+1, 1, clock.Superstep{Took: ms}, []*loads.Sample{s}, true, nil)
	}
	if err := a.Ship(1); err != nil || a.Full() || a.NeedsTraffic() || len(a.batch) > 1 || book.Steps() != 0 || written.Len() > 0 {
		t.Errorf("%v; %d supersteps wait, %d are entered, %d bytes written", err, len(a.batch)-1, book.Steps(), written.Len())
	}
}

// The facts before the first superstep head the record, and a run on an emulated platform ends
// with the charges of the platform.
func TestFactsAndEmulation(t *testing.T) {
	book, written := newRecord()
	*book.Run() = ledger.Run{
		Program: "lu", Strategy: "off (so)", Engine: "engine", Platform: "unequal", LinksFrom: "hosts file", SetsFrom: "nobody", Measuring: 2,
		Restarted: "stage 7",
	}
	r := run{speeds: []float64{1, 0.5}, where: []int32{1, 1, 0}, book: book, set: Settings{
		Loads: noStates,
	}}
	facts := Facts{Warnings: []string{"beware"}}
	r.do(t, facts, func(m *member) {
		m.clock.emulation = &clock.Emulation{
			Barrier: 1e-3, Took: 8, Unmoved: 9, Bound: 7, Calls: 0.5, Moves: 0.25, Bytes: 3, Latency: 0.5,
		}
		for step := 1; step <= 3; step++ {
			m.samples[0].Sent += 50 * (step % 2) // 100 bytes in two supersteps
			m.superstep(step)
			if step == 2 {
				m.Warn("all of us")
				m.WarnAlone(fmt.Sprintf("rank %d alone", m.rank))
			}
		}
		m.must(m.Stop(4))
	})
	book.Recorder.Close(&ledger.End{Machine: book.Machine, Emulation: book.Emulation}, nil)
	heads := entries[ledger.Run](t, written.String())
	if len(heads) != 1 {
		t.Fatalf("%d heads", len(heads))
	}
	want := ledger.Run{
		Schema: ledger.Schema, Program: "lu", Engine: "engine", Procs: 3, Mapping: ledger.Mapping{{1, 2}, {0, 1}},
		Ranks: []ledger.Rank{{Host: "host0", Speed: 1}, {Host: "host1", Speed: 0.5}}, Sets: []ledger.Set{{Name: "all"}}, Links: [][]ledger.Link{{{}}},
		LinksFrom: "hosts file", SetsFrom: "nobody", Measuring: 2, Platform: "unequal", Strategy: "off (so)", Restarted: "stage 7",
	}
	heads[0].Started = want.Started
	if !reflect.DeepEqual(heads[0], want) {
		t.Errorf("got  %+v\nwant %+v", heads[0], want)
	}
	var texts []string
	for _, w := range entries[ledger.Warning](t, written.String()) {
		texts = append(texts, w.Text)
	}
	if !reflect.DeepEqual(texts, []string{"goes on from stage 7: this account begins there", "beware", "all of us", "rank 0 alone", "rank 1 alone"}) {
		t.Errorf("warnings %q", texts)
	}
	if m, e := book.Machine, book.Emulation; m.PerByte != 0.03 || m.Latency != 0.25 || m.L != 1e-3 ||
		*e != (ledger.Emulation{Platform: "unequal", With: 8, Without: 9, Least: 7, Calls: 0.5, Moves: 0.25}) {
		t.Errorf("%+v, %+v", m, e)
	}
}
