//go:build mpi && cgo

package mpi

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"
)

// directRule is what the environment says of runs and of ordinary memory.
type directRule struct {
	mode   directMode
	attach bool
}

// directMode is the way of runs between nodes.
type directMode int

const (
	directOff    directMode = iota // none: all goes through lanes
	directPieces                   // memory of the heap through pieces of the arena
	directOn                       // all memory is given to the library
)

func directFromEnv() (directRule, error) {
	rule := directRule{directOn, true}
	switch s := os.Getenv("MIGBSP_DIRECT"); s {
	case "", "auto":
		if hasAdapter() {
			rule.mode = directPieces
		}
	case "on":
	case "pieces":
		rule.mode = directPieces
	case "off":
		rule.mode = directOff
	default:
		return rule, fmt.Errorf("mpi: MIGBSP_DIRECT is %q, want auto, on, pieces or off", s)
	}
	switch s := os.Getenv("MIGBSP_ATTACH"); s {
	case "", "on":
	case "off":
		rule.attach = false
	default:
		return rule, fmt.Errorf("mpi: MIGBSP_ATTACH is %q, want on or off", s)
	}
	return rule, nil
}

// adapters are where Linux shows devices with which MPI libraries register memory.
var adapters = []string{
	"/sys/class/infiniband/*", "/sys/class/cxi/*", "/dev/hfi1*", "/dev/kgni*", "/dev/bxi*", "/dev/myri*", "/dev/knem",
}

func hasAdapter() bool {
	for _, pattern := range adapters {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return true
		}
	}
	return false
}

// sendable reports whether the library may have that memory itself. It learns of it when
// memory of the arena is given back, that of blocks too.
func (p *process) sendable(mem []byte) bool {
	if p.direct.mode == directOn {
		return true
	}
	at := unsafe.Pointer(unsafe.SliceData(mem))
	if _, inside := p.arena.place(at); inside {
		return true
	}
	if p.blocks == nil {
		return false
	}
	_, inside := p.blocks.place(at)
	return inside
}

// Attaches implements Attach, as do the next two methods.
func (w *world) Attaches(rank int, r Ref) bool {
	return r&attachRef != 0 && w.process.attached && w.process.reach[rank] != nil && rank != w.rank
}

func (w *world) CopyTo(rank int, r Ref, offset int, data []byte) error {
	return attachCopy(true, w.process.pids[rank], uintptr(r&^attachRef)+uintptr(offset), data)
}

func (w *world) CopyFrom(rank int, r Ref, offset int, data []byte) error {
	return attachCopy(false, w.process.pids[rank], uintptr(r&^attachRef)+uintptr(offset), data)
}

// attachable reports whether this process can copy from and to the memory of another one,
// whose arena begins at that address there, with that key.
func attachable(pid int, address uintptr, key uint64) bool {
	mine := make([]byte, unsafe.Sizeof(key))
	if attachCopy(false, pid, address, mine) != nil || *(*uint64)(unsafe.Pointer(&mine[0])) != key {
		return false
	}
	return attachCopy(true, pid, address, mine) == nil
}
