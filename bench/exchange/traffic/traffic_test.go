package traffic

import (
	"fmt"
	"slices"
	"testing"
)

// TestGrids are some by hand.
func TestGrids(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		rank  int
		want  string
	}{
		{Shape{16, 1}, 5, "[4 6 1 9]"},
		{Shape{16, 1}, 3, "[2 4 15 7]"}, // the end of a row is beside the begin of the next
		{Shape{2, 1}, 0, "[1 1 1 1]"},
		{Shape{1, 4}, 0, "[1 1 2 2]"},
		{Shape{4, 4}, 5, "[4 8 15 7]"}, // member 1 of node 1, above member 3; a row has two nodes
		{Shape{1, 1}, 0, "[]"},
	} {
		if got := fmt.Sprint(c.shape.Partners(Halo, c.rank)); got != c.want {
			t.Errorf("%v: rank %d has something for %s, want %s", c.shape, c.rank, got, c.want)
		}
	}
}

// What nodes have for each other is what their ranks have for those of other nodes, and as
// many have something for a rank as it has something for.
func TestFlowsArePartners(t *testing.T) {
	for _, s := range []Shape{{1, 1}, {2, 1}, {3, 2}, {4, 4}, {5, 3}, {16, 1}, {9, 6}, {7, 8}} {
		for _, p := range []Pattern{Empty, Halo, AllToAll} {
			for _, long := range []bool{false, true} {
				count := func(flows []Flow) map[int]int {
					got := make(map[int]int)
					for _, f := range flows {
						got[f.Distance] += f.Pieces * f.Bytes
					}
					return got
				}
				want, sent, received := make(map[int]int), make([]int, s.Size()), make([]int, s.Size())
				for r := range s.Size() {
					for _, to := range s.Partners(p, r) {
						sent[r]++
						received[to]++
						if r < s.Ranks && to >= s.Ranks {
							want[to/s.Ranks] += 8
						}
					}
				}
				if got := count(s.Flows(p, 8, func(int) bool { return long })); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%v, %v: flows %v, partners %v", s, p, got, want)
				}
				if !slices.Equal(sent, received) {
					t.Errorf("%v, %v: sent %v, received %v", s, p, sent, received)
				}
			}
		}
	}
}
