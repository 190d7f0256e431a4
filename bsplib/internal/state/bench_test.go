package state

import (
	"fmt"
	"testing"
	"unsafe"
)

type benchState struct {
	A, B, C, D, E int
	F, G, H, I, J float64
	K, L, M, N    int32
	O, P, Q, R    bool
	S             string
	T             *point
}

func benchRows(n, each int) *[][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, each)
	}
	return &rows
}

func benchMap(n int) *map[string]float64 {
	m := make(map[string]float64, n)
	for i := range n {
		m[fmt.Sprintf("key-%d", i*i)] = float64(i)
	}
	return &m
}

func benchList(n int) **ring {
	var first *ring
	for i := range n {
		first = &ring{Value: i, Next: first}
	}
	return &first
}

func BenchmarkState(b *testing.B) {
	benchOne(b, "tiny", &benchState{S: "name", T: &point{1, 2}})
	benchOne(b, "plain", &scalars{})
	one, many := make([]float64, 1<<17), make([]float64, 1<<23)
	benchOne(b, "1MiB", &one)
	benchOne(b, "64MiB", &many)
	benchOne(b, "1000rows", benchRows(1000, 100))
	benchOne(b, "1000largeRows", benchRows(1000, 1000))
	benchOne(b, "map1000", benchMap(1000))
	benchOne(b, "list1000", benchList(1000))
}

// benchOne measures encoding, size and decoding. Decoding does not fill spans.
func benchOne[T any](b *testing.B, name string, state *T) {
	p := planOf[T](b, nil)
	image := encodeOf(b, p, state)
	b.Run("encode/"+name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Encode(unsafe.Pointer(state), nil)
		}
	})
	b.Run("size/"+name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Size(unsafe.Pointer(state), nil)
		}
	})
	b.Run("decode/"+name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Decode(image.Skeleton, unsafe.Pointer(new(T)), nil)
		}
	})
}

func BenchmarkDigest(b *testing.B) {
	for _, n := range []int{64, 4 << 10, 1 << 20, 64 << 20} {
		image := Image{Spans: [][]byte{make([]byte, n)}}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				Digest(image)
			}
		})
	}
}
