package state

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

type celsius float64

type point struct{ X, Y float64 }

type scalars struct {
	B   bool
	I   int
	I8  int8
	I16 int16
	I32 int32
	I64 int64
	U   uint
	U8  uint8
	U16 uint16
	U32 uint32
	U64 uint64
	P   uintptr
	F32 float32
	F64 float64
	C64 complex64
	C   complex128
	D   time.Duration
	T   celsius
	own int32
	A   [3]point
	S   string
}

// Values of all types arrive as they were.
func TestScalars(t *testing.T) {
	moveEqual(t, &scalars{})
	moveEqual(t, &scalars{true, -1, -2, -3, -4, math.MinInt64, 5, 6, 7, 8, math.MaxUint64, 9, 0.5, math.Inf(1),
		complex(1, -1), complex(math.MaxFloat64, 0), time.Hour, 36.6, -7, [3]point{{1, 2}, {3, 4}, {5, 6}}, "Grüße"})
}

// A state may be of any type.
func TestRootTypes(t *testing.T) {
	moveRoot(t, 42)
	moveRoot(t, "text")
	moveRoot(t, struct{}{})
	moveRoot(t, [0]int{})
	moveRoot(t, [2]string{"a", "b"})
	moveRoot(t, [2][2]float64{{1, 2}, {3, 4}})
	moveRoot(t, []int{1, 2, 3})
	moveRoot(t, map[string]int{"a": 1})
	moveRoot(t, &point{1, 2})
	moveRoot(t, [5000]byte{4999: 1})
	moveRoot(t, time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC))
}

func moveRoot[T any](t *testing.T, value T) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) { moveEqual(t, &value) })
}

type listed struct {
	Nil, Empty, Few, Room []int
	Text                  []string
	Rows                  [][]float64
	Pairs                 [][2]*int
	Marks                 []struct{}
	NoMarks               []struct{}
	Deep                  [][][]point
	Arrays                [][3]int16
	Named                 []celsius
	InArray               [2][]int
}

// Slices keep nil, emptiness, length and capacity.
func TestSlices(t *testing.T) {
	one := 1
	got := moveEqual(t, &listed{
		Empty: []int{}, Few: []int{1, 2, 3}, Room: make([]int, 2, 10),
		Text: []string{"", "a", strings.Repeat("long ", 2000)}, Rows: [][]float64{nil, {}, {1}, {2, 3}},
		Pairs: [][2]*int{{&one, nil}, {nil, &one}}, Marks: make([]struct{}, 3, 5),
		Deep: [][][]point{{{{1, 2}}, {}}, nil}, Arrays: [][3]int16{{1, 2, 3}, {4, 5, 6}}, Named: []celsius{1, 2},
		InArray: [2][]int{{1}, nil},
	})
	if cap(got.Room) != 10 || cap(got.Marks) != 5 {
		t.Errorf("capacities are %d and %d, not 10 and 5", cap(got.Room), cap(got.Marks))
	}
	if got.NoMarks != nil || got.Marks == nil {
		t.Error("nil and empty were not told apart")
	}
}

// Elements beyond a slice's length are decoded as zeros.
func TestBeyondLength(t *testing.T) {
	type holder struct {
		Plain []int
		Text  []string
	}
	got := move(t, &holder{Plain: []int{1, 2, 3}[:1], Text: []string{"a", "b"}[:1]})
	if p, s := got.Plain[:3], got.Text[:2]; p[0] != 1 || p[1] != 0 || p[2] != 0 || s[0] != "a" || s[1] != "" {
		t.Errorf("%v and %q", p, s)
	}
}

type mapped struct {
	Nil    map[int]int
	Empty  map[int]int
	Names  map[string][]float64
	Deep   map[[2]int8]map[string]*point
	Keys   map[struct{ A, B string }]bool
	Set    map[string]struct{}
	One    map[struct{}]struct{}
	Wide   map[uint8][5000]byte
	Floats map[float64]string
	Times  map[time.Duration]time.Time
}

