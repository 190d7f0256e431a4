//go:build mpi && cgo

package mpi

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/mpi/rounds"
)

func TestRoundCost(t *testing.T) {
	for _, c := range []struct {
		what  string
		lines []lineCost
		want  int
	}{
		{"nothing is known", nil, rounds.UsualCost},
		{"the loopback", []lineCost{{5000, 4500}, {4000, 4000}}, 1},
		{"a fast network", []lineCost{{400, 1700}, {390, 1760}}, 4},
		{"TCP", []lineCost{{6000, 27_000}}, 4},
		{"lines of a millisecond", []lineCost{{30_000, 1_040_000}, {28_000, 1_000_000}}, 32},
		{"one long line", []lineCost{{6000, 27_000}, {6000, 500_000}}, 64},
		{"a slow look at a short line", []lineCost{{500, 40_000}}, rounds.LongCost},
	} {
		if got := roundCost(c.lines); got != c.want {
			t.Errorf("%s: a round costs %d messages, want %d", c.what, got, c.want)
		}
	}
}

func TestRadixFromEnv(t *testing.T) {
	for s, want := range map[string]int{"": 0, "auto": 0, "2": 2, "16": 16, "1": -1, "x": -1} {
		t.Setenv("MIGBSP_RADIX", s)
		got, err := radixFromEnv()
		if want < 0 && (err == nil || !strings.Contains(err.Error(), "MIGBSP_RADIX is")) || want >= 0 && (err != nil || got != want) {
			t.Errorf("MIGBSP_RADIX=%s: %d, %v, want %d", s, got, err, want)
		}
	}
	for _, nodes := range []int{2, 3, 9} {
		if p := (radixRule{radix: 5}).plan(nodes); p.Radix != min(5, nodes) {
			t.Errorf("%d nodes have radix %d", nodes, p.Radix)
		}
	}
}
