package probe

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/migbsp/migbsp/probe/internal/kernel/kerneltest"
)

func TestMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		name string
		root fstest.MapFS
		want int64
	}{
		{"none", kerneltest.Files(), 0},
		{"version 2", kerneltest.Files(kerneltest.Group, "0::/a\n", "sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/memory.max", "4096\n"), 4096},
		{"version 1", kerneltest.Files(kerneltest.Group, "2:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "8192\n"), 8192},
		{"version 1, none", kerneltest.Files(kerneltest.Group, "2:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), 0},
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
		{"none", kerneltest.Files(), 1000},
		{"no limit", kerneltest.Files(kerneltest.Group, "0::/a\n", "sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/a/memory.current", "900\n"), 1000},
		{"version 2, a group above", kerneltest.Files(kerneltest.Group, "0::/a/b\n", "sys/fs/cgroup/a/memory.max", "600\n", "sys/fs/cgroup/a/memory.current", "200\n"), 400},
		{
			"version 2, files that can be given up",
			kerneltest.Files(kerneltest.Group, "0::/a\n", "sys/fs/cgroup/a/memory.max", "600\n", "sys/fs/cgroup/a/memory.current", "200\n",
				"sys/fs/cgroup/a/memory.stat", "anon 50\ninactive_file 150\n"),
			550,
		},
		{
			"version 1",
			kerneltest.Files(kerneltest.Group, "2:memory:/j\n", "sys/fs/cgroup/memory/j/memory.limit_in_bytes", "600\n", "sys/fs/cgroup/memory/j/memory.usage_in_bytes", "500\n",
				"sys/fs/cgroup/memory/j/memory.stat", "inactive_file 1\ntotal_inactive_file 100\n"),
			200,
		},
		{"nothing left", kerneltest.Files(kerneltest.Group, "0::/\n", "sys/fs/cgroup/memory.max", "600\n", "sys/fs/cgroup/memory.current", "700\n"), 1},
		{"version 1, none", kerneltest.Files(kerneltest.Group, "2:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), 1000},
	} {
		if got := availableWithin(c.root, 1000); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestFreeMemoryIsLookedUpOnceASecond(t *testing.T) {
	var m FreeMemory
	if got := m.Bytes(); got == 0 {
		t.Error("free memory of 0 bytes: unknown is -1")
	}
	m.bytes = 7
	if got := m.Bytes(); got != 7 {
		t.Errorf("%d bytes, looked up again at once", got)
	}
	m.at = m.at.Add(-2 * time.Second)
	if got := m.Bytes(); got == 7 {
		t.Error("2 s later it is not looked up again")
	}
}
