package probe

import (
	"io/fs"
	"time"

	"github.com/shirou/gopsutil/v3/mem"

	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// AvailableMemory is the number of bytes that programs can still take on this
// machine without swapping, within the limits of their control groups; 0 if it is
// not known.
func AvailableMemory() int64 {
	v, err := mem.VirtualMemory()
	if err != nil {
		return 0
	}
	return availableWithin(kernel.Root(), int64(v.Available))
}

// availableWithin returns the part of the machine's available memory that the control
// groups of this process allow. If there is any it is at least 1, because 0 means that it
// is not known.
func availableWithin(root fs.FS, available int64) int64 {
	take := func(limit, used int64) {
		if limit > 0 && limit < noLimit && limit-used < available {
			available = max(limit-used, 1)
		}
	}
	for _, dir := range kernel.Groups(root, "") {
		if limit, ok := kernel.Number(root, dir+"/memory.max"); ok {
			take(limit, usedMemory(root, dir+"/memory.current", dir+"/memory.stat", "inactive_file"))
		}
	}
	for _, dir := range kernel.Groups(root, "memory") {
		if limit, ok := kernel.Number(root, dir+"/memory.limit_in_bytes"); ok {
			take(limit, usedMemory(root, dir+"/memory.usage_in_bytes", dir+"/memory.stat", "total_inactive_file"))
		}
	}
	return available
}

// noLimit is the value from which on version 1 of control groups means no limit:
// the kernel writes the largest multiple of a page that it can count.
const noLimit = 1 << 60

// usedMemory returns the memory of a group, without copies of files that it has not used
// lately: the kernel frees these first.
func usedMemory(root fs.FS, usage, stat, spare string) int64 {
	used, _ := kernel.Number(root, usage)
	return max(0, used-kernel.Counters(root, stat)[spare])
}

// FreeMemory reads AvailableMemory at most once a second, because that reads a dozen files.
// The zero value is ready for use.
type FreeMemory struct {
	bytes int64
	at    time.Time
}

// Bytes returns the free memory of this node, -1 if it is not known.
func (m *FreeMemory) Bytes() int64 {
	if m.at.IsZero() || time.Since(m.at) > time.Second {
		m.bytes, m.at = AvailableMemory(), time.Now()
		if m.bytes == 0 {
			m.bytes = -1
		}
	}
	return m.bytes
}

// Unlimited is a limit that is not one.
const Unlimited = -1

// Memory is the memory of a machine, in bytes.
type Memory struct {
	Total     int64 `json:"total"`           // the machine's
	Available int64 `json:"available"`       // without swapping, within limits; see AvailableMemory
	Group     int64 `json:"group,omitempty"` // limit of the control group, 0: none
	Space     int64 `json:"address_space"`   // a process's (ulimit -v), or Unlimited
	Locked    int64 `json:"locked"`          // a process's (ulimit -l), or Unlimited
}

// ThisMemory returns the memory of the machine with these files.
func ThisMemory(root fs.FS) Memory {
	m := Memory{Available: AvailableMemory(), Group: memoryLimit(root)}
	m.Space, m.Locked = softLimits()
	if v, err := mem.VirtualMemory(); err == nil {
		m.Total = int64(v.Total)
	}
	return m
}

// memoryLimit is how many bytes the control groups of this process may have, 0
// if no limit is set.
func memoryLimit(root fs.FS) int64 {
	var files []string
	for _, dir := range kernel.Groups(root, "") {
		files = append(files, dir+"/memory.max")
	}
	for _, dir := range kernel.Groups(root, "memory") {
		files = append(files, dir+"/memory.limit_in_bytes")
	}
	var least int64
	for _, file := range files {
		if n, ok := kernel.Number(root, file); ok && n > 0 && n < noLimit && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
