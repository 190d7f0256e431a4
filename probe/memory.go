// Package probe finds out what the machine gives.
package probe

import (
	"os"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v3/mem"
)

// AvailableMemory is the number of bytes that programs can still take on this
// machine without swapping, within the limit of their control group; 0 if
// nobody says.
func AvailableMemory() int64 {
	v, err := mem.VirtualMemory()
	if err != nil {
		return 0
	}
	available := int64(v.Available)
	for _, group := range [][2]string{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
	} {
		limit, used := number(group[0]), number(group[1])
		if limit > 0 && limit-used < available {
			available = max(limit-used, 1)
		}
	}
	return available
}

// number is the number in a file, 0 if there is none.
func number(file string) int64 {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
