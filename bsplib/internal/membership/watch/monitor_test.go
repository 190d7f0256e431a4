package watch

import (
	"strings"
	"testing"
	"time"
)

// oneCrew is a rank's processes in tests.
type oneCrew struct {
	pid, procs  int
	line, waits string
}

func (c *oneCrew) Turn() (pid, procs int)      { return c.pid, c.procs }
func (c *oneCrew) Where() (line, waits string) { return c.line, c.waits }

// A monitor reports in the words of a watcher, once, and reports the end of the wait.
func TestMonitor(t *testing.T) {
	for _, c := range []struct {
		name  string
		crews []*oneCrew // of the ranks; the last is slow
		waits int        // number of other ranks that wait
		want  string
	}{
		{"two ranks", []*oneCrew{{0, 1, "", ""}, {1, 1, "main.go:7", ""}}, 1,
			"p: rank 1 on h has computed for 30 s in superstep 5, after stage 3 of stage loop 0, process 1 at main.go:7; another rank waits for it"},
		{"three ranks", []*oneCrew{{0, 1, "", ""}, {1, 1, "", ""}, {2, 4, "main.go:7", "chan receive"}}, 2,
			"p: rank 2 on h has computed for 30 s in superstep 5, after stage 3 of stage loop 0, process 2 at main.go:7 (chan receive); 2 ranks wait for it"},
		{"one rank of several processes", []*oneCrew{{3, 4, "", ""}}, 0,
			"p: rank 0 on h has computed for 30 s in superstep 5, after stage 3 of stage loop 0, process 3; the run goes on when it does"},
		{"one process that waits", []*oneCrew{{0, 1, "main.go:7", "select"}}, 0,
			"p: rank 0 on h has computed for 30 s in superstep 5, after stage 3 of stage loop 0, process 0 at main.go:7 (select); the run goes on when it does"},
		{"one process that computes", []*oneCrew{{0, 1, "main.go:7", ""}}, 0, ""},
		{"ranks of which none waits", []*oneCrew{{0, 1, "", ""}, {1, 1, "", ""}}, 0, ""},
	} {
		var said strings.Builder
		m := &Monitor{Program: "p", Out: &said, After: slowAfter}
		m.teller = teller{program: m.Program, out: m.Out, patience: m.After}
		pulses := make([]Pulse, len(c.crews))
		for rank := range c.crews {
			m.Add(rank, "h", &pulses[rank], c.crews[rank])
			pulses[rank].Begin(5)
			pulses[rank].Stage(0, 4)
		}
		begun := time.Now()
		look := func(from, to int) {
			for s := from; s < to; s++ {
				m.look(begun.Add(time.Duration(s) * time.Second))
			}
		}
		look(0, 1)
		for rank := range c.waits {
			pulses[rank].Arrive(5)
		}
		look(0, 30)
		if said.Len() > 0 {
			t.Errorf("%s: it reports before 30 s: %q", c.name, &said)
		}
		look(30, 59)
		if got := strings.TrimSuffix(said.String(), "\n"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		said.Reset()
		pulses[len(pulses)-1].Begin(6)
		look(59, 62)
		if got := said.String(); strings.HasSuffix(got, " goes on, after 59 s\n") != (c.want != "") {
			t.Errorf("%s: then it reports %q", c.name, got)
		}
	}
}

// A rank with many processes is not slow while it goes from one process to the next.
func TestMonitorOfManyProcesses(t *testing.T) {
	var said strings.Builder
	m := &Monitor{Out: &said, After: slowAfter, teller: teller{out: &said, patience: slowAfter}}
	crew, pulse := &oneCrew{procs: 1000}, new(Pulse)
	m.Add(0, "h", pulse, crew)
	pulse.Begin(1)
	for begun := time.Now(); crew.pid < 500; crew.pid++ {
		m.look(begun.Add(time.Duration(crew.pid) * time.Second))
	}
	if said.Len() > 0 {
		t.Errorf("it reports %q", &said)
	}
}