// Maps are decoded with all entries, and their encoding is deterministic.
func TestMaps(t *testing.T) {
	s := &mapped{
		Empty: map[int]int{}, Names: map[string][]float64{"": nil, "a": {}, "b": {1, 2}},
		Deep: map[[2]int8]map[string]*point{{1, 2}: {"x": {1, 2}, "y": nil}, {2, 1}: nil},
		Keys: map[struct{ A, B string }]bool{{"a", "b"}: true, {"ab", ""}: false, {"", strings.Repeat("k", 9000)}: true},
		Set:  map[string]struct{}{"a": {}}, One: map[struct{}]struct{}{{}: {}},
		Wide:   map[uint8][5000]byte{1: {17: 3}, 2: {}},
		Floats: map[float64]string{math.Inf(-1): strings.Repeat("v", 9000), 0: ""},
		Times:  map[time.Duration]time.Time{1: time.Unix(0, 0).UTC()},
	}
	moveEqual(t, s)
	p := planOf[mapped](t, nil)
	first := encodeOf(t, p, s)
	for range 20 {
		sameImage(t, first, encodeOf(t, p, s))
	}
}

// Keys that are not equal to themselves move too.
func TestNaNKey(t *testing.T) {
	got := move(t, &map[float64]int{math.NaN(): 7})
	for k, v := range *got {
		if k == k || v != 7 || len(*got) != 1 {
			t.Errorf("%v", *got)
		}
	}
}

type opted struct {
	When    time.Time
	Later   []time.Time
	Random  *rand.PCG
	private time.Time
	Value   both
	Old     older
}

// both encodes itself with a value receiver.
type both struct{ hidden *string }

func (b both) AppendBinary(to []byte) ([]byte, error) { return append(to, *b.hidden...), nil }
func (b *both) UnmarshalBinary(from []byte) error {
	s := string(from)
	b.hidden = &s
	return nil
}

// older is a type without AppendBinary.
type older struct{ f func() string }

func (o *older) MarshalBinary() ([]byte, error) { return []byte(o.f()), nil }
func (o *older) UnmarshalBinary(from []byte) error {
	s := string(from)
	o.f = func() string { return s }
	return nil
}

// Types that encode themselves do so.
func TestOwnEncoding(t *testing.T) {
	word := "word"
	s := &opted{When: time.Unix(1, 2).UTC(), Later: []time.Time{time.Unix(3, 4).UTC()}, Random: rand.NewPCG(1, 2),
		private: time.Unix(5, 6).UTC(), Value: both{&word}, Old: older{func() string { return "old" }}}
	got := move(t, s)
	if !got.When.Equal(s.When) || !got.Later[0].Equal(s.Later[0]) || !got.private.Equal(s.private) {
		t.Errorf("times: %+v", got)
	}
	if a, b := s.Random.Uint64(), got.Random.Uint64(); a != b {
		t.Errorf("random numbers go on with %d, not %d", b, a)
	}
	if *got.Value.hidden != word || got.Old.f() != "old" {
		t.Errorf("%q and %q", *got.Value.hidden, got.Old.f())
	}
}

// Unexported fields can be moved if they hold no shared values; so can counters.
func TestUnexported(t *testing.T) {
	type inner struct {
		a int
		s string
	}
	type Base struct{ Rows []int }
	type base struct{ Columns []int }
	type state struct {
		Base
		base
		n     int
		name  string
		part  inner
		Next  *inner
		Count atomic.Int64
		_     [0]func()
	}
	s := &state{Base{[]int{1}}, base{[]int{2}}, 3, "n", inner{4, "s"}, &inner{5, "t"}, atomic.Int64{}, [0]func(){}}
	s.Count.Store(6)
	if got := moveEqual(t, s); got.Count.Load() != 6 {
		t.Error("the counter has", got.Count.Load())
	}
}
