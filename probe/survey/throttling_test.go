package survey

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/migbsp/migbsp/probe/internal/kernel/kerneltest"
)

func TestThrottling(t *testing.T) {
	const (
		version1 = "nr_periods 10\nnr_throttled 4\nthrottled_time 2500000000\nnr_bursts 0\n"
		version2 = "usage_usec 77\nnr_periods 20\nnr_throttled 5\nthrottled_usec 1500000\n"
		noQuota  = "usage_usec 77\nuser_usec 7\n"
	)
	for _, c := range []struct {
		name string
		root fstest.MapFS
		want *Throttling
	}{
		{"no files", kerneltest.Files(), nil},
		{"version 1", kerneltest.Files(kerneltest.Group, "1:cpu,cpuacct:/j\n", "sys/fs/cgroup/cpu/j/cpu.stat", version1), &Throttling{10, 4, 2.5}},
		{"version 2", kerneltest.Files(kerneltest.Group, "0::/j\n", "sys/fs/cgroup/j/cpu.stat", version2), &Throttling{20, 5, 1.5}},
		{"version 2, no quota can be set", kerneltest.Files(kerneltest.Group, "0::/\n", "sys/fs/cgroup/cpu.stat", noQuota), nil},
		{
			"the group above waits for longer",
			kerneltest.Files(kerneltest.Group, "1:cpu:/a/b\n", "sys/fs/cgroup/cpu/a/b/cpu.stat", "nr_periods 30\nnr_throttled 0\nthrottled_time 0\n", "sys/fs/cgroup/cpu/a/cpu.stat", version1),
			&Throttling{10, 4, 2.5},
		},
		{"numbers that are none", kerneltest.Files(kerneltest.Group, "0::/\n", "sys/fs/cgroup/cpu.stat", "nr_periods x\nnr_throttled -3\nthrottled_usec\n"), nil},
	} {
		got := throttledGroups(c.root).worst(nil)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestThrottlingBetweenLooks(t *testing.T) {
	before := throttled{"a": {Periods: 10, Throttled: 4, Time: 2}, "b": {Periods: 10, Throttled: 9, Time: 9}}
	after := throttled{"a": {Periods: 14, Throttled: 6, Time: 2.5}, "b": {Periods: 11, Throttled: 9, Time: 9}}
	if got := after.worst(before); *got != (Throttling{4, 2, 0.5}) {
		t.Errorf("%+v", got)
	}
	// A group of the same name that was made anew in between counts from 0.
	if got := (throttled{"b": {Periods: 1}}).worst(before); *got != (Throttling{}) {
		t.Errorf("made anew: %+v", got)
	}
}

func FuzzThrottling(f *testing.F) {
	f.Add("nr_periods 10\nnr_throttled 4\nthrottled_time 2500000000\n")
	f.Add("nr_periods 9223372036854775807\nthrottled_usec 9223372036854775807")
	f.Add(" nr_periods\n\n x y z\nnr_periods -1")
	f.Fuzz(func(t *testing.T, text string) {
		got := throttledGroups(kerneltest.Files(kerneltest.Group, "0::/\n", "sys/fs/cgroup/cpu.stat", text)).worst(nil)
		if got != nil && !(got.Periods >= 0 && got.Throttled >= 0 && got.Time >= 0 && !math.IsInf(got.Time, 0)) {
			t.Errorf("%+v", got)
		}
	})
}
