package probe

import (
	"testing"

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
