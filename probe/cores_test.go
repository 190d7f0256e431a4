package probe

import (
	"testing"
	"testing/fstest"
)

// files makes a file system from names and contents.
func files(pairs ...string) fstest.MapFS {
	root := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		root[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return root
}

const (
	online = "sys/devices/system/cpu/online"
	status = "proc/self/status"
	group  = "proc/self/cgroup"
)

func TestCoresOf(t *testing.T) {
	allowed := "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n"
	for _, c := range []struct {
		name   string
		root   fstest.MapFS
		want   Cores
		usable float64
	}{
		{"affinity", files(online, "0-15\n", status, allowed), Cores{Online: 16, Allowed: 5}, 5},
		{
			"version 2, a group below",
			files(online, "0-15\n", status, allowed, group, "0::/a/b\n",
				"sys/fs/cgroup/a/b/cpu.max", "max 100000\n", "sys/fs/cgroup/a/cpu.max", "250000 100000\n"),
			Cores{Online: 16, Allowed: 5, Quota: 2.5}, 2.5,
		},
		{
			"version 2, a container that does not see its path",
			files(online, "0-15\n", status, allowed, group, "0::/../../host/path\n", "sys/fs/cgroup/cpu.max", "50000 100000\n"),
			Cores{Online: 16, Allowed: 5, Quota: 0.5}, 0.5,
		},
		{
			"version 1, together with other controllers",
			files(online, "0-15\n", status, allowed, group, "4:memory:/m\n3:cpu,cpuacct:/j\n0::/\n",
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
	if got := CoresOf(files()); got.Online < 1 || got.Allowed < 1 || got.Quota != 0 {
		t.Errorf("without files: %+v", got)
	}
}

func TestCount(t *testing.T) {
	for list, want := range map[string]int{
		"0": 1, "0-3": 4, "0-1,4,8-9": 5, " 2 , 3": 2,
		"": 0, "x": 0, "3-1": 0, "-1": 0, "1-": 0, "0-99999999999": 0, "3,1": 0, "0-4,4": 0,
	} {
		if got := count(list); got != want {
			t.Errorf("%q: %d, want %d", list, got, want)
		}
		if got := numbers(list); len(got) != want {
			t.Errorf("%q: numbers %v, want %d", list, got, want)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		name string
		root fstest.MapFS
		want int64
	}{
		{"none", files(), 0},
		{"version 2", files(group, "0::/a\n", "sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/memory.max", "4096\n"), 4096},
		{"version 1", files(group, "2:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "8192\n"), 8192},
		{"version 1, none", files(group, "2:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), 0},
	} {
		if got := memoryLimit(c.root); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestAvailableWithinGroups(t *testing.T) {
	for _, c := range []struct {
		name string
		root fstest.MapFS
		want int64
	}{
		{"none", files(), 1000},
		{"no limit", files(group, "0::/a\n", "sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/a/memory.current", "900\n"), 1000},
		{"version 2, a group above", files(group, "0::/a/b\n", "sys/fs/cgroup/a/memory.max", "600\n", "sys/fs/cgroup/a/memory.current", "200\n"), 400},
		{
			"version 2, files that can be given up",
			files(group, "0::/a\n", "sys/fs/cgroup/a/memory.max", "600\n", "sys/fs/cgroup/a/memory.current", "200\n",
				"sys/fs/cgroup/a/memory.stat", "anon 50\ninactive_file 150\n"),
			550,
		},
		{
			"version 1",
			files(group, "2:memory:/j\n", "sys/fs/cgroup/memory/j/memory.limit_in_bytes", "600\n", "sys/fs/cgroup/memory/j/memory.usage_in_bytes", "500\n",
				"sys/fs/cgroup/memory/j/memory.stat", "inactive_file 1\ntotal_inactive_file 100\n"),
			200,
		},
		{"nothing left", files(group, "0::/\n", "sys/fs/cgroup/memory.max", "600\n", "sys/fs/cgroup/memory.current", "700\n"), 1},
		{"version 1, none", files(group, "2:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), 1000},
	} {
		if got := availableWithin(c.root, 1000); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func FuzzGroups(f *testing.F) {
	f.Add("0::/a/b\n", "100000 100000")
	f.Add("3:cpu,cpuacct:/j\n4:memory:/\n", "max 100000")
	f.Add("::::\n\n0::../..", "1e400 0")
	f.Fuzz(func(t *testing.T, own, limit string) {
		root := files(group, own, "sys/fs/cgroup/cpu.max", limit, "sys/fs/cgroup/memory.max", limit)
		if q := quota(root); !(q >= 0) {
			t.Errorf("quota %g", q)
		}
		if n := memoryLimit(root); n < 0 {
			t.Errorf("limit %d", n)
		}
	})
}
