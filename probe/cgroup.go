package probe

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A control group can have limits of its own, and is within those of all groups
// above it. In a container the path of the group may be one of the host, which
// is not there: then only the group on top is seen, which is the container's.

// groups are the directories of this process's control groups, from its own
// upwards, in version 1 for a controller, or in version 2 if it is "".
func groups(root fs.FS, controller string) []string {
	own := "/"
	b, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && hasWord(parts[1], controller) {
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

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// quota is how many cores the control groups of this process may use at a
// time, 0 if as many as there are.
func quota(root fs.FS) float64 {
	least := 0.0
	take := func(cores float64) {
		if cores > 0 && (least == 0 || cores < least) {
			least = cores
		}
	}
	for _, dir := range groups(root, "") {
		limit, period, _ := strings.Cut(firstLine(root, dir+"/cpu.max"), " ")
		take(cores(limit, period))
	}
	for _, dir := range groups(root, "cpu") {
		take(cores(firstLine(root, dir+"/cpu.cfs_quota_us"), firstLine(root, dir+"/cpu.cfs_period_us")))
	}
	return least
}

// cores is the quota of time in a period, 0 if there is none.
func cores(quota, period string) float64 {
	q, err := strconv.ParseInt(quota, 10, 64)
	p, err2 := strconv.ParseInt(period, 10, 64)
	if err != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return float64(q) / float64(p)
}

// noLimit is from where on version 1 means that there is no limit.
const noLimit = 1 << 60

// memoryLimit is how many bytes the control groups of this process may have, 0
// if no limit is set.
func memoryLimit(root fs.FS) int64 {
	var files []string
	for _, dir := range groups(root, "") {
		files = append(files, dir+"/memory.max")
	}
	for _, dir := range groups(root, "memory") {
		files = append(files, dir+"/memory.limit_in_bytes")
	}
	var least int64
	for _, file := range files {
		if n, ok := whole(root, file); ok && n > 0 && n < noLimit && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
