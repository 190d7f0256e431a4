//go:build linux

package cgroup

import (
	"slices"
	"testing"
	"time"
)

const (
	root     = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
	version2 = "31 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	version1 = `30 23 0:25 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
31 23 0:26 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset
32 23 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd
33 23 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
`
)

// Controllers are named in the options of the file system, the last field.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, mounts string
		version      int
		roots        []string
	}{
		{"version 2", root + version2, 2, []string{"/sys/fs/cgroup"}},
		{"version 1", root + version1, 1, []string{"/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpuset"}},
	} {
		tree, err := find("x", c.mounts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if tree.Version() != c.version || !slices.Equal(tree.roots(), c.roots) {
			t.Errorf("%s: version %d in %v", c.name, tree.Version(), tree.roots())
		}
	}
	for _, mounts := range []string{"", root, root + "31 23 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" + version2} {
		if tree, err := find("x", mounts); err == nil {
			t.Errorf("%q: found %+v", mounts, tree)
		}
	}
}

func TestPeriod(t *testing.T) {
	for speed, want := range map[float64]time.Duration{0.5: 2 * time.Millisecond, 0.3: 3333 * time.Microsecond, 0.01: 100 * time.Millisecond} {
		if got := new(Group).Period(speed); got != want {
			t.Errorf("at %g a period is %v, want %v", speed, got, want)
		}
	}
}
