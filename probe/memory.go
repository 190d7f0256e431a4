package probe

import (
	"cmp"
	"io/fs"
	"iter"
	"time"

	"github.com/shirou/gopsutil/v3/mem"

	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// AvailableMemory returns the number of bytes that programs can still take on this
// machine without swapping, within the limits of their control groups; 0 if it is
// not known.
func AvailableMemory() int64 {
	v, err := mem.VirtualMemory()
	if err != nil {
		return 0
	}
	return availableWithin(kernel.Root(), int64(v.Available))
}

// availableWithin returns the part of the machine's available memory that the control groups of
// this process allow. If any is left the result is at least 1, because 0 means that it is not
// known.
func availableWithin(root fs.FS, available int64) int64 {
	for limit, used := range memoryGroups(root) {
		if limit-used < available {
			available = max(limit-used, 1)
		}
	}
	return available
}

// memoryGroups yields the limit of each control group of this process that has one, and the
// memory that the group uses.
func memoryGroups(root fs.FS) iter.Seq2[int64, int64] {
	return func(yield func(limit, used int64) bool) {
		for _, version := range []struct{ controller, limit, usage, spare string }{
			{"", "/memory.max", "/memory.current", "inactive_file"},
			{"memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"},
		} {
			for _, dir := range kernel.Groups(root, version.controller) {
				limit, ok := kernel.Number(root, dir+version.limit)
				if !ok || limit <= 0 || limit >= noLimit {
					continue
				}
				// The kernel first frees copies of files that the group has not used lately.
				used, _ := kernel.Number(root, dir+version.usage)
				if !yield(limit, max(0, used-kernel.Counters(root, dir+"/memory.stat")[version.spare])) {
					return
				}
			}
		}
	}
}

// noLimit is the least value that means no limit in version 1 of control groups: the kernel writes
// the largest multiple of a page that it can count.
const noLimit = 1 << 60

// FreeMemory reads AvailableMemory at most once a second, because that reads a dozen files.
// The zero value is ready for use.
type FreeMemory struct{ known known[int64] }

// Bytes returns the free memory of this node, -1 if it is not known.
func (m *FreeMemory) Bytes() int64 {
	return m.known.get(func() int64 { return cmp.Or(AvailableMemory(), -1) })
}

// known is a value that is looked up at most once a second.
type known[T any] struct {
	value T
	at    time.Time
}

func (k *known[T]) get(lookUp func() T) T {
	if k.at.IsZero() || time.Since(k.at) > time.Second {
		k.value, k.at = lookUp(), time.Now()
	}
	return k.value
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

// memoryLimit returns the number of bytes that the control groups of this process may have, 0 if no
// limit is set.
func memoryLimit(root fs.FS) int64 {
	var least int64
	for limit := range memoryGroups(root) {
		if least == 0 || limit < least {
			least = limit
		}
	}
	return least
}
