package bsplib

import (
	"fmt"
	"reflect"
	"unsafe"
)

// handle is what a program's Area or Queue points to: a process's slot. Within
// a state that travels it is a number, kind and slot.
type handle struct {
	proc *Proc
	slot int
	kind handleKind
}

type handleKind uint8

const (
	areaHandle handleKind = iota + 1
	queueHandle
)

// handles tells the codec of states how process p's handles travel.
type handles struct{ p *Proc }

// Is finds Areas and Queues: structs of a pointer to something that begins with
// a handle.
func (handles) Is(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() != 1 {
		return false
	}
	held := t.Field(0).Type
	return held == reflect.TypeFor[*area]() || held == reflect.TypeFor[*queue]()
}

// The number of a handle is 0 for none, else slot, popped and kind.
const (
	handlePopped    = 1 << 8
	handleSlotShift = 16
)

func (h handles) Encode(_ reflect.Type, at unsafe.Pointer) (uint64, error) {
	held := *(**handle)(at)
	if held == nil {
		return 0, nil
	}
	if held.proc != h.p {
		return 0, fmt.Errorf("it belongs to process %d", held.proc.pid)
	}
	number := uint64(held.kind) | uint64(held.slot)<<handleSlotShift
	if held.kind == areaHandle && (*area)(unsafe.Pointer(held)).dead {
		number |= handlePopped
	}
	return number, nil
}

func (h handles) Decode(_ reflect.Type, at unsafe.Pointer, number uint64) error {
	slot := int(number >> handleSlotShift)
	switch kind := handleKind(number); {
	case number == 0:
	case number&handlePopped != 0:
		*(**area)(at) = &area{handle: handle{proc: h.p, slot: slot, kind: areaHandle}, popped: true, dead: true, madeAt: "an earlier stage"}
	case kind == areaHandle && slot < len(h.p.areas) && h.p.areas[slot] != nil:
		*(**area)(at) = h.p.areas[slot]
	case kind == queueHandle && slot < len(h.p.queues):
		*(**queue)(at) = h.p.queues[slot]
	default:
		return fmt.Errorf("there is no handle of number %#x", number)
	}
	return nil
}
