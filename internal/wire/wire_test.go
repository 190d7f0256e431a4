package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/wire"
)

type everything struct {
	A bool
	B int
	C int8
	D uint16
	E uint64
	F float64
	G float32
	H string
	I []string
	J [3]int32
	K *point
	L []point
	M time.Duration
	n []int
	O wire.Raw[point]
	P []byte
	Q []link
	R struct{ link }
}

type point struct{ X, y int }

type link struct {
	a    int64
	b, c float64
	d    int32
	not  *testing.T `wire:"-"`
	e    float32
}

func random(r *rand.Rand) everything {
	number := func() int64 { return int64(r.Uint64()) >> r.IntN(64) }
	points := func() []point {
		var all []point
		for range r.IntN(4) {
			all = append(all, point{int(number()), int(number())})
		}
		return all
	}
	v := everything{
		A: r.IntN(2) == 0, B: int(number()), C: int8(number()), D: uint16(number()), E: r.Uint64() >> r.IntN(64),
		F: r.NormFloat64(), G: float32(r.NormFloat64()), H: strings.Repeat("é", r.IntN(100)),
		J: [3]int32{int32(number()), 0, -1}, L: points(), M: time.Duration(number()), O: points(), P: bytes.Repeat([]byte{7}, r.IntN(200)),
	}
	v.R.link = link{a: number(), b: r.Float64(), c: 1, d: int32(number()), e: 2}
	for i := range r.IntN(3) {
		v.I, v.n, v.Q = append(v.I, v.H, v.H[:2*min(i, len(v.H)/2)]), append(v.n, v.B), append(v.Q, v.R.link)
	}
	if r.IntN(2) == 0 {
		v.K = &point{v.B, 1}
	}
	return v
}

// What is read is what was appended, also into a value that was used before, and
// its size was known.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var used everything
	for range 2000 {
		want := random(r)
		b, err := wire.Append([]byte("before"), &want)
		if err != nil || string(b[:6]) != "before" {
			t.Fatal(err)
		}
		b = b[6:]
		if wire.Size(&want) != len(b) {
			t.Fatalf("%d bytes, Size says %d", len(b), wire.Size(&want))
		}
		var got everything
		if err := wire.Read(b, &got); err != nil || !same(got, want) {
			t.Fatalf("%+v\nwas read as\n%+v, %v", want, got, err)
		}
		if err := wire.Read(b, &used); err != nil || !same(used, want) {
			t.Fatalf("%+v\nwas read again as\n%+v, %v", want, used, err)
		}
	}
}

// same compares values in which an empty slice is as good as none.
func same(a, b everything) bool {
	text := func(v everything) string {
		k := point{}
		if v.K != nil {
			k = *v.K
			k.X++
		}
		v.K = nil
		return fmt.Sprintf("%#v %v", v, k)
	}
	for _, v := range []*everything{&a, &b} {
		v.I, v.L, v.n, v.O = append([]string{}, v.I...), append([]point{}, v.L...), append([]int{}, v.n...), append([]point{}, v.O...)
		v.P, v.Q = append([]byte{}, v.P...), append([]link{}, v.Q...)
	}
	return text(a) == text(b)
}

