package probe

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/migbsp/migbsp/probe/internal/kernel/kerneltest"
)

// Counters are read from the files of both versions of control groups. The cores that count are
// those that the process may use; the group that counts is the most throttled one.
func TestContention(t *testing.T) {
	machine := kerneltest.Files(
		"proc/self/stat", "17 (a (b) c) R 1 1 1 0 -1 4194304 99 0 0 0 150 50 7 7 20 0 1 0 5 1 1\n",
		kerneltest.Status, "Name:\tx\nCpus_allowed_list:\t1-2\n",
		"proc/thread-self/schedstat", "1000 2500000000 9\n",
		"proc/self/task/17/schedstat", "1000 2500000000 9\n",
		"proc/self/task/18/schedstat", "1000 500000000 9\n",
		kerneltest.Group, "1:cpu,cpuacct:/a/b\n",
		"sys/fs/cgroup/cpu/a/cpu.stat", "nr_periods 5\nnr_throttled 2\nthrottled_time 2000000000\n",
		"sys/fs/cgroup/cpu/a/b/cpu.stat", "nr_periods 5\nnr_throttled 2\nthrottled_time 1000000000\n",
		"proc/stat", "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 0 0 0 0 0 0 300 0 0\n"+
			"cpu1 100 10 20 500 7 3 4 60 0 0\ncpu2 200 0 0 900 0 0 0 40 0 0\nintr 1\n",
	)
	want := Contention{Delay: 2.5, Throttled: 2, Stolen: 0.5, Own: 2, Busy: 3.37}
	if got := ContentionOf(machine, false); !near(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	want.Delay = 3
	if got := ContentionOf(machine, true); !near(got, want) {
		t.Errorf("all threads: %+v, want %+v", got, want)
	}
	if got, want := want.Since(Contention{Delay: 1, Own: 5}), (Contention{Delay: 2, Throttled: 2, Stolen: 0.5, Busy: 3.37}); !near(got, want) {
		t.Errorf("since then %+v, want %+v", got, want)
	}
	version2 := kerneltest.Files(
		kerneltest.Group, "0::/x\n", "sys/fs/cgroup/x/cpu.stat", "usage_usec 5\nthrottled_usec 250000\n",
		"proc/stat", "cpu\ngarbage", "proc/self/stat", "17", "proc/thread-self/schedstat", "0 -5",
	)
	if got, want := ContentionOf(version2, false), (Contention{Throttled: 0.25}); !near(got, want) {
		t.Errorf("version 2: %+v, want %+v", got, want)
	}
	if got := ContentionOf(kerneltest.Files(), true); got != (Contention{}) {
		t.Errorf("without files %+v", got)
	}
}

func near(a, b Contention) bool {
	for _, d := range []float64{a.Delay - b.Delay, a.Throttled - b.Throttled, a.Stolen - b.Stolen, a.Own - b.Own, a.Busy - b.Busy} {
		if math.Abs(d) > 1e-9 {
			return false
		}
	}
	return true
}

// This machine's counters only grow while the process computes.
func TestContentionOfThisMachine(t *testing.T) {
	first := MeasureContention(true)
	kept := 0.0
	for range 100 {
		kept += dependent(kept)
	}
	if now := MeasureContention(true); now.Own < first.Own || now.Busy < first.Busy {
		t.Errorf("%+v after %+v (%g)", now, first, kept)
	}
	if CoresKey() != CoresKey() || ProcessKey() == 0 {
		t.Error("keys change")
	}
}

func TestCoresOf(t *testing.T) {
	allowed := "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n"
	for _, c := range []struct {
		name   string
		root   fstest.MapFS
		want   Cores
		usable float64
	}{
		{"affinity", kerneltest.Files(kerneltest.Online, "0-15\n", kerneltest.Status, allowed), Cores{Online: 16, Allowed: 5}, 5},
		{
			"version 2, a group below",
			kerneltest.Files(kerneltest.Online, "0-15\n", kerneltest.Status, allowed, kerneltest.Group, "0::/a/b\n",
				"sys/fs/cgroup/a/b/cpu.max", "max 100000\n", "sys/fs/cgroup/a/cpu.max", "250000 100000\n"),
			Cores{Online: 16, Allowed: 5, Quota: 2.5}, 2.5,
		},
		{
			"version 2, a container that does not see its path",
			kerneltest.Files(kerneltest.Online, "0-15\n", kerneltest.Status, allowed, kerneltest.Group, "0::/../../host/path\n", "sys/fs/cgroup/cpu.max", "50000 100000\n"),
			Cores{Online: 16, Allowed: 5, Quota: 0.5}, 0.5,
		},
		{
			"version 1, together with other controllers",
			kerneltest.Files(kerneltest.Online, "0-15\n", kerneltest.Status, allowed, kerneltest.Group, "4:memory:/m\n3:cpu,cpuacct:/j\n0::/\n",
				"sys/fs/cgroup/cpu/j/cpu.cfs_quota_us", "800000\n", "sys/fs/cgroup/cpu/j/cpu.cfs_period_us", "100000\n",
				"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
			Cores{Online: 16, Allowed: 5, Quota: 8}, 5,
		},
	} {
		got := CoresOf(c.root)
		if got != c.want || got.Usable() != c.usable {
			t.Errorf("%s: got %+v, %g usable, want %+v, %g", c.name, got, got.Usable(), c.want, c.usable)
		}
	}
	if got := CoresOf(kerneltest.Files()); got.Online < 1 || got.Allowed < 1 || got.Quota != 0 {
		t.Errorf("without files: %+v", got)
	}
}

func FuzzGroups(f *testing.F) {
	f.Add("0::/a/b\n", "100000 100000")
	f.Add("3:cpu,cpuacct:/j\n4:memory:/\n", "max 100000")
	f.Add("::::\n\n0::../..", "1e400 0")
	f.Fuzz(func(t *testing.T, own, limit string) {
		root := kerneltest.Files(kerneltest.Group, own, "sys/fs/cgroup/cpu.max", limit, "sys/fs/cgroup/memory.max", limit)
		if q := quota(root); !(q >= 0) {
			t.Errorf("quota %g", q)
		}
		if n := memoryLimit(root); n < 0 {
			t.Errorf("limit %d", n)
		}
	})
}

func TestMemoryOfGroups(t *testing.T) {
	for _, c := range []struct {
		name             string
		root             fstest.MapFS
		limit, available int64
	}{
		{"none", kerneltest.Files(), 0, 1000},
		{"no limit", kerneltest.Files(kerneltest.Group, "0::/a\n", "sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/a/memory.current", "900\n"), 0, 1000},
		{"version 2, a group above", kerneltest.Files(kerneltest.Group, "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max", "max\n",
			"sys/fs/cgroup/a/memory.max", "600\n", "sys/fs/cgroup/a/memory.current", "200\n"), 600, 400},
		{"version 2, files that can be given up", kerneltest.Files(kerneltest.Group, "0::/a\n", "sys/fs/cgroup/a/memory.max", "600\n",
			"sys/fs/cgroup/a/memory.current", "200\n", "sys/fs/cgroup/a/memory.stat", "anon 50\ninactive_file 150\n"), 600, 550},
		{"version 1", kerneltest.Files(kerneltest.Group, "2:memory:/j\n", "sys/fs/cgroup/memory/j/memory.limit_in_bytes", "600\n", "sys/fs/cgroup/memory/j/memory.usage_in_bytes", "500\n",
			"sys/fs/cgroup/memory/j/memory.stat", "inactive_file 1\ntotal_inactive_file 100\n"), 600, 200},
		{"nothing left", kerneltest.Files(kerneltest.Group, "0::/\n", "sys/fs/cgroup/memory.max", "600\n", "sys/fs/cgroup/memory.current", "700\n"), 600, 1},
		{"version 1, none", kerneltest.Files(kerneltest.Group, "2:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), 0, 1000},
	} {
		if limit, available := memoryLimit(c.root), availableWithin(c.root, 1000); limit != c.limit || available != c.available {
			t.Errorf("%s: limit %d, available %d, want %d and %d", c.name, limit, available, c.limit, c.available)
		}
	}
}

func TestQuickSpeedIsThatOfIndependentSteps(t *testing.T) {
	quick, whole := QuickSpeed(), MeasureSpeed().Independent.PerSecond
	if !(quick > whole/4 && quick < 4*whole) {
		t.Errorf("%g steps per second, and %g when measured with the rest", quick, whole)
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
