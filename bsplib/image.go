package bsplib

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// processImage is a process on its way to another rank, but for the large parts of
// its state, which travel by themselves.
type processImage struct {
	Pid      int
	At       position
	Skeleton []byte
	Areas    []areaImage // by slot
	Free     []int       // slots, in the order in which they will be used
	Queues   []queueImage
	Refused  string  // what MigrateError says
	Load     float64 // what the program has said of its load
	Fixed    []Range // memory that stays at its addresses, as the last spans
}

type areaImage struct {
	Taken bool // there is an area in the slot
	Owned bool // its memory is the engine's
	Count int
	Elem  int
	Kept  int // elements that come along, the others are zero
	Types uint64
	Made  string
	Base  uint64 // where it lies, if it stays at its address
}

type queueImage struct {
	TagBytes int
	Runs     []stream.Packed
}

// imagePlan is how images become bytes.
var imagePlan = sync.OnceValue(func() *state.Plan {
	plan, err := state.PlanFor(reflect.TypeFor[processImage](), nil)
	if err != nil {
		panic(err)
	}
	return plan
})

// memories are the process's areas, as parts of its state: those that Alloc
// made, and what it registered.
func (p *Proc) memories() (allocated []state.Memory, registered [][]byte) {
	for slot, a := range p.data.Areas {
		switch {
		case a == nil || a.Count == 0:
		case a.Owned:
			allocated = append(allocated, state.Memory{Base: a.Base, Bytes: a.Count * a.Elem, Kept: a.Kept * a.Elem, Number: uint64(slot)})
		case p.rank.program.fixed != nil: // a part of that
		default:
			registered = append(registered, unsafe.Slice((*byte)(a.Base), a.Bytes())[:a.Kept*a.Elem])
		}
	}
	return allocated, registered
}

// image is the process's state as it would travel now.
func (p *Proc) image() (state.Image, error) {
	plan, err := p.rank.program.plan()
	if err != nil {
		return state.Image{}, err
	}
	allocated, registered := p.memories()
	*p.registered() = registered
	defer func() { *p.registered() = nil }()
	image, err := plan.With(stream.Handles{Process: &p.data}).Encode(p.state, allocated)
	if err == nil {
		image.Spans = append(image.Spans, p.fixedRanges()...)
	}
	return image, err
}

// stateBytes is how much a move of the process would transfer.
func (p *Proc) stateBytes() int64 {
	plan, err := p.rank.program.plan()
	if err != nil {
		return 0
	}
	allocated, registered := p.memories()
	*p.registered() = registered
	defer func() { *p.registered() = nil }()
	return plan.With(stream.Handles{Process: &p.data}).Size(p.state, allocated) + p.fixedBytes()
}

// pack writes down all of a process that stands between two stages.
func (p *Proc) pack() (*processImage, state.Image, error) {
	image, err := p.image()
	if err != nil {
		return nil, image, err
	}
	x := &processImage{Pid: p.pid, At: p.stages.at, Skeleton: image.Skeleton, Free: p.data.Free, Refused: p.request.why(), Load: p.telling.load, Fixed: rangesOf(p.fixedRanges())}
	for _, a := range p.data.Areas {
		var e areaImage
		if a != nil {
			e = areaImage{Taken: true, Owned: a.Owned, Count: a.Count, Elem: a.Elem, Kept: a.Kept, Types: a.Types, Made: a.MadeAt}
			if p.rank.program.fixed != nil && !a.Owned {
				e.Base = uint64(uintptr(a.Base))
			}
		}
		x.Areas = append(x.Areas, e)
	}
	for _, q := range p.data.Queues {
		x.Queues = append(x.Queues, queueImage{q.TagBytes, q.Pack()})
	}
	return x, image, nil
}

// unpack makes the process of an image on this rank. The spans of its state
// have still to be filled.
func (r *rank) unpack(x *processImage) (*Proc, [][]byte, error) {
	plan, err := r.program.plan()
	if err != nil {
		return nil, nil, err
	}
	need, err := state.ImageBytes(x.Skeleton)
	if err != nil {
		return nil, nil, err
	}
	if !fits(int(need), 1) {
		return nil, nil, fmt.Errorf("its state has %d bytes, more than this node has left", need)
	}
	p := newProc(r, x.Pid)
	p.state = r.program.newState()
	p.stages = stages{resumed: true, at: x.At}
	if x.Refused != "" {
		p.request = &placementRequest{refused: x.Refused}
	}
	p.telling.load, p.data.Free = x.Load, x.Free
	for slot, e := range x.Areas {
		p.data.Areas = append(p.data.Areas, p.unpackArea(slot, e))
	}
	for _, e := range x.Queues {
		r.stream.Refill(p.data.AddQueue(e.TagBytes), e.Runs)
	}
	spans, err := plan.With(stream.Handles{Process: &p.data}).Decode(x.Skeleton, p.state, p.allocated)
	if err != nil {
		return nil, nil, err
	}
	fixed, err := p.arriveFixed(x.Fixed)
	if err != nil {
		return nil, nil, err
	}
	return p, append(spans, fixed...), p.register()
}

// register gives the areas of a process that arrives the memory that it had
// registered.
func (p *Proc) register() error {
	if p.rank.program.fixed != nil {
		return nil
	}
	registered := *p.registered()
	*p.registered() = nil
	for _, a := range p.data.Areas {
		if a == nil || a.Count == 0 || a.Owned {
			continue
		}
		if len(registered) == 0 || cap(registered[0]) != a.Bytes() {
			return fmt.Errorf("the memory registered at %s is missing", a.MadeAt)
		}
		a.Base = memory.At(registered[0])
		registered = registered[1:]
	}
	return nil
}

func (p *Proc) unpackArea(slot int, e areaImage) *stream.Area {
	if !e.Taken {
		return nil
	}
	a := &stream.Area{
		Process: &p.data, Slot: slot,
		Count: e.Count, Elem: e.Elem, Kept: e.Kept, Types: e.Types, MadeAt: e.Made,
	}
	if e.Base != 0 {
		a.Base = memoryAt(e.Base)
	}
	if e.Owned {
		a.Owned, a.Base = true, memory.At(p.rank.comm.Alloc(e.Count*e.Elem, true))
	}
	return a
}

// allocated is the memory of an area of a process that arrives.
func (p *Proc) allocated(slot uint64, bytes int) (unsafe.Pointer, error) {
	if slot >= uint64(len(p.data.Areas)) || p.data.Areas[slot] == nil || !p.data.Areas[slot].Owned || p.data.Areas[slot].Bytes() != bytes {
		return nil, fmt.Errorf("there is no area %d of %d bytes", slot, bytes)
	}
	return p.data.Areas[slot].Base, nil
}
