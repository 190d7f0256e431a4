package state

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// world is a state of many kinds of parts that refer to each other.
type world struct {
	Step    int
	Name    string
	Grid    [3][2]float64
	Numbers []float64
	Bytes   []byte
	Rows    [][]float64
	Blocks  [][2][3]int16
	Nodes   []thing
	Root    *thing
	Some    []*thing
	Words   []string
	Word    *string
	Number  *float64
	Pair    *[2]float64
	In      *inner // of a thing
	Three   *[3]float64
	Index   map[string][]float64
	ByPoint map[point]*thing
	Nested  map[int8]map[string]bool
	When    time.Time
	Same    map[string][]float64
	Empty   []struct{}
	Self    *world
}

type thing struct {
	Tag   int8
	Value float64
	Left  *thing
	Kids  []*thing
	Name  string
	View  []float64
	Inner inner
	Local [3]float64
	Table map[string]int
}

type inner struct {
	On    bool
	Words []string
}

// pool holds the values that a random world is made of.
type pool struct {
	*rand.Rand
	numbers [][]float64
	bytes   []byte
	words   []string
	things  []thing
	tables  []map[string]int
	index   map[string][]float64
}

func newPool(seed uint64) *pool {
	p := &pool{Rand: rand.New(rand.NewPCG(seed, 1)), index: map[string][]float64{}}
	for range p.IntN(4) {
		p.numbers = append(p.numbers, make([]float64, p.IntN(5)*p.IntN(300)))
	}
	for _, s := range p.numbers {
		for i := range s {
			s[i] = p.Float64()
		}
	}
	p.bytes = randomBytes(p.Rand, p.IntN(2)*p.IntN(9000))
	for range p.IntN(9) {
		p.words = append(p.words, strings.Repeat("w", p.IntN(5))+strings.Repeat(string(rune('a'+p.IntN(26))), p.IntN(2)*p.IntN(2)*p.IntN(9000)))
	}
	p.things = make([]thing, p.IntN(6))
	for range 2 {
		p.tables = append(p.tables, map[string]int{})
	}
	return p
}

// some returns a random part of a slice, nil, or an empty slice.
func some[E any](p *pool, s []E) []E {
	if len(s) == 0 || p.IntN(5) == 0 {
		return [][]E{nil, {}, make([]E, p.IntN(4))}[p.IntN(3)]
	}
	from := p.IntN(len(s))
	to := from + p.IntN(len(s)-from+1)
	if p.IntN(2) == 0 {
		return s[from:to]
	}
	return s[from:to:to]
}

// one returns a random element of a slice, or nil.
func one[E any](p *pool, s []E) *E {
	if len(s) == 0 || p.IntN(4) == 0 {
		return nil
	}
	return &s[p.IntN(len(s))]
}

func (p *pool) row() []float64 {
	if len(p.numbers) == 0 {
		return nil
	}
	return some(p, p.numbers[p.IntN(len(p.numbers))])
}

func (p *pool) word() string {
	if w := one(p, p.words); w != nil {
		return *w
	}
	return ""
}

func (p *pool) fillThing(t *thing) {
	*t = thing{Tag: int8(p.Uint32()), Value: p.Float64(), Left: one(p, p.things), Name: p.word(), View: p.row(), Table: p.tables[p.IntN(2)]}
	for range p.IntN(3) {
		t.Kids = append(t.Kids, one(p, p.things))
	}
	t.Inner.On, t.Inner.Words = p.IntN(2) == 0, some(p, p.words)
	if p.IntN(3) == 0 {
		t.View = t.Local[p.IntN(3):]
	}
	if p.IntN(3) == 0 {
		t.Table[p.word()] = p.IntN(9)
	}
}

// randomWorld returns a world that depends only on the seed, except for its addresses.
func randomWorld(seed uint64) *world {
	p := newPool(seed)
	for i := range p.things {
		p.fillThing(&p.things[i])
	}
	w := &world{Step: p.Int(), Name: p.word(), Numbers: p.row(), Bytes: some(p, p.bytes), Blocks: some(p, make([][2][3]int16, 7)),
		Nodes: some(p, p.things), Root: one(p, p.things), Words: some(p, p.words), Word: one(p, p.words), Index: p.index,
		Nested: map[int8]map[string]bool{1: nil, -1: {"a": true}}, When: time.Unix(int64(p.Uint32()), 0).UTC(), Same: p.index, Empty: make([]struct{}, p.IntN(3))}
	w.Grid[1][1] = p.Float64()
	for range p.IntN(5) {
		w.Rows = append(w.Rows, p.row())
		w.Some = append(w.Some, one(p, p.things))
		p.index[p.word()] = p.row()
	}
	w.Number = one(p, p.row())
	if s := p.row(); len(s) > 1 {
		w.Pair = (*[2]float64)(s)
	}
	if p.IntN(2) == 0 {
		w.ByPoint = map[point]*thing{{p.Float64(), 1}: one(p, p.things), {p.Float64(), 2}: nil}
	}
	if x := one(p, p.things); x != nil && p.IntN(2) == 0 {
		w.Numbers, w.In, w.Three = x.Local[p.IntN(3):], &x.Inner, &x.Local
	}
	if p.IntN(3) == 0 {
		w.Self, w.Number = w, &w.Grid[p.IntN(3)][p.IntN(2)]
	}
	return w
}

// Random states arrive equal, with all their sharing: their second image is
// the first one. Two states that were made alike have one image.
func TestRandomWorlds(t *testing.T) {
	p := planOf[world](t, nil)
	for seed := range uint64(1500) {
		w := randomWorld(seed)
		moveEqual(t, w)
		sameImage(t, encodeOf(t, p, w), encodeOf(t, p, randomWorld(seed)))
		if t.Failed() {
			t.Fatal("with seed", seed)
		}
	}
}

// Plans are the same in every process, and may be used at the same time.
func TestManyGoroutines(t *testing.T) {
	p := planOf[world](t, nil)
	if other := planOf[world](t, nil); other.layout.hash != p.layout.hash {
		t.Fatal("two plans of one type differ")
	}
	done := make(chan bool)
	for g := range uint64(4) {
		go func() {
			defer func() { done <- true }()
			for seed := range uint64(40) {
				w := randomWorld(g*1000 + seed)
				image, err := p.Encode(unsafe.Pointer(w), nil)
				got := new(world)
				spans, err2 := p.Decode(image.Skeleton, unsafe.Pointer(got), nil)
				if err != nil || err2 != nil {
					t.Error(err, err2)
					return
				}
				for i := range spans {
					copy(spans[i], image.Spans[i])
				}
				if !reflect.DeepEqual(w, got) {
					t.Error("goroutine", g, "seed", seed)
				}
			}
		}()
	}
	for range 4 {
		<-done
	}
}
