package survey

import (
	"context"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
)

func TestUsedOn(t *testing.T) {
	single := []cpu.TimesStat{
		{CPU: "cpu0", User: 1, System: 1, Idle: 2},
		{CPU: "cpu2", User: 3, Steal: 1, Iowait: 4},
		{CPU: "cpu10", User: 50},
	}
	for _, c := range []struct {
		name  string
		cores []int
		want  used
		fails bool
	}{
		{"one", []int{0}, used{all: 4, busy: 2}, false},
		{"two", []int{0, 2}, used{all: 12, busy: 6, stolen: 1}, false},
		{"one that is not there", []int{0, 1}, used{}, true},
		{"not known", nil, used{}, true},
	} {
		got, err := usedOn(single, c.cores)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestWatchingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := WatchLoad(ctx, time.Hour); err == nil {
		t.Error("no error")
	}
}

func TestOthers(t *testing.T) {
	for _, c := range []struct {
		name         string
		change       used
		busy, stolen float64
	}{
		{"idle", used{all: 8}, 0, 0},
		{"only this process", used{all: 8, busy: 4, own: 4}, 0, 0},
		{"both", used{all: 8, busy: 4, own: 2}, 0.25, 0},
		{"stolen", used{all: 8, busy: 4, own: 2, stolen: 1}, 0.25, 0.125},
		{"own time runs ahead", used{all: 8, busy: 2, own: 3}, 0, 0},
		{"more is stolen than is left", used{all: 8, busy: 2, own: 2, stolen: 1}, 0.125, 0.125},
		{"no time has passed", used{busy: 2}, 0, 0},
	} {
		before := used{all: 100, busy: 50, own: 10, stolen: 5}
		after := used{all: 100 + c.change.all, busy: 50 + c.change.busy, own: 10 + c.change.own, stolen: 5 + c.change.stolen}
		if busy, stolen := others(before, after); busy != c.busy || stolen != c.stolen {
			t.Errorf("%s: %g, %g, want %g, %g", c.name, busy, stolen, c.busy, c.stolen)
		}
	}
}
