// Package probe finds out what the machine gives, and, with the ranks of a run,
// what all its machines and the ways between them give: see TakeSurvey.
package probe

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v3/mem"
)

// AvailableMemory is the number of bytes that programs can still take on this
// machine without swapping, within the limits of their control groups; 0 if
// nobody says.
func AvailableMemory() int64 {
	v, err := mem.VirtualMemory()
	if err != nil {
		return 0
	}
	return availableWithin(Root(), int64(v.Available))
}

// availableWithin is what the control groups of this process leave of what the
// machine has available, and never nothing of something.
func availableWithin(root fs.FS, available int64) int64 {
	take := func(limit, used int64) {
		if limit > 0 && limit < noLimit && limit-used < available {
			available = max(limit-used, 1)
		}
	}
	for _, dir := range groups(root, "") {
		if limit, ok := whole(root, dir+"/memory.max"); ok {
			take(limit, usedMemory(root, dir+"/memory.current", dir+"/memory.stat", "inactive_file"))
		}
	}
	for _, dir := range groups(root, "memory") {
		if limit, ok := whole(root, dir+"/memory.limit_in_bytes"); ok {
			take(limit, usedMemory(root, dir+"/memory.usage_in_bytes", dir+"/memory.stat", "total_inactive_file"))
		}
	}
	return available
}

// usedMemory is what a group has, without copies of files that it has not used
// lately, which the kernel gives up first.
func usedMemory(root fs.FS, usage, stat, spare string) int64 {
	used, _ := whole(root, usage)
	b, err := fs.ReadFile(root, stat)
	if err != nil {
		return used
	}
	for line := range strings.Lines(string(b)) {
		if key, text, _ := strings.Cut(strings.TrimSpace(line), " "); key == spare {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
				used = max(0, used-n)
			}
		}
	}
	return used
}