// The bytes are those that the package comment promises.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		bytes func() ([]byte, error)
		want  string
	}{
		{of(struct{}{}), ""},
		{of(-1), "\x01"},
		{of(uint(300)), "\xac\x02"},
		{of(true), "\x01"},
		{of(1.0), "\x00\x00\x00\x00\x00\x00\xf0\x3f"},
		{of("ab"), "\x04ab"},
		{of([]string{"ab", "", "c", "c", "ab"}), "\x0a\x04ab\x00\x02c\x03\x01"},
		{of(link{a: 1, d: 2}), "\x02" + strings.Repeat("\x00", 16) + "\x04\x00\x00\x00\x00"},
		{of([]int64{-64, 64, -8192, 8192, -1 << 20, 1 << 20}), "\x0c\x7f\x80\x01\xff\x7f\x80\x80\x01\xff\xff\x7f\x80\x80\x80\x01"},
		{of(wire.Runs{1, 1, 0}), "\x06\x04\x00\x00\x00\x00\x00\x00\xf0\x3f\x02\x00\x00\x00\x00\x00\x00\x00\x00"},
		{of([]int{1, 2}), "\x04\x02\x04"},
		{of([2]uint8{7, 8}), "\x07\x08"},
		{of(&point{1, 2}), "\x01\x02\x04"},
		{of((*point)(nil)), "\x00"},
		{of(wire.Raw[uint16]{1, 2}), "\x01\x00\x02\x00"},
		{of([]wire.Raw[uint16]{{1, 2}}), "\x02\x08\x01\x00\x02\x00"},
		{of([]wire.Raw[byte]{bytes.Repeat([]byte("x"), 70)}), "\x02\x8c\x01" + strings.Repeat("x", 70)},
	} {
		if b, err := c.bytes(); err != nil || string(b) != c.want {
			t.Errorf("%q, want %q (%v)", b, c.want, err)
		}
	}
}

func of[T any](v T) func() ([]byte, error) {
	return func() ([]byte, error) { return wire.Append(nil, &v) }
}

// Bytes that are missing, left over or not possible are an error.
func TestDamaged(t *testing.T) {
	v := random(rand.New(rand.NewPCG(3, 4)))
	v.K = &point{1, 2}
	b, _ := wire.Append(nil, &v)
	for n := range b {
		var got everything
		if err := wire.Read(b[:n], &got); !errors.Is(err, wire.ErrDamaged) {
			t.Errorf("the first %d of %d bytes: %v", n, len(b), err)
		}
	}
	var got everything
	if err := wire.Read(append(b, 0), &got); !errors.Is(err, wire.ErrDamaged) {
		t.Errorf("one byte too many: %v", err)
	}
	for _, c := range []struct {
		read  func(b []byte) error
		bytes string
	}{
		{into[[]uint64], "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
		{into[[]float64], "\x04\x00\x00\x00\x00\x00\x00\x00\x00"},
		{into[string], "\x01"},
		{into[[]string], "\x04\x02a\x03"},
		{into[wire.Runs], "\x01"},
		{into[wire.Runs], "\x02\x00" + strings.Repeat("\x00", 8)},
		{into[wire.Runs], "\x02\x04" + strings.Repeat("\x00", 8)},
		{into[wire.Runs], "\x82\x80\x80\x04\x82\x80\x80\x04" + strings.Repeat("\x00", 8)},
		{into[bool], "\x02"},
		{into[int8], "\x80\x02"},
		{into[uint8], "\x80\x02"},
		{into[wire.Raw[uint16]], "\x00"},
		{into[int], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
	} {
		if err := c.read([]byte(c.bytes)); !errors.Is(err, wire.ErrDamaged) {
			t.Errorf("%q: %v", c.bytes, err)
		}
	}
}

func into[T any](b []byte) error {
	var v T
	return wire.Read(b, &v)
}

// own has an encoding of its own, which does not suit all values.
type own struct{ n int }

var errOdd = errors.New("odd")

func (o own) AppendBinary(b []byte) ([]byte, error) {
	if o.n%2 != 0 {
		return nil, errOdd
	}
	return append(b, bytes.Repeat([]byte("o"), o.n)...), nil
}

func (o *own) UnmarshalBinary(b []byte) error {
	if o.n = len(b); o.n > 1000 {
		return errOdd
	}
	return nil
}

func TestOwnEncoding(t *testing.T) {
	v := []own{{2}, {200}, {0}}
	b, err := wire.Append(nil, &v)
	var got []own
	if err != nil || wire.Size(&v) != len(b) || wire.Read(b, &got) != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%v, %d bytes of %d: %v", err, len(b), wire.Size(&v), got)
	}
	if _, err := wire.Append(nil, &[]own{{1}}); !errors.Is(err, errOdd) {
		t.Error(err)
	}
	b, _ = wire.Append(nil, &[]own{{2000}})
	if err := wire.Read(b, &got); !errors.Is(err, errOdd) {
		t.Error(err)
	}
}

// Numbers that repeat take the bytes of one, and are read into the memory of others.
func TestRuns(t *testing.T) {
	negative := math.Copysign(0, -1)
	v := make(wire.Runs, 1<<22)
	v[len(v)-1], v[len(v)-2] = negative, math.NaN()
	b, err := wire.Append(nil, &v)
	if err != nil || len(b) > 40 || wire.Size(&v) != len(b) {
		t.Fatalf("%d bytes of %d: %v", len(b), wire.Size(&v), err)
	}
	got := wire.Runs{1, 2}
	if err := wire.Read(b, &got); err != nil || len(got) != len(v) || !math.Signbit(got[len(v)-1]) || !math.IsNaN(got[len(v)-2]) || got[0] != 0 {
		t.Errorf("%d numbers: %v", len(got), err)
	}
	first := &got[0]
	b, _ = wire.Append(nil, &wire.Runs{7, 7})
	if err := wire.Read(b, &got); err != nil || !slices.Equal(got, wire.Runs{7, 7}) || &got[0] != first {
		t.Errorf("%v: %v", got, err)
	}
}

// A long message costs no memory but that of the reader and the writer, if value
// and bytes are used again.
func TestMemoryIsUsedAgain(t *testing.T) {
	v := struct {
		A []point
		B wire.Raw[float64]
	}{make([]point, 100), make([]float64, 100)}
	b, _ := wire.Append(nil, &v)
	if n := testing.AllocsPerRun(100, func() { wire.Read(b, &v); b, _ = wire.Append(b[:0], &v) }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}

func TestMessagesOfReferencesAreAMistake(t *testing.T) {
	defer func() {
		if s, _ := recover().(string); !strings.Contains(s, "func() cannot be part of a message") {
			t.Errorf("panic: %v", s)
		}
	}()
	wire.Append(nil, &struct{ F func() }{})
}

func FuzzRead(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		v := random(r)
		b, _ := wire.Append(nil, &v)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v, again everything
		if wire.Read(b, &v) != nil {
			return
		}
		c, err := wire.Append(nil, &v)
		if err != nil || wire.Read(c, &again) != nil || !same(v, again) {
			t.Errorf("%+v and %+v, %v", v, again, err)
		}
	})
}

