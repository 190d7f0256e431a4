package drain

import (
	"fmt"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/rebalancer"
)

// A request is answered once: when a call that includes it has moved the processes, when it is
// refused, and when the host may be used again.
func TestAnswers(t *testing.T) {
	var hosts Hosts
	e := NewEmptying(&hosts, []string{"a", "a", "b"}, 0)
	call := func(refused bool, moves ...rebalancer.Move) (answers []string) {
		ranks, version := e.Ranks()
		if refused {
			ranks = nil
		}
		e.Decided(ranks, version, refused)
		for _, a := range e.Answers(moves, []int32{2, 0, 2}, func(int) string { return "pinned" }) {
			answers = append(answers, fmt.Sprint(a.Host, a.By, a.Undo, a.State, a.Left, a.Stay, a.Why))
		}
		return answers
	}
	for _, c := range []struct {
		set     []Host
		refused bool
		moves   []rebalancer.Move
		want    []string
	}{
		{set: []Host{{Host: "a", By: "me"}, {Host: "elsewhere"}}, moves: []rebalancer.Move{{From: 0, To: 2}, {From: 0, To: 1}}, want: []string{"amefalsedone1 1pinned"}},
		{set: []Host{{Host: "a", By: "me"}}},
		{set: []Host{{Host: "b"}}, refused: true, want: []string{"bfalserefused0 0no host would be left to the run", "ametruedone0 0"}},
	} {
		hosts.Set(c.set...)
		if !e.Due() {
			t.Error("a new list is not due")
		}
		if got := call(c.refused, c.moves...); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.set, got, c.want)
		}
		if e.Due() {
			t.Error("a list that a call knows of is due")
		}
	}
	var nobody *Emptying
	if nobody.Due() || nobody.Answers(nil, nil, nil) != nil {
		t.Error("nobody asks for anything")
	}
}

// Files that begin with a dot are no requests, and no directory is none.
func TestAsked(t *testing.T) {
	dir := t.TempDir()
	if hosts, err := Asked(dir); err != nil || hosts != nil {
		t.Errorf("%v, %v", hosts, err)
	}
	for _, host := range []string{"n2", "n1"} {
		if err := Ask(dir, host, false); err != nil {
			t.Error(err)
		}
	}
	if hosts, err := Asked(dir); err != nil || !slices.Equal(hosts, []string{"n1", "n2"}) {
		t.Errorf("%v, %v", hosts, err)
	}
	if err := Ask(dir, "n1", true); err != nil {
		t.Error(err)
	}
	if Ask(dir, ".hidden", false) == nil || Ask(dir, "../n3", false) == nil {
		t.Error("a file elsewhere is made")
	}
}
