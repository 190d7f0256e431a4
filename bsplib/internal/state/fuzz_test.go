package state

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// withMemory is the type that the fuzzer decodes.
type withMemory struct {
	World world
	Area  area[float64]
	View  []float64
	Picky []picky
	Crowd map[picky]struct{}
	Marks map[struct{}]int
}

func fuzzImage(t testing.TB, p *Plan, seed uint64) Image {
	s := &withMemory{World: *randomWorld(seed), Picky: make([]picky, seed%3), Crowd: map[picky]struct{}{{}: {}}, Marks: map[struct{}]int{{}: 1}}
	s.World.Self, s.World.Number = nil, nil
	x := make([]float64, 4+seed%900)
	s.Area, s.View = register(5, x), x[2:3]
	return encodeOf(t, p, s, memoryOf(x, 5))
}

const fuzzLimit = 1 << 22

// decodeAny decodes arbitrary bytes, fills the spans, and uses the decoded value.
func decodeAny(t testing.TB, p *Plan, b []byte) error {
	total, err := ImageBytes(b)
	if err != nil || total > fuzzLimit {
		return err
	}
	here := areas{}
	p = p.With(here)
	asked := int64(0)
	state := new(withMemory)
	spans, err := p.Decode(b, unsafe.Pointer(state), func(number uint64, n int) (unsafe.Pointer, error) {
		if asked += int64(n); asked > total {
			t.Fatalf("memories of %d bytes in a state of %d", asked, total)
		}
		m := memoryOf(make([]float64, (n+7)/8), number)
		m.Bytes, here[number] = n, m
		return m.Base, nil
	})
	if err != nil {
		return err
	}
	for _, s := range spans {
		clear(s)
	}
	runtime.KeepAlive(state)
	_, err = p.Encode(unsafe.Pointer(state), nil)
	return err
}

// Decode takes any bytes without panic and within its limit.
func FuzzDecode(f *testing.F) {
	p := planOf[withMemory](f, areas{})
	for seed := range uint64(20) {
		f.Add(fuzzImage(f, p, seed).Skeleton)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= fixedHead {
			binary.LittleEndian.PutUint64(b[8:], p.layout.hash)
		}
		decodeAny(t, p, b)
	})
}

// A skeleton cut at any length is refused.
func TestTruncated(t *testing.T) {
	p := planOf[withMemory](t, areas{})
	for seed := range uint64(12) {
		b := fuzzImage(t, p, seed).Skeleton
		must.Do(t, decodeAny(t, p, b))
		for n := 0; n < len(b); n += 1 + n/500 {
			if decodeAny(t, p, bytes.Clone(b[:n])) == nil {
				t.Fatalf("seed %d: %d of %d bytes are enough", seed, n, len(b))
			}
		}
	}
}

// Skeletons with wrong bytes are decoded or refused, not more. Memory that is
// handed out wrongly would be seen by the collector.
func TestDamaged(t *testing.T) {
	p := planOf[withMemory](t, areas{})
	r := rand.New(rand.NewPCG(3, 4))
	refusals := 0
	for round := range 20_000 {
		b := fuzzImage(t, p, uint64(round%50)).Skeleton
		for range 1 + r.IntN(3) {
			b[fixedHead+r.IntN(len(b)-fixedHead)] = []byte{0, 1, 2, 3, 0x7f, 0x80, 0xff, byte(r.Uint32())}[r.IntN(8)]
		}
		if decodeAny(t, p, b) != nil {
			refusals++
		}
		if round%1000 == 0 {
			runtime.GC()
		}
	}
	if refusals < 1000 {
		t.Errorf("only %d of 20000 were refused", refusals)
	}
}

// A skeleton with a wrong total of memory is refused, and decoding never allocates more than the
// total.
func TestWrongTotal(t *testing.T) {
	p := planOf[withMemory](t, areas{})
	b := fuzzImage(t, p, 7).Skeleton
	total, err := ImageBytes(b)
	if err != nil || total == 0 {
		t.Fatal(total, err)
	}
	for _, wrong := range []int64{0, 1, total / 2, total - 1, total + 1} {
		binary.LittleEndian.PutUint64(b[16:], uint64(wrong))
		says(t, decodeAny(t, p, b), "damaged")
	}
}
