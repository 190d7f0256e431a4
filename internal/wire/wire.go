// Package wire turns the small messages that ranks exchange about a run into bytes and
// back: reports, decisions, registrations, parts of checkpoints.
//
// A message is a value of a Go type that both ends know, because all ranks run the same
// program. Its bytes are its fields in order, without names or types:
//
//	integers       varint (zigzag where they are signed)
//	floats         8 or 4 bytes, as they stand in memory
//	bool           1 byte
//	slice          its length as a varint (zigzag), then its elements
//	string         the same; one that the message already has: minus its number there
//	array, struct  the elements or fields, also unexported ones; not those with
//	               the tag wire:"-"
//	pointer        1 byte, then what it points to if it is not nil
//	type with AppendBinary and UnmarshalBinary
//	               a length and its own bytes; no length where it is the message
//
// Strings are numbered from 1 in the order in which they come; the empty one and
// those inside parts with an encoding of their own have no number.
//
// Sharing between pointers or slices is not kept. A process's state, which has
// sharing, parts of many megabytes and fields of the program's own types,
// travels by bsplib/internal/state instead.
//
// Messages of ranks that do not run the same program are not protected against:
// Read finds lengths that cannot be, and bytes that are missing or left over.
package wire

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"unsafe"
)

// ErrDamaged is the error of bytes that Append has not made of a value of the
// same type.
var ErrDamaged = errors.New("the message is damaged or of another version")

// Append appends the bytes of the message v to b.
//
// Errors: the errors of a type's own AppendBinary.
func Append[T any](b []byte, v *T) ([]byte, error) {
	if own, ok := any(v).(encoding.BinaryAppender); ok {
		return own.AppendBinary(b)
	}
	return AppendFields(b, v)
}

// AppendFields is Append without regard to v's own AppendBinary, which may call
// it.
func AppendFields[T any](b []byte, v *T) ([]byte, error) {
	w := writer{bytes: b}
	codecFor[T]().append(&w, unsafe.Pointer(v))
	return w.bytes, w.err
}

// Size is the number of bytes that AppendFields appends for v. It takes memory for
// the bytes of an element of the longest slice, not of all, and calls a part's method
// Size, if there is one, instead of its AppendBinary.
func Size[T any](v *T) int {
	w := writer{counts: true}
	codecFor[T]().append(&w, unsafe.Pointer(v))
	return w.counted + len(w.bytes)
}

// Read reads the message in all of b into v. It reuses slices of v that are long enough;
// the values it reads share no memory with b.
//
// Errors: ErrDamaged, and the errors of a type's own UnmarshalBinary.
func Read[T any](b []byte, v *T) error {
	if own, ok := any(v).(encoding.BinaryUnmarshaler); ok {
		return own.UnmarshalBinary(b)
	}
	return ReadFields(b, v)
}

// ReadFields is Read without regard to v's own UnmarshalBinary, which may call
// it.
func ReadFields[T any](b []byte, v *T) error {
	r := reader{bytes: b}
	codecFor[T]().read(&r, unsafe.Pointer(v))
	if r.err == nil && len(r.bytes) > 0 {
		return ErrDamaged
	}
	return r.err
}

// Raw is a slice whose elements, which contain no pointers, travel as they
// stand in memory: for long lists, where a loop over fields would take longer
// than the message.
type Raw[T any] []T

// AppendBinary appends the elements' memory to b.
func (s Raw[T]) AppendBinary(b []byte) ([]byte, error) { return append(b, s.memory()...), nil }

// UnmarshalBinary copies the elements out of b.
func (s *Raw[T]) UnmarshalBinary(b []byte) error {
	var element T
	size := int(unsafe.Sizeof(element))
	if len(b)%size != 0 {
		return ErrDamaged
	}
	n := len(b) / size
	if cap(*s) < n {
		*s = make(Raw[T], n)
	}
	*s = (*s)[:n]
	copy(s.memory(), b)
	return nil
}

// Size returns the number of bytes that AppendBinary appends.
func (s Raw[T]) Size() int { return len(s.memory()) }

func (s Raw[T]) memory() []byte {
	var element T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(element)))
}

