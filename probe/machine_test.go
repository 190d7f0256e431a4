package probe

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestThisMachine(t *testing.T) {
	m := This(context.Background(), 20*time.Millisecond)
	for name, rate := range map[string]Rate{"dependent": m.Speed.Dependent, "independent": m.Speed.Independent, "copy": m.Speed.Copy} {
		if !(rate.PerSecond > 1e6) || math.IsInf(rate.PerSecond, 0) || !(rate.Spread >= 0) {
			t.Errorf("%s: %+v", name, rate)
		}
	}
	if m.Speed.Independent.PerSecond < m.Speed.Dependent.PerSecond {
		t.Errorf("operations that wait are faster than those that do not: %+v", m.Speed)
	}
	if m.Name == "" || m.Cores.Allowed < 1 || m.Memory.Total < m.Memory.Available || m.Memory.Available <= 0 {
		t.Errorf("%+v", m)
	}
	if m.Load.Others < m.Load.Stolen || m.Load.Others > 1 {
		t.Errorf("load %+v", m.Load)
	}
	if _, err := json.Marshal(m); err != nil {
		t.Error(err)
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

func TestRateOf(t *testing.T) {
	got := rateOf([]float64{4, 1, 100, 3, 2, 5, 6, 7})
	if got != (Rate{PerSecond: 5, Spread: (6.0 - 3) / 5}) {
		t.Errorf("got %+v", got)
	}
	if got := rateOf([]float64{7}); got != (Rate{PerSecond: 7}) {
		t.Errorf("one round: %+v", got)
	}
}

func TestHostFromFiles(t *testing.T) {
	h := ThisHost(files("proc/cpuinfo", "processor : 0\nmodel name\t: Fast 9000\n", "proc/sys/kernel/osrelease", "6.1.0\n"))
	if h.Processor != "Fast 9000" || h.Kernel != "6.1.0" || h.Platform == "" {
		t.Errorf("%+v", h)
	}
}

// What cannot be read is said, and the rest is known nevertheless.
func TestMachineWithoutFiles(t *testing.T) {
	m := machineOf(files(status, "Cpus_allowed_list:\t0-3\n"))
	if m.Cores.Allowed != 4 || len(m.Missing) != 1 || !strings.HasPrefix(m.Missing[0], "control groups: ") {
		t.Errorf("%+v", m)
	}
	if m := machineOf(files()); m.Cores.Allowed < 1 || len(m.Missing) != 2 {
		t.Errorf("without any: %+v", m)
	}
}

// The two ways to list interfaces agree on what both know.
func TestInterfaces(t *testing.T) {
	plain, err := byNet()
	if err != nil {
		t.Skip("SKIPPED: this machine does not list its interfaces: ", err)
	}
	all, err := Interfaces(files("sys/class/net/lo/speed", "-1\n"))
	if len(all) != len(plain) {
		t.Fatalf("%d interfaces, by Go's own library %d (%v)", len(all), len(plain), err)
	}
	for _, is := range all {
		i := slices.IndexFunc(plain, func(p Interface) bool { return p.Name == is.Name })
		if i < 0 || plain[i].MTU != is.MTU || plain[i].Up != is.Up || plain[i].Loopback != is.Loopback || is.Rate != 0 {
			t.Errorf("%+v is not among %+v", is, plain)
		}
		if err == nil && is.Counters == nil {
			t.Errorf("%s has no counters, and no error says why", is.Name)
		}
	}
}

func TestLineRate(t *testing.T) {
	root := files("sys/class/net/a/speed", "25000\n", "sys/class/net/b/speed", "-1\n", "sys/class/net/c/speed", "4294967295\n")
	for name, want := range map[string]int64{"a": 25_000_000_000, "b": 0, "c": 0, "d": 0, "../x": 0} {
		if got := lineRate(root, name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
