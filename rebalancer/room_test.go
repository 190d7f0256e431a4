package rebalancer

import "testing"

// A plan that would fill a rank beyond its memory loses its last moves there,
// and what relied on the room that they were to make.
func TestMovesKeepWithinMemory(t *testing.T) {
	p := Uniform(3, Link{})
	p.Ranks[0].Memory, p.Ranks[1].Memory = 130, 100
	v := View{Platform: &p, Where: []int32{0, 0, 1, 2}, Snapshot: &Snapshot{
		Ranks:     []RankState{{Free: -1}, {Free: -1}, {Free: 50}},
		Processes: []Process{{Pid: 0, State: 60}, {Pid: 1, State: 60}, {Pid: 2, State: 40}, {Pid: 3, State: 10}},
	}}
	to := func(pid, to int) Move {
		return Move{Pid: pid, From: int(v.Where[pid]), To: to, Bytes: v.Snapshot.Processes[pid].State}
	}
	for _, c := range []struct {
		name  string
		moves []Move
		want  int
	}{
		{"fits", []Move{to(0, 1)}, 1},
		{"fits because another leaves", []Move{to(0, 1), to(2, 0)}, 2},
		{"one too many", []Move{to(0, 1), to(1, 1)}, 1},
		{"not as much is free", []Move{to(0, 2)}, 0},
		{"relies on one that cannot leave", []Move{to(2, 0), to(1, 2)}, 0},
		{"nothing", nil, 0},
	} {
		if got := inRoom(v, c.moves); len(got) != c.want {
			t.Errorf("%s: %+v, want %d moves", c.name, got, c.want)
		}
	}
}