// Runs is a slice of numbers with many equal neighbours, such as the speeds of hosts of one
// kind. Its message is its length and, for each run of equal numbers, how many there are
// and the number. Read accepts at most mostInRuns numbers: they may come from few bytes.
type Runs []float64

const mostInRuns = 1 << 22

// codec turns values of one type into bytes and back. least is the smallest number of bytes
// of a value: a damaged length of a slice allocates no more memory than the following bytes
// can fill.
type codec struct {
	append func(w *writer, at unsafe.Pointer)
	read   func(r *reader, at unsafe.Pointer)
	least  int
	cells  cells   // that all the value's memory consists of
	size   uintptr // of that memory, if it does
	parts  []part  // of a struct or an array of several
}

// cells are values of one kind, one after another in memory. Neighbours of the same
// kind become bytes at once: a call for each would take longer than its bytes.
type cells int

const (
	mixed cells = iota // other types
	plain              // their bytes are their memory
	words              // signed integers of 8 bytes
)

var codecs sync.Map // of *codec by reflect.Type

func codecFor[T any]() *codec {
	t := reflect.TypeFor[T]()
	if c, ok := codecs.Load(t); ok {
		return c.(*codec)
	}
	c := fieldsOf(t)
	codecs.Store(t, c)
	return c
}

// codecOf is the codec of a part of a message: types with an encoding of their
// own use it.
func codecOf(t reflect.Type) *codec {
	if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[encoding.BinaryAppender]()) && p.Implements(reflect.TypeFor[encoding.BinaryUnmarshaler]()) {
		return ownCodec(t)
	}
	return fieldsOf(t)
}

// fieldsOf returns the codec of a composed type. A type that cannot be a message is a
// mistake in this module: it panics, at the first message.
func fieldsOf(t reflect.Type) *codec {
	switch t.Kind() {
	case reflect.Bool:
		return boolCodec
	case reflect.Int:
		if t.Size() < 8 {
			return signed[int]()
		}
		return cellCodec(words, 8)
	case reflect.Int64:
		return cellCodec(words, 8)
	case reflect.Int32:
		return signed[int32]()
	case reflect.Int16:
		return signed[int16]()
	case reflect.Int8:
		return signed[int8]()
	case reflect.Uint:
		return unsigned[uint]()
	case reflect.Uint64:
		return unsigned[uint64]()
	case reflect.Uint32:
		return unsigned[uint32]()
	case reflect.Uint16:
		return unsigned[uint16]()
	case reflect.Uint8:
		return unsigned[uint8]()
	case reflect.Uintptr:
		return unsigned[uintptr]()
	case reflect.Float64, reflect.Float32:
		return cellCodec(plain, t.Size())
	case reflect.String:
		return stringCodec
	case reflect.Slice:
		if t == reflect.TypeFor[Runs]() {
			return runsCodec
		}
		return sliceCodec(t)
	case reflect.Array:
		return inOrder(elementsOf(t))
	case reflect.Struct:
		return inOrder(partsOf(t))
	case reflect.Pointer:
		return pointerCodec(t)
	default:
		panic(fmt.Sprintf("wire: %s cannot be part of a message", t))
	}
}

// writer appends values to bytes, or counts their bytes.
type writer struct {
	bytes   []byte
	counts  bool
	counted int            // bytes that are no longer in bytes, or never were
	texts   map[string]int // the number of each string
	err     error
}

// fail keeps the first error; nil is none.
func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) length(n int) { w.bytes = binary.AppendVarint(w.bytes, int64(n)) }

// raw appends bytes as they stand.
func (w *writer) raw(b []byte) {
	if w.counts {
		w.counted += len(b)
		return
	}
	w.bytes = append(w.bytes, b...)
}

// cells appends memory that consists of such values.
func (w *writer) cells(of cells, memory []byte) {
	if of == plain {
		w.raw(memory)
		return
	}
	b := w.bytes
	for _, x := range wordsIn(memory) {
		switch x := uint64(x)<<1 ^ uint64(x>>63); {
		case x < 1<<7:
			b = append(b, byte(x))
		case x < 1<<14:
			b = append(b, byte(x)|0x80, byte(x>>7))
		case x < 1<<21:
			b = append(b, byte(x)|0x80, byte(x>>7)|0x80, byte(x>>14))
		default:
			b = binary.AppendUvarint(b, x)
		}
	}
	w.bytes = b
}

