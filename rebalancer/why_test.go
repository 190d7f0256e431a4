package rebalancer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Why lists at most twelve processes unless more move, and a line gives the number
// of the others.
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

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestWhyReportsErrors(t *testing.T) {
	d := fullDecision()
	p := Uniform(4, Link{})
	if err := d.Why(closedWriter{}, &p); err == nil {
		t.Error("no error")
	}
}
