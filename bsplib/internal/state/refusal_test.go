package state

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

type connection struct {
	ch     chan int
	Name   string
	rows   [][]float64
	notify func()
}

type guarded struct {
	sync.Mutex
	N int
}

type inherited struct {
	time.Time
	N int
}

type unmovable struct {
	Conn   connection
	File   *os.File
	Any    any
	Raw    unsafe.Pointer
	Mu     sync.RWMutex
	mu     *sync.Mutex
	Group  sync.WaitGroup
	Once   sync.Once
	Guard  []guarded
	Time   inherited
	Keys   map[*int]string
	Rooms  map[string]struct{ Door chan<- int }
	Err    error
	parts  struct{ A []int }
	Self   *unmovable
	Funcs  [2]func()
	Object interface{ Do() }
	_      *int
	_      func()
	Fine   map[string][]*guardless
}

type guardless struct{ Next *guardless }

// All fields that cannot move are listed, with their paths.
func TestProblems(t *testing.T) {
	_, err := PlanFor(reflect.TypeFor[unmovable](), noHandles{})
	var plan *PlanError
	if !errors.As(err, &plan) || plan.Type != reflect.TypeFor[unmovable]() {
		t.Fatalf("%T: %v", err, err)
	}
	var got []string
	for _, p := range plan.Problems {
		got = append(got, fmt.Sprintf("%s: %s", p.Path, p.Type))
		if p.Why == "" || !strings.Contains(err.Error(), p.String()) {
			t.Errorf("%s: the error does not tell why", p.Path)
		}
	}
	want := []string{
		"state.Conn.ch: chan int", "state.Conn.rows: [][]float64", "state.Conn.notify: func()",
		"state.File.file: *os.file", "state.Any: interface {}", "state.Raw: unsafe.Pointer", "state.Mu: sync.RWMutex",
		"state.mu: *sync.Mutex", "state.Group: sync.WaitGroup", "state.Once: sync.Once", "state.Guard[].Mutex: sync.Mutex",
		"state.Time: state.inherited", "state.Keys[key]: *int", "state.Rooms[].Door: chan<- int", "state.Err: error",
		"state.parts.A: []int", "state.Funcs[]: func()", "state.Object: interface { Do() }", "state._: *int", "state._: func()",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A bad type is listed at every path, up to the maximum number of problems.
func TestManyPaths(t *testing.T) {
	type a struct{ C, D chan int }
	type b struct{ A, B [1]a }
	type c struct{ A, B, C, D b }
	type d struct{ A, B, C, D c }
	type e struct{ A, B, C, D d }
	type f struct{ A, B, C, D, E, F e }
	if found := problemsOf(reflect.TypeFor[c](), noHandles{}); len(found) != 16 {
		t.Errorf("%d problems instead of 16", len(found))
	}
	if found := problemsOf(reflect.TypeFor[f](), noHandles{}); len(found) < mostProblems || len(found) > mostProblems+2 {
		t.Errorf("%d problems", len(found))
	}
}

type picky struct{ Bad bool }

func (p picky) MarshalBinary() ([]byte, error) {
	if p.Bad {
		return nil, errTest
	}
	return []byte{1}, nil
}

func (p *picky) UnmarshalBinary(b []byte) error {
	switch {
	case len(b) == 1 && b[0] == 1:
		return nil
	case len(b) == 1 && b[0] == 2:
		panic("a bad byte")
	}
	return errTest
}

type branch struct {
	Next *branch
	Bits map[string][]picky
	Leaf map[picky]int
	Both [2][3]picky
}

// Errors at encoding name the field, through pointers, slices and maps.
func TestEncodeErrorPaths(t *testing.T) {
	type state struct {
		Rows [][2]branch
	}
	s := &state{make([][2]branch, 4)}
	s.Rows[3][1].Next = &branch{Bits: map[string][]picky{"fine": {{}}, "bad": {{}, {}, {true}}}}
	refused(t, s, nil, `state.Rows[3][1].Next.Bits["bad"][2]: state.picky: the reason`)
	s = &state{make([][2]branch, 1)}
	s.Rows[0][0].Next = &branch{Leaf: map[picky]int{{true}: 1}}
	refused(t, s, nil, "state.Rows[0][0].Next.Leaf[key]: state.picky: the reason")
	s.Rows[0][1].Both[1][2].Bad = true
	s.Rows[0][0].Next = nil
	refused(t, s, nil, "state.Rows[0][1].Both[1][2]: state.picky: the reason")
	long := strings.Repeat("k", 1000)
	refused(t, &map[string]picky{long: {true}}, nil, `state["`+long[:64]+`"]: state.picky: the reason`)
	refused(t, &map[point]*picky{{1, 2}: {true}}, nil, "state[{1 2}]: state.picky: the reason")
}

// Keys that would become one are refused.
func TestEqualKeys(t *testing.T) {
	now := time.Now()
	refused(t, &map[time.Time]int{now: 1, now.Round(0): 2}, nil, "state[...]: two keys of map[time.Time]int")
}

// Shared memory that cannot be expressed is refused, with both names.
func TestOverlapErrors(t *testing.T) {
	type pair struct{ A, B *int }
	type crossing struct {
		Pairs []pair
		Cross *[2]*int
	}
	x := make([]pair, 3)
	cross := (*[2]*int)(unsafe.Pointer(&x[0].B))
	refused(t, &crossing{x, cross}, nil, "state.Cross", "state.Pairs", "no *int where the other points")

	type other pair
	refused(t, &struct {
		A *pair
		B *other
	}{&x[0], (*other)(&x[0])}, nil, "state.A", "state.B")

	type within struct{ Whole []within }
	all := make([]within, 3)
	all[1].Whole = all
	refused(t, &all[1], nil, "state (as a whole)", "state.Whole", "cannot lie in other memory")

	type inside struct {
		When time.Time
		Wall *uint64
	}
	s := &inside{When: time.Unix(0, 0)}
	s.Wall = (*uint64)(unsafe.Pointer(&s.When))
	refused(t, s, nil, "state.Wall", "state (as a whole)", "no uint64")
}

// Each range must be within a memory as a whole, or outside it.
func TestMemoryErrors(t *testing.T) {
	x := make([]int, 100)
	type state struct{ Part, All []int }
	area := memoryOf(x[10:20], 7)
	refused(t, &state{Part: x[12:15:15], All: x[15:]}, []Memory{area}, "state.All", "memory 7 of 80 bytes", "reaches beyond")
	refused(t, &state{All: x}, []Memory{area}, "state.All", "memory 7")
	refused(t, &state{}, []Memory{area, memoryOf(x[15:30], 8)}, "memory 7", "memory 8")
	type local struct{ Buf [10]int }
	s := &local{}
	refused(t, s, []Memory{memoryOf(s.Buf[:], 7)}, "memory 7", "state (as a whole)")
}

// A skeleton of another type is refused, naming both.
func TestOtherType(t *testing.T) {
	image := encodeOf(t, planOf[point](t, nil), &point{1, 2})
	_, err := planOf[scalars](t, nil).Decode(image.Skeleton, unsafe.Pointer(new(scalars)), nil)
	says(t, err, "state.point", "state.scalars")
	type point struct{ Y, X float64 }
	_, err = planOf[point](t, nil).Decode(image.Skeleton, unsafe.Pointer(new(point)), nil)
	says(t, err, "a skeleton of a state.point", "as a state.point", "layout")
}

// A skeleton of another format is refused.
func TestOtherFormat(t *testing.T) {
	p := planOf[point](t, nil)
	image := encodeOf(t, p, &point{1, 2})
	for what, change := range map[string]func([]byte){
		"format 9":       func(b []byte) { b[4] = 9 },
		"not a skeleton": func(b []byte) { b[0] = 0 },
		"at most":        func(b []byte) { b[23] = 0x80 },
	} {
		b := bytes.Clone(image.Skeleton)
		change(b)
		_, err := p.Decode(b, unsafe.Pointer(new(point)), nil)
		says(t, err, what)
		_, err = ImageBytes(b)
		says(t, err, what)
	}
}

// Errors at decoding name the field.
func TestDecodeErrorPaths(t *testing.T) {
	type state struct {
		Rows []branch
	}
	s := &state{make([]branch, 3)}
	s.Rows[2].Next = &branch{Bits: map[string][]picky{"b": {{}, {}}}}
	p := planOf[state](t, nil)
	good := encodeOf(t, p, s).Skeleton
	for value, why := range map[byte]string{0: "the reason", 2: "its UnmarshalBinary panicked: a bad byte"} {
		b := bytes.Clone(good)
		b[len(b)-1] = value
		_, err := p.Decode(b, unsafe.Pointer(new(state)), nil)
		says(t, err, `state.Rows[2].Next.Bits["b"][1]: state.picky: `+why)
	}
	_, err := p.Decode(good[:len(good)-1], unsafe.Pointer(new(state)), nil)
	says(t, err, `state.Rows[2].Next.Bits["b"][1]: the skeleton is damaged`)
	_, err = p.Decode(append(good, 0), unsafe.Pointer(new(state)), nil)
	says(t, err, "damaged")
}