func wordsIn(memory []byte) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/8)
}

// count forgets bytes that only had to be counted.
func (w *writer) count() {
	if w.counts {
		w.counted, w.bytes = w.counted+len(w.bytes), w.bytes[:0]
	}
}

// reader takes values from the front of bytes. After an error there are none.
type reader struct {
	bytes []byte
	texts []string
	err   error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.bytes = nil
}

// take removes the next n bytes; nil if there are fewer.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.bytes) {
		r.fail(ErrDamaged)
		return nil
	}
	b := r.bytes[:n]
	r.bytes = r.bytes[n:]
	return b
}

// cells takes values that memory is to consist of.
func (r *reader) cells(of cells, memory []byte) {
	if of == plain {
		copy(memory, r.take(len(memory)))
		return
	}
	b, into := r.bytes, wordsIn(memory)
	for i := range into {
		if len(b) > 0 && b[0] < 0x80 {
			into[i], b = int64(b[0]>>1)^-int64(b[0]&1), b[1:]
			continue
		}
		x, n := binary.Varint(b)
		if n <= 0 {
			r.fail(ErrDamaged)
			return
		}
		into[i], b = x, b[n:]
	}
	r.bytes = b
}

// length takes the length of a list whose elements take at least this number of bytes.
func (r *reader) length(least int) int {
	n := r.varint()
	if n < 0 || n > int64(len(r.bytes)/max(1, least)) {
		r.fail(ErrDamaged)
		return 0
	}
	return int(n)
}

func (r *reader) varint() int64 {
	x, n := binary.Varint(r.bytes)
	if n <= 0 {
		r.fail(ErrDamaged)
		return 0
	}
	r.bytes = r.bytes[n:]
	return x
}

func (r *reader) uvarint() uint64 {
	x, n := binary.Uvarint(r.bytes)
	if n <= 0 {
		r.fail(ErrDamaged)
		return 0
	}
	r.bytes = r.bytes[n:]
	return x
}

func signed[T int | int8 | int16 | int32]() *codec {
	return &codec{
		append: func(w *writer, at unsafe.Pointer) { w.bytes = binary.AppendVarint(w.bytes, int64(*(*T)(at))) },
		read: func(r *reader, at unsafe.Pointer) {
			x := r.varint()
			if *(*T)(at) = T(x); int64(T(x)) != x {
				r.fail(ErrDamaged)
			}
		},
		least: 1,
	}
}

func unsigned[T uint | uint8 | uint16 | uint32 | uint64 | uintptr]() *codec {
	return &codec{
		append: func(w *writer, at unsafe.Pointer) { w.bytes = binary.AppendUvarint(w.bytes, uint64(*(*T)(at))) },
		read: func(r *reader, at unsafe.Pointer) {
			x := r.uvarint()
			if *(*T)(at) = T(x); uint64(T(x)) != x {
				r.fail(ErrDamaged)
			}
		},
		least: 1,
	}
}

var boolCodec = &codec{
	append: func(w *writer, at unsafe.Pointer) {
		b := byte(0)
		if *(*bool)(at) {
			b = 1
		}
		w.bytes = append(w.bytes, b)
	},
	read: func(r *reader, at unsafe.Pointer) {
		b := r.take(1)
		if b != nil && b[0] > 1 {
			r.fail(ErrDamaged)
			return
		}
		*(*bool)(at) = b != nil && b[0] == 1
	},
	least: 1,
}

// cellCodec returns the codec of values whose memory consists of cells.
func cellCodec(of cells, size uintptr) *codec {
	c := &codec{
		append: func(w *writer, at unsafe.Pointer) { w.cells(of, unsafe.Slice((*byte)(at), size)) },
		read:   func(r *reader, at unsafe.Pointer) { r.cells(of, unsafe.Slice((*byte)(at), size)) },
		least:  int(size),
		cells:  of,
		size:   size,
	}
	if of == words {
		c.least /= 8
	}
	return c
}

