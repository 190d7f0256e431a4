//go:build cgo && linux && (amd64 || arm64)

package cbsp

/*
#include "process.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
)

// Each process sends the registrations, deregistrations and tag sizes of a superstep to all others
// as a statement, in a message of the engine. Before the program's next superstep begins, all
// processes compare the same statements, and find the registrations that are meant. Then they make
// the areas, in a superstep of the engine that the program does not see.

// statement lists the registrations, deregistrations and tag sizes of a process in a superstep.
type statement struct {
	pushed  []int64 // sizes; -1 for NULL
	at      []int64 // and addresses, if the program reads areas of others at once
	popped  []int64 // ids; -1 for NULL
	tagSets int64
	tag     int64
	leaves  int64
}

// state sends the process's statement to all, unless it is empty.
func (r *runner) state() {
	c := r.c
	if c.nacts == 0 && c.tagSets == 0 && c.leaves == 0 {
		return
	}
	words := []int64{0, int64(c.tagSets), int64(c.tagNext), int64(c.leaves)}
	var at []int64
	acts := unsafe.Slice(c.acts, int(c.nacts))
	for _, a := range acts {
		if a.pop != 0 {
			continue
		}
		x := r.registration(int64(a.id))
		size := int64(x.size)
		if x.address == nil {
			size = -1
		}
		words[0]++
		words = append(words, size)
		if C.migbsp_directs != 0 {
			at = append(at, int64(uintptr(x.address)))
		}
	}
	words = append(words, at...)
	for _, a := range acts {
		if a.pop != 0 {
			words = append(words, int64(a.id))
		}
	}
	text := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	for pid := range r.b.NProcs() {
		r.s.Talk.Send(pid, uint64(r.s.Pid), text...)
	}
}

// registration returns the process's registration of an id, nil if it has none.
func (r *runner) registration(id int64) *C.registration {
	regs := unsafe.Slice(r.c.regs, int(r.c.nregs))
	i, found := slices.BinarySearchFunc(regs, id, func(x C.registration, id int64) int { return int(int64(x.id) - id) })
	if !found {
		return nil
	}
	return &regs[i]
}

// statements returns the statements of all processes, by pid.
func (r *runner) statements() []statement {
	all := make([]statement, r.b.NProcs())
	for tag, text := range r.s.Talk.All() {
		words := slices.Clone(unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(text))), len(text)/8))
		x := statement{tagSets: words[1], tag: words[2], leaves: words[3]}
		x.pushed, x.popped = words[4:4+words[0]], words[4+words[0]:]
		if C.migbsp_directs != 0 {
			x.at, x.popped = x.popped[:words[0]], x.popped[words[0]:]
		}
		all[tag] = x
	}
	return all
}

// agree carries out the processes' statements if they match. If they do not, it returns the error
// to the process if that asks for codes, and otherwise ends the run.
func (r *runner) agree(all []statement) {
	r.at(int(r.c.syncs))
	popped, code, why := compare(all)
	if code == 0 && slices.Contains(popped, -1) {
		code, why = r.nowhere(all, popped)
	}
	switch {
	case code != 0 && r.c.coded != 0:
		r.c.code = code
		text := unsafe.Slice((*byte)(unsafe.Pointer(&r.c.text[0])), len(r.c.text))
		text[copy(text[:len(text)-1], why)] = 0
		return
	case code != 0:
		r.b.Abort("%s", why)
	}
	r.push(all)
	for _, id := range popped {
		r.pop(id)
	}
	if len(all[0].pushed)+len(popped) > 0 {
		r.sync()
	}
}

// nowhere returns an error if NULL is popped on all processes more often than it was pushed on all.
func (r *runner) nowhere(all []statement, popped []int64) (code C.int64_t, why string) {
	why = "NULL was never registered"
	left := 0
	for _, x := range unsafe.Slice(r.c.regs, int(r.c.nregs)) {
		if x.address != nil || x.popped != 0 {
			continue
		}
		why = "could not find a matching regisration (bsp_push_reg)"
		if x.nowhere != 0 {
			left++
		}
	}
	for i := range all[0].pushed {
		if !slices.ContainsFunc(all, func(x statement) bool { return x.pushed[i] >= 0 }) {
			left++
		}
	}
	for _, id := range popped {
		if id < 0 {
			left--
		}
	}
	if left < 0 {
		return C.MIGBSP_POPS_DIFFER, "bsp_sync/bsp_pop_reg: Tried to deregister NULL on all processes, but " + why
	}
	return 0, ""
}

// compare returns the registrations to pop, or an error if the statements do not match.
func compare(all []statement) (popped []int64, code C.int64_t, why string) {
	first := all[0]
	popped = slices.Repeat([]int64{-1}, len(first.popped))
	for _, x := range all {
		if x.leaves != first.leaves {
			return nil, C.MIGBSP_LEFT, "bsp_sync: Some processes have left"
		}
	}
	for pid, x := range all {
		if len(x.pushed) != len(first.pushed) {
			return nil, C.MIGBSP_PUSHES_DIFFER, fmt.Sprintf("bsp_sync/bsp_push_reg: Not all processes registered the same number of memory blocks. For example, process 0 registered %d blocks, while process %d registered %d",
				len(first.pushed), pid, len(x.pushed))
		}
	}
	for pid, x := range all {
		if len(x.popped) != len(popped) {
			return nil, C.MIGBSP_POPS_DIFFER, fmt.Sprintf("bsp_sync/bsp_pop_reg: Not all processes popped the same number of memory blocks. For example, process 0 popped %d blocks, while process %d popped %d",
				len(first.popped), pid, len(x.popped))
		}
		for i, id := range x.popped {
			if id >= 0 && popped[i] >= 0 && popped[i] != id {
				return nil, C.MIGBSP_POPS_DIFFER, fmt.Sprintf("bsp_sync/bsp_pop_reg: Processes 0 and %d did not pop the same memory registration", pid)
			}
			popped[i] = max(popped[i], id)
		}
	}
	for pid, x := range all {
		if x.tagSets != first.tagSets {
			return nil, C.MIGBSP_TAGS_DIFFER, "bsp_sync/bsp_set_tagsize: Not all processes set the tag size same number of times"
		}
		if x.tag != first.tag && x.tagSets > 0 {
			return nil, C.MIGBSP_TAGS_DIFFER, fmt.Sprintf("bsp_sync/bsp_set_tagsize: Not all processes announced the same tag size: process 0 %d bytes, process %d %d bytes", first.tag, pid, x.tag)
		}
	}
	return popped, 0, ""
}

// push makes the areas of registrations.
func (r *runner) push(all []statement) {
	id := int64(r.c.pushed) - int64(len(all[0].pushed))
	for i := range all[0].pushed {
		x := r.registration(id + int64(i))
		sizes := unsafe.Slice(x.sizes, len(all))
		x.nowhere = 1
		for pid := range all {
			size := all[pid].pushed[i]
			if size >= 0 {
				x.nowhere = 0
			}
			sizes[pid] = C.int64_t(max(0, size))
		}
		if C.migbsp_directs != 0 {
			addresses := unsafe.Slice((*C.int64_t)(unsafe.Add(unsafe.Pointer(x.sizes), 8*len(all))), len(all))
			for pid := range all {
				addresses[pid] = C.int64_t(all[pid].at[i])
			}
		}
		r.addArea(x, bsplib.Register(r.b, unsafe.Slice((*byte)(x.address), int(x.size))))
	}
}

// addArea adds the area of a registration.
func (r *runner) addArea(x *C.registration, made bsplib.Area[byte]) {
	s := r.s
	if n := len(s.Free); n > 0 {
		x.area = C.int64_t(s.Free[n-1])
		s.Free = s.Free[:n-1]
		s.Areas[x.area] = areaOf(made)
		return
	}
	x.area = C.int64_t(len(s.Areas))
	s.Areas = append(s.Areas, areaOf(made))
}

// pop ends a registration. -1 stands for the oldest registration that is NULL on all processes.
func (r *runner) pop(id int64) {
	x := r.registration(id)
	if id < 0 {
		regs := unsafe.Slice(r.c.regs, int(r.c.nregs))
		x = &regs[slices.IndexFunc(regs, func(x C.registration) bool { return x.popped == 0 && x.nowhere != 0 })]
	}
	if x == nil {
		r.b.Abort("bsp_sync/bsp_pop_reg: registration %d is not known", id)
	}
	x.popped = 1
	r.s.Areas[x.area].bsp.Pop()
	r.s.Free = append(r.s.Free, int(x.area))
}
