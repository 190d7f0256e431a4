package probe

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v3/mem"
)

// Unlimited is a limit that is not one.
const Unlimited = -1

// Memory says how much memory there is. Sizes are bytes.
type Memory struct {
	Total     int64 `json:"total"`           // the machine's
	Available int64 `json:"available"`       // without swapping, within limits; see AvailableMemory
	Group     int64 `json:"group,omitempty"` // limit of the control group, 0: none
	Space     int64 `json:"address_space"`   // a process's (ulimit -v), or Unlimited
	Locked    int64 `json:"locked"`          // a process's (ulimit -l), or Unlimited
}

// ThisMemory is that of this machine, which has these files.
func ThisMemory(root fs.FS) Memory {
	m := Memory{
		Available: AvailableMemory(), Group: memoryLimit(root),
		Space: limit(root, "Max address space"), Locked: limit(root, "Max locked memory"),
	}
	if v, err := mem.VirtualMemory(); err == nil {
		m.Total = int64(v.Total)
	}
	return m
}

// limit is a soft limit of this process.
func limit(root fs.FS, name string) int64 {
	b, err := fs.ReadFile(root, "proc/self/limits")
	if err != nil {
		return Unlimited
	}
	for line := range strings.Lines(string(b)) {
		rest, found := strings.CutPrefix(line, name)
		if words := strings.Fields(rest); found && len(words) > 0 {
			if n, err := strconv.ParseInt(words[0], 10, 64); err == nil {
				return n
			}
		}
	}
	return Unlimited
}