var stringCodec = &codec{
	append: func(w *writer, at unsafe.Pointer) {
		s := *(*string)(at)
		if number, known := w.texts[s]; known {
			w.length(-number)
			return
		}
		w.length(len(s))
		w.bytes = append(w.bytes, s...)
		if s == "" {
			return
		}
		if w.texts == nil {
			w.texts = make(map[string]int)
		}
		w.texts[s] = len(w.texts) + 1
	},
	read: func(r *reader, at unsafe.Pointer) {
		n, s := r.varint(), (*string)(at)
		switch {
		case n < -int64(len(r.texts)) || n > int64(len(r.bytes)):
			r.fail(ErrDamaged)
			*s = ""
		case n < 0:
			*s = r.texts[-n-1]
		case n == 0:
			*s = ""
		default:
			*s = string(r.take(int(n)))
			r.texts = append(r.texts, *s)
		}
	},
	least: 1,
}

// bytesCodec is sliceCodec where the elements are bytes.
var bytesCodec = &codec{
	append: func(w *writer, at unsafe.Pointer) {
		s := *(*[]byte)(at)
		w.length(len(s))
		w.raw(s)
	},
	read:  func(r *reader, at unsafe.Pointer) { s := (*[]byte)(at); *s = append((*s)[:0], r.take(r.length(1))...) },
	least: 1,
}

// sliceCodec reads an empty slice as nil, unless there is memory to use again.
func sliceCodec(t reflect.Type) *codec {
	if t.Elem().Kind() == reflect.Uint8 {
		return bytesCodec
	}
	element, step := codecOf(t.Elem()), t.Elem().Size()
	even := element.cells != mixed && element.size == step // then there are no pointers
	each := func(at unsafe.Pointer) (first unsafe.Pointer, n int) {
		s := (*[]struct{})(at) // of any type: pointer, length and capacity are at the same offsets
		return unsafe.Pointer(unsafe.SliceData(*s)), len(*s)
	}
	memory := func(at unsafe.Pointer) []byte {
		first, n := each(at)
		return unsafe.Slice((*byte)(first), uintptr(n)*step)
	}
	memoryFor := func(n int) unsafe.Pointer {
		if even { // faster than by reflect
			return unsafe.Pointer(unsafe.SliceData(make([]int64, (uintptr(n)*step+7)/8)))
		}
		return reflect.MakeSlice(t, n, n).UnsafePointer()
	}
	return &codec{
		append: func(w *writer, at unsafe.Pointer) {
			first, n := each(at)
			if w.length(n); even {
				w.cells(element.cells, memory(at))
				return
			}
			for i := range n {
				element.append(w, unsafe.Add(first, uintptr(i)*step))
				w.count()
			}
		},
		read: func(r *reader, at unsafe.Pointer) {
			n := r.length(element.least)
			if s := (*[]struct{})(at); n > cap(*s) {
				*s = unsafe.Slice((*struct{})(memoryFor(n)), n)
			} else {
				*s = (*s)[:n]
			}
			if even {
				r.cells(element.cells, memory(at))
				return
			}
			first, _ := each(at)
			for i := range n {
				element.read(r, unsafe.Add(first, uintptr(i)*step))
			}
		},
		least: 1,
	}
}

var runsCodec = &codec{
	append: func(w *writer, at unsafe.Pointer) {
		s := *(*Runs)(at)
		w.length(len(s))
		for len(s) > 0 {
			n := 1
			for n < len(s) && math.Float64bits(s[n]) == math.Float64bits(s[0]) {
				n++
			}
			w.length(n)
			number.append(w, unsafe.Pointer(&s[0]))
			w.count()
			s = s[n:]
		}
	},
	read: func(r *reader, at unsafe.Pointer) {
		s := (*Runs)(at)
		*s = (*s)[:0]
		left := r.varint()
		if left < 0 || left > mostInRuns {
			r.fail(ErrDamaged)
		}
		for left > 0 && r.err == nil {
			n, x := r.varint(), 0.0
			number.read(r, unsafe.Pointer(&x))
			if n < 1 || n > left {
				r.fail(ErrDamaged)
				return
			}
			for range n {
				*s = append(*s, x)
			}
			left -= n
		}
	},
	least: 1,
}

var number = cellCodec(plain, 8)

// part is a field or an element, at an offset.
type part struct {
	codec  codec
	offset uintptr
}

