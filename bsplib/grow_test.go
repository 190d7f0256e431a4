package bsplib_test

import (
	"testing"

	"github.com/migbsp/migbsp/bsplib"
)

// Puts and messages of one word grow into records, whose lengths are written down when
// something else follows. Whatever that is, and whatever process of the rank it comes from,
// all arrive.
func TestRecordsThatGrow(t *testing.T) {
	for _, ranks := range []int{1, 2} {
		for puts := range 4 {
			for sends := range 5 {
				err := bsplib.Run(bsplib.Config{Procs: 4, Ranks: ranks}, func(p *bsplib.Proc, _ *struct{}) error {
					return growing(t, p, puts, sends)
				})
				if err != nil {
					t.Fatalf("%d ranks, %d puts, %d sends: %v", ranks, puts, sends, err)
				}
			}
		}
	}
}

func growing(t *testing.T, p *bsplib.Proc, puts, sends int) error {
	const room = 64
	x := bsplib.Alloc[float64](p, p.NProcs()*room)
	y := bsplib.Alloc[float64](p, p.NProcs()*room)
	q := bsplib.NewQueue[int32, float64](p)
	p.Sync()
	value := func(from, i int) float64 { return float64(1000*(from+1) + i) }
	for to := range p.NProcs() {
		at, i := p.Pid()*room, 0
		for range 3 {
			for range puts {
				x.Put(to, at+i, value(p.Pid(), i))
				i++
			}
			for range puts {
				y.Put(to, at+i, value(p.Pid(), i))
				i++
			}
			for k := range sends {
				q.Send(to, int32(k), value(p.Pid(), k))
			}
			x.Put(to, at+i, value(p.Pid(), i), value(p.Pid(), i+1))
			i += 2
		}
	}
	p.Sync()
	if got, want := q.Len(), p.NProcs()*3*sends; got != want || q.Bytes() != 8*want {
		t.Errorf("%d messages of %d bytes, want %d of %d", got, q.Bytes(), want, 8*want)
	}
	for from := range p.NProcs() {
		at, i := from*room, 0
		check := func(area []float64) {
			if got, want := area[at+i], value(from, i); got != want {
				t.Errorf("process %d: word %d from %d is %g, want %g", p.Pid(), i, from, got, want)
			}
			i++
		}
		for range 3 {
			for range puts {
				check(x.Slice())
			}
			for range puts {
				check(y.Slice())
			}
			for k := range sends {
				before := q.Len()
				tag, values, ok := q.Next()
				if !ok || int(tag) != k || len(values) != 1 || values[0] != value(from, k) {
					t.Errorf("process %d: message %d from %d is %v %v %v", p.Pid(), k, from, tag, values, ok)
				}
				if q.Len() != before-1 || q.Bytes() != 8*(before-1) {
					t.Errorf("%d messages of %d bytes are left, want %d", q.Len(), q.Bytes(), before-1)
				}
			}
			check(x.Slice())
			check(x.Slice())
		}
	}
	return nil
}
