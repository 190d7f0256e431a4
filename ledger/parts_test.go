package ledger_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
)

func second(n int) time.Time { return time.Date(2026, 5, 1, 12, 0, n, 0, time.UTC) }

// The time of a loss is computed from the known moments.
func TestLossOf(t *testing.T) {
	const s = time.Second
	lost := RunPart{Began: second(0), Started: second(1), Progress: second(20), Noticed: second(22), Ended: second(25), Saved: second(17), Superstep: 9}
	next := RunPart{Began: second(26), Started: second(29)}
	for name, c := range map[string]struct {
		lost RunPart
		want LostTime
	}{
		"all known":     {lost, LostTime{Noticing: 2 * s, Ending: 3 * s, Starting: 4 * s, Repeated: 3 * s}},
		"no checkpoint": {RunPart{Started: second(1), Progress: second(20), Noticed: second(22), Ended: second(25)}, LostTime{Noticing: 2 * s, Ending: 3 * s, Starting: 4 * s, Repeated: 19 * s}},
		"no report":     {RunPart{Began: second(0), Ended: second(25)}, LostTime{Starting: 4 * s}},
		"other clocks":  {RunPart{Progress: second(22), Noticed: second(20), Ended: second(25), Saved: second(30)}, LostTime{Ending: 5 * s, Starting: 4 * s}},
	} {
		got := c.lost.LossOf(&next)
		if got != c.want || got.Whole() != c.want.Noticing+c.want.Ending+c.want.Starting+c.want.Repeated {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got := Span([]RunPart{lost, {Up: second(30)}}, 5*s); got != 35*s {
		t.Errorf("the whole run took %v", got)
	}
}

// A record has the parts of a run. Parts that cannot be are a problem of the record.
func TestPartsInARecord(t *testing.T) {
	parts := []RunPart{{Began: second(0), Ended: second(9), Hosts: []string{"a", "b"}, AllHosts: 2, Ranks: 4, Last: 7, Cause: "rank 1 is lost"}, {Began: second(10), Up: second(11)}}
	entries := append([]Entry{TwoRanks(), &Parts{List: parts}}, Story(1, 5)[1:]...)
	h := must.Get(ReadFrom("r", Written(entries)))(t)
	if len(h.Problems) > 0 || !reflect.DeepEqual(h.Account.Parts, parts) {
		t.Errorf("%v, %+v", h.Problems, h.Account.Parts)
	}
	entries[1] = &Parts{List: []RunPart{{Last: -1}}}
	if h := must.Get(ReadFrom("r", Written(entries)))(t); len(h.Problems) != 1 {
		t.Errorf("%v", h.Problems)
	}
}