func partsOf(t reflect.Type) (parts []part) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("wire") != "-" {
			parts = append(parts, part{*codecOf(f.Type), f.Offset})
		}
	}
	return parts
}

func elementsOf(t reflect.Type) (parts []part) {
	for i := range t.Len() {
		parts = append(parts, part{*codecOf(t.Elem()), uintptr(i) * t.Elem().Size()})
	}
	return parts
}

// inOrder is the codec of parts, one after another. Parts of parts become its own,
// and neighbours of the same kind of cells one part.
func inOrder(of []part) *codec {
	c := new(codec)
	for _, p := range of {
		c.least += p.codec.least
		if p.codec.parts == nil {
			c.add(p)
		}
		for _, inner := range p.codec.parts {
			c.add(part{inner.codec, p.offset + inner.offset})
		}
	}
	parts := c.parts
	if len(parts) == 1 && parts[0].offset == 0 {
		return &parts[0].codec
	}
	c.append = func(w *writer, at unsafe.Pointer) {
		for i := range parts {
			if p := &parts[i]; p.codec.cells != mixed {
				w.cells(p.codec.cells, unsafe.Slice((*byte)(unsafe.Add(at, p.offset)), p.codec.size))
			} else {
				p.codec.append(w, unsafe.Add(at, p.offset))
			}
		}
	}
	c.read = func(r *reader, at unsafe.Pointer) {
		for i := range parts {
			if p := &parts[i]; p.codec.cells != mixed {
				r.cells(p.codec.cells, unsafe.Slice((*byte)(unsafe.Add(at, p.offset)), p.codec.size))
			} else {
				p.codec.read(r, unsafe.Add(at, p.offset))
			}
		}
	}
	return c
}

// add adds a part that has none itself.
func (c *codec) add(p part) {
	if n := len(c.parts); n > 0 {
		last := &c.parts[n-1]
		if last.codec.cells != mixed && last.codec.cells == p.codec.cells && last.offset+last.codec.size == p.offset {
			last.codec = *cellCodec(p.codec.cells, last.codec.size+p.codec.size)
			return
		}
	}
	c.parts = append(c.parts, p)
}

func pointerCodec(t reflect.Type) *codec {
	pointed := codecOf(t.Elem())
	return &codec{
		append: func(w *writer, at unsafe.Pointer) {
			to := *(*unsafe.Pointer)(at)
			there := to != nil
			if boolCodec.append(w, unsafe.Pointer(&there)); there {
				pointed.append(w, to)
			}
		},
		read: func(r *reader, at unsafe.Pointer) {
			there := false
			boolCodec.read(r, unsafe.Pointer(&there))
			p := reflect.NewAt(t, at).Elem()
			if p.SetZero(); there {
				p.Set(reflect.New(t.Elem()))
				pointed.read(r, *(*unsafe.Pointer)(at))
			}
		},
		least: 1,
	}
}

// ownCodec returns the codec of a type with AppendBinary and UnmarshalBinary. Its bytes
// follow their length: the result of its method Size if it has one, else they are made
// separately first. A writer must not write more than stays, because it may write into
// memory of exactly Size bytes.
func ownCodec(t reflect.Type) *codec {
	return &codec{
		append: func(w *writer, at unsafe.Pointer) {
			own := reflect.NewAt(t, at).Interface()
			sized, ok := own.(interface{ Size() int })
			if !ok {
				body, err := own.(encoding.BinaryAppender).AppendBinary(nil)
				w.fail(err)
				w.length(len(body))
				w.bytes = append(w.bytes, body...)
				return
			}
			n := sized.Size()
			w.length(n)
			if w.counts {
				w.counted += n
				return
			}
			end := len(w.bytes) + n
			b, err := own.(encoding.BinaryAppender).AppendBinary(w.bytes)
			if w.fail(err); err == nil && len(b) != end {
				w.fail(fmt.Errorf("%s: AppendBinary appends %d bytes, Size is %d", t, len(b)-end+n, n))
			}
			w.bytes = b
		},
		read: func(r *reader, at unsafe.Pointer) {
			b := r.take(r.length(1))
			if r.err != nil {
				return
			}
			if err := reflect.NewAt(t, at).Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(b); err != nil {
				r.fail(err)
			}
		},
		least: 1,
	}
}
