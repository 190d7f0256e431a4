package probe

import (
	"testing"
	"testing/fstest"

	"github.com/migbsp/migbsp/probe/internal/kernel/kerneltest"
)

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
