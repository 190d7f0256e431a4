package process

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Image is a process in transit to another rank, without the large parts of its state, which are
// sent separately as spans.
type Image struct {
	Pid      int
	At       Position
	Skeleton []byte
	Areas    []areaImage // by slot
	Free     []int       // free slots, in the order of reuse
	Queues   []queueImage
	Refused  string  // result of MigrateError
	Load     float64 // declared by the program
	Pinned   bool    // it must not move; set in checkpoints only
	Fixed    []Range // memory at fixed addresses, sent as the last spans
}

type areaImage struct {
	Taken bool // the slot has an area
	Owned bool // its memory belongs to the engine
	Count int
	Elem  int
	Kept  int // elements that are sent; the others are zero
	Types uint64
	Made  string
	Base  uint64 // its address, if fixed
}

type queueImage struct {
	TagBytes int
	Runs     []stream.Packed
}

// imagePlan is the plan that encodes images.
var imagePlan = sync.OnceValue(func() *state.Plan {
	plan, err := state.PlanFor(reflect.TypeFor[Image](), stream.Handles{})
	if err != nil {
		panic(err)
	}
	return plan
})

// memories returns the process's areas as parts of its state: memory allocated by Alloc, and
// registered memory.
func (p *Process) memories() (allocated []state.Memory, registered [][]byte) {
	for slot, a := range p.Data.Areas {
		switch {
		case a == nil || a.Count == 0:
		case a.Owned:
			allocated = append(allocated, state.Memory{Base: a.Base, Bytes: a.Count * a.Elem, Kept: a.Kept * a.Elem, Number: uint64(slot)})
		case p.Home.Program.fixed != nil: // a part of the fixed memory
		default:
			registered = append(registered, unsafe.Slice((*byte)(a.Base), a.Bytes())[:a.Kept*a.Elem])
		}
	}
	return allocated, registered
}

// Encode returns the process's encoded state.
func (p *Process) Encode() (state.Image, error) {
	plan, err := p.Home.Program.Plan()
	if err != nil {
		return state.Image{}, err
	}
	allocated, registered := p.memories()
	*p.registered() = registered
	defer func() { *p.registered() = nil }()
	image, err := plan.With(stream.Handles{Process: &p.Data}).Encode(p.State, allocated)
	if err == nil {
		image.Spans = append(image.Spans, p.fixedRanges()...)
	}
	return image, err
}

// Bytes returns the number of bytes that a move of the process would transfer.
func (p *Process) Bytes() int64 {
	plan, err := p.Home.Program.Plan()
	if err != nil {
		return 0
	}
	allocated, registered := p.memories()
	*p.registered() = registered
	defer func() { *p.registered() = nil }()
	fixed := int64(0)
	if f := p.fixed(); f != nil {
		fixed = f.Bytes()
	}
	return plan.With(stream.Handles{Process: &p.Data}).Size(p.State, allocated) + fixed
}

// Pack returns the image and the encoded state of a process between two stages.
func (p *Process) Pack() (*Image, state.Image, error) {
	image, err := p.Encode()
	if err != nil {
		return nil, image, err
	}
	x := &Image{Pid: p.Data.Pid, At: p.Stages.At, Skeleton: image.Skeleton, Free: p.Data.Free, Refused: p.Request.Why(), Load: p.Load, Pinned: p.Pinned, Fixed: rangesOf(p.fixedRanges())}
	for _, a := range p.Data.Areas {
		var e areaImage
		if a != nil {
			e = areaImage{Taken: true, Owned: a.Owned, Count: a.Count, Elem: a.Elem, Kept: a.Kept, Types: a.Types, Made: a.MadeAt}
			if p.Home.Program.fixed != nil && !a.Owned {
				e.Base = uint64(uintptr(a.Base))
			}
		}
		x.Areas = append(x.Areas, e)
	}
	for _, q := range p.Data.Queues {
		x.Queues = append(x.Queues, queueImage{q.TagBytes, q.Pack()})
	}
	return x, image, nil
}