// sized has an encoding of its own, and says how long it is.
type sized struct{ bytes []byte }

func (s sized) AppendBinary(b []byte) ([]byte, error) { return append(b, s.bytes...), nil }
func (s sized) Size() int                             { return len(s.bytes) }

func (s *sized) UnmarshalBinary(b []byte) error {
	s.bytes = bytes.Clone(b)
	return nil
}

// A message needs no more room than Size while it is written: it may be written into
// memory that others know, which it must not leave.
func TestSizeIsEnough(t *testing.T) {
	for last := range 300 {
		v := []sized{{make([]byte, 20000)}, {make([]byte, last)}}
		memory := make([]byte, 0, wire.Size(&v))
		b, err := wire.AppendFields(memory, &v)
		if err != nil || len(b) != cap(memory) || &b[0] != &memory[:1][0] {
			t.Fatalf("a last part of %d bytes: %d bytes of %d, %v", last, len(b), cap(memory), err)
		}
	}
	wrong := []misjudged{{}}
	if _, err := wire.Append(nil, &wrong); err == nil || !strings.Contains(err.Error(), "AppendBinary appends 2 bytes, Size is 1") {
		t.Error(err)
	}
}

// misjudged is longer than it says.
type misjudged struct{}

func (misjudged) AppendBinary(b []byte) ([]byte, error) { return append(b, 1, 2), nil }
func (*misjudged) UnmarshalBinary([]byte) error         { return nil }
func (misjudged) Size() int                             { return 1 }
