package stream

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Handles makes the codec of states encode a process's Areas and Queues as numbers.
type Handles struct{ Process *Process }

var areaType, queueType = reflect.TypeFor[*Area](), reflect.TypeFor[*Queue]()

// Is reports whether t is a struct with a pointer to an Area or a Queue as its only field.
func (Handles) Is(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() != 1 {
		return false
	}
	held := t.Field(0).Type
	return held == areaType || held == queueType
}

// The number of a handle is 0 for none, else kind, popped and slot.
const (
	areaHandle      = 1
	queueHandle     = 2
	handleKinds     = 1<<8 - 1
	handlePopped    = 1 << 8
	handleSlotShift = 16
)

// Encode encodes a handle as a number.
func (h Handles) Encode(t reflect.Type, at unsafe.Pointer) (uint64, error) {
	if t.Field(0).Type == queueType {
		q := *(**Queue)(at)
		if q == nil {
			return 0, nil
		}
		return queueHandle | uint64(q.Slot)<<handleSlotShift, h.owns(q.Process)
	}
	a := *(**Area)(at)
	if a == nil {
		return 0, nil
	}
	number := areaHandle | uint64(a.Slot)<<handleSlotShift
	if a.Dead {
		number |= handlePopped
	}
	return number, h.owns(a.Process)
}

func (h Handles) owns(p *Process) error {
	if p != h.Process {
		return fmt.Errorf("it belongs to process %d", p.Pid)
	}
	return nil
}

// Decode decodes a number to a handle.
func (h Handles) Decode(_ reflect.Type, at unsafe.Pointer, number uint64) error {
	slot, p := int(number>>handleSlotShift), h.Process
	switch kind := number & handleKinds; {
	case number == 0:
	case number&handlePopped != 0:
		*(**Area)(at) = &Area{Process: p, Slot: slot, Popped: true, Dead: true, MadeAt: "an earlier stage"}
	case kind == areaHandle && slot < len(p.Areas) && p.Areas[slot] != nil:
		*(**Area)(at) = p.Areas[slot]
	case kind == queueHandle && slot < len(p.Queues):
		*(**Queue)(at) = p.Queues[slot]
	default:
		return fmt.Errorf("there is no handle of number %#x", number)
	}
	return nil
}