// Unpack creates the process of an image on this rank. It returns the spans of its state, which the
// caller must fill.
func (r *Rank) Unpack(x *Image) (*Process, [][]byte, error) {
	plan, err := r.Program.Plan()
	if err != nil {
		return nil, nil, err
	}
	need, err := state.ImageBytes(x.Skeleton)
	if err != nil {
		return nil, nil, err
	}
	if !Fits(int(need), 1) {
		return nil, nil, fmt.Errorf("its state has %d bytes, more than this node has left", need)
	}
	p := r.New()
	r.Begin(p, x.Pid)
	p.State = r.Program.newState()
	p.Stages = Stages{Resumed: true, At: x.At}
	if x.Refused != "" {
		p.Request = &Request{Refused: x.Refused}
	}
	p.Load, p.Pinned, p.Data.Free = x.Load, x.Pinned, x.Free
	for slot, e := range x.Areas {
		p.Data.Areas = append(p.Data.Areas, p.unpackArea(slot, e))
	}
	for _, e := range x.Queues {
		r.Stream.Refill(p.Data.AddQueue(e.TagBytes), e.Runs)
	}
	spans, err := plan.With(stream.Handles{Process: &p.Data}).Decode(x.Skeleton, p.State, p.allocated)
	if err != nil {
		return nil, nil, err
	}
	fixed, err := p.arriveFixed(x.Fixed)
	if err != nil {
		return nil, nil, err
	}
	return p, append(spans, fixed...), p.register()
}

// Flatten returns the process's image and the spans of its state, for a checkpoint. Rebuild is the
// inverse.
func (p *Process) Flatten() (skeleton []byte, spans [][]byte, err error) {
	if f := p.fixed(); f != nil {
		f.Written()
	}
	x, image, err := p.Pack()
	if err != nil {
		return nil, nil, err
	}
	whole, err := imagePlan().Encode(unsafe.Pointer(x), nil)
	if err != nil {
		return nil, nil, err
	}
	return whole.Skeleton, append(whole.Spans, image.Spans...), nil
}

// Rebuild creates the process of a flattened image on this rank. fill fills spans in their order.
func (r *Rank) Rebuild(pid int, skeleton []byte, fill func([][]byte) error) (*Process, error) {
	x := new(Image)
	spans, err := imagePlan().Decode(skeleton, unsafe.Pointer(x), nil)
	if err == nil {
		err = fill(spans)
	}
	if err != nil {
		return nil, err
	}
	if x.Pid != pid {
		return nil, fmt.Errorf("what was read is process %d", x.Pid)
	}
	p, spans, err := r.Unpack(x)
	if err == nil {
		err = fill(spans)
	}
	return p, err
}

// register sets the areas of an arriving process to its registered memory.
func (p *Process) register() error {
	if p.Home.Program.fixed != nil {
		return nil
	}
	registered := *p.registered()
	*p.registered() = nil
	for _, a := range p.Data.Areas {
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

func (p *Process) unpackArea(slot int, e areaImage) *stream.Area {
	if !e.Taken {
		return nil
	}
	a := &stream.Area{
		Process: &p.Data, Slot: slot,
		Count: e.Count, Elem: e.Elem, Kept: e.Kept, Types: e.Types, MadeAt: e.Made,
	}
	if e.Base != 0 {
		a.Base = memoryAt(e.Base)
	}
	if e.Owned {
		a.Owned, a.Base = true, memory.At(p.Home.Comm.Alloc(e.Count*e.Elem, true))
	}
	return a
}

// allocated returns the memory of an area of an arriving process.
func (p *Process) allocated(slot uint64, bytes int) (unsafe.Pointer, error) {
	if slot >= uint64(len(p.Data.Areas)) || p.Data.Areas[slot] == nil || !p.Data.Areas[slot].Owned || p.Data.Areas[slot].Bytes() != bytes {
		return nil, fmt.Errorf("there is no area %d of %d bytes", slot, bytes)
	}
	return p.Data.Areas[slot].Base, nil
}
