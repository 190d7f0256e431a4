package probe

import (
	"io/fs"

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
	m := Memory{Available: AvailableMemory(), Group: memoryLimit(root)}
	m.Space, m.Locked = softLimits()
	if v, err := mem.VirtualMemory(); err == nil {
		m.Total = int64(v.Total)
	}
	return m
}
