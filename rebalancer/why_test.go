package rebalancer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// No more than twelve processes are named unless more move, and a line says how
// many are not.
func TestWhyNamesTwelveProcesses(t *testing.T) {
	p := Uniform(2, Link{})
	for _, c := range []struct{ verdicts, moves, rows int }{{5, 1, 5}, {12, 0, 12}, {30, 3, 12}, {30, 20, 20}} {
		var d Decision
		for pid := range c.verdicts {
			v := Verdict{Pid: pid, Potential: Potential{Set: -1}, Rule: "because"}
			if pid >= c.verdicts-c.moves {
				v.Moves, v.To = true, 1
				d.Moves = append(d.Moves, Move{Pid: pid, To: 1, Bytes: 10})
			}
			d.Verdicts = append(d.Verdicts, v)
		}
		var b bytes.Buffer
		must.Do(t, d.Why(&b, &p))
		if n := strings.Count(b.String(), "because"); n != c.rows {
			t.Errorf("%d verdicts, %d moves: %d rows, want %d", c.verdicts, c.moves, n, c.rows)
		}
		rest := fmt.Sprintf("and %d more", c.verdicts-c.rows)
		if strings.Contains(b.String(), rest) != (c.verdicts > c.rows) {
			t.Errorf("%d verdicts, %d moves: %q", c.verdicts, c.moves, b.String())
		}
		if c.moves > 0 && !strings.Contains(b.String(), fmt.Sprintf("%d bytes", 10*c.moves)) {
			t.Errorf("the bytes are missing in %q", b.String())
		}
	}
}

// Hosts are named where they are known, the limit and what the last call brought
// if there is such a thing.
func TestWhyTellsWhatItKnows(t *testing.T) {
	p := Uniform(2, Link{})
	p.Ranks[0].Host, p.Ranks[1].Host = "alpha", "beta"
	d := fullDecision()
	d.Moves, d.Bound.Split = []Move{{Pid: 3, To: 1}}, 7
	d.Verdicts[0].To = 1
	var b bytes.Buffer
	must.Do(t, d.Why(&b, &p))
	for _, words := range []string{
		"call 2 after superstep 12", "alpha 4 > 8", "D 0.5 > 0.75", "balanced", "goes from 0@alpha to 1@beta: t1 > t2",
		"call 1: 3 s predicted", "2 s realised", "gap", "process 7 is the limit",
		"foretold by drift: a superstep takes 0.08 s, 0.08 s to 0.1 s in 4 of 5 cases",
	} {
		if !strings.Contains(b.String(), words) {
			t.Errorf("%q is missing in\n%s", words, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if n := len(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%d columns in %q", n, line)
		}
	}
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestWhyReportsErrors(t *testing.T) {
	d := fullDecision()
	p := Uniform(4, Link{})
	if err := d.Why(closedWriter{}, &p); err == nil {
		t.Error("no error")
	}
}
