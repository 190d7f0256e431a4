package kernel

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Groups returns the directories of this process's control groups, from its own
// upwards: in version 1 for a controller, or in version 2 if it is "".
//
// A group can have limits of its own, and the limits of all groups above it hold too. In a
// container the path of the group may be the host's, which does not exist here: then only
// the top group is seen, which is the container's.
func Groups(root fs.FS, controller string) []string {
	own := "/"
	b, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && slices.Contains(strings.Split(parts[1], ","), controller) {
			own = path.Clean("/" + parts[2])
		}
	}
	var dirs []string
	for ; ; own = path.Dir(own) {
		dirs = append(dirs, path.Join("sys/fs/cgroup", controller, own))
		if own == "/" {
			return dirs
		}
	}
}

// CPUCounters returns the counters of processor time of this process's control groups, of
// versions 1 and 2, by directory.
func CPUCounters(root fs.FS) map[string]map[string]int64 {
	all := make(map[string]map[string]int64)
	for _, controller := range []string{"", "cpu"} {
		for _, dir := range Groups(root, controller) {
			all[dir] = Counters(root, dir+"/cpu.stat")
		}
	}
	return all
}

// Throttled returns, of such counters, the seconds for which cores were kept from the group because its
// quota was used up. Versions 1 and 2 count them under different names.
func Throttled(counters map[string]int64) float64 {
	return float64(counters["throttled_usec"])/1e6 + float64(counters["throttled_time"])/1e9
}
