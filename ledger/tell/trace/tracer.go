package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// Threads of a rank's process.
const (
	computing = iota + 1
	waiting
	migrating
)

// Threads of the run's process.
const (
	supersteps = iota + 1
	warnings
)

// tracer makes events of entries.
type tracer struct {
	out      out
	made     Made
	run      *ledger.Run
	machine  *ledger.Machine
	from, to int  // supersteps to draw
	past     bool // the selected supersteps are over
	last     int  // superstep seen

	clock   string        // a mark where times are not the machine's
	drawn   time.Duration // up to here supersteps are
	settled time.Duration // and calls and moves
	where   []int32       // ranks of the processes now
	procs   []int         // number of processes by rank
	begun   bool          // the first superstep to draw has come
	call    *ledger.Call  // whose moves are being gathered
	moves   []ledger.Move
}

func newTracer(w io.Writer, run *ledger.Run, o Options) *tracer {
	t := &tracer{
		run: run, machine: o.Machine, from: max(0, o.From), to: o.To,
		where: run.Mapping.Where(), procs: make([]int, len(run.Ranks)),
	}
	t.made.Run = run
	for _, rank := range t.where {
		t.procs[rank]++
	}
	about := args(nil).text("program", strings.Join(append([]string{run.Program}, run.Args...), " ")).
		text("started", run.Started.UTC().Format(time.RFC3339)).text("schema", run.Schema)
	if clock := run.Clock(); clock != "" {
		t.clock = " " + clock
		about = about.text("times", clock+": those of the platform "+run.Platform+", not of a machine that ran the program")
	}
	t.out.begin(w, about)
	return t
}

// begin names processes and threads. Ranks stand in the order of their Sets, the
// run above them.
func (t *tracer) begin() {
	run := t.ofRun(0)
	t.out.about("process_name", run, args(nil).text("name", "run "+t.run.Program+t.clock))
	t.out.about("process_sort_index", run, args(nil).int("sort_index", -1))
	t.thread(t.ofRun(supersteps), "supersteps")
	t.thread(t.ofRun(warnings), "warnings")
	order := make([]int, len(t.run.Ranks))
	for rank := range order {
		order[rank] = rank
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.run.Ranks[a].Set, t.run.Ranks[b].Set) })
	for place, rank := range order {
		is := t.run.Ranks[rank]
		name := strings.Join(strings.Fields(fmt.Sprintf("rank %d %s %s", rank, is.Host, t.run.Sets[is.Set].Name)), " ") + t.clock
		t.out.about("process_name", track{rank, 0}, args(nil).text("name", name))
		t.out.about("process_sort_index", track{rank, 0}, args(nil).int("sort_index", int64(place)))
		t.thread(track{rank, computing}, "compute")
		t.thread(track{rank, waiting}, "wait + communicate")
		t.thread(track{rank, migrating}, "migrate")
	}
}

func (t *tracer) thread(on track, name string) {
	t.out.about("thread_name", on, args(nil).text("name", name))
	t.out.about("thread_sort_index", on, args(nil).int("sort_index", int64(on.tid)))
}

// ofRun returns a thread of the run's process, which follows the ranks' processes.
func (t *tracer) ofRun(tid int) track { return track{len(t.run.Ranks), tid} }

// within reports whether to draw entries after a superstep.
func (t *tracer) within(step int) bool { return step >= t.from && step <= t.to }

// enter draws an entry, or keeps it for later ones.
func (t *tracer) enter(e ledger.Entry) {
	if m, is := e.(*ledger.Move); is {
		t.move(m)
		return
	}
	t.settle()
	switch e := e.(type) {
	case *ledger.Step:
		t.step(e)
	case *ledger.Call:
		t.call = e
	case *ledger.Outcome:
		t.outcome(e)
	case *ledger.Warning:
		if !t.begun && t.from > 1 {
			return
		}
		t.out.instant("warning", t.ofRun(warnings), after(e.At), args(nil).text("text", e.Text))
	}
}

// after returns a time of a record, which counts seconds.
func after(seconds float64) time.Duration {
	return time.Duration(max(0, min(latest, seconds*1e9)))
}

// latest is the end of time, far enough from its overflow to add to it.
const latest = 1 << 60
