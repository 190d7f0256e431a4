package bsplib_test

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// All plain types can be elements.
func TestPlainTypes(t *testing.T) {
	type point struct {
		X, Y float64
		ID   [3]int8
		OK   bool
	}
	checkType(t, true)
	checkType(t, int8(-3))
	checkType(t, uint16(3))
	checkType(t, float32(0.5))
	checkType(t, complex(1, -1))
	checkType(t, [2][3]int{{1, 2, 3}, {4, 5, 6}})
	checkType(t, point{1, 2, [3]int8{3, 4, 5}, true})
}

func checkType[T comparable](t *testing.T, value T) {
	t.Run(fmt.Sprintf("%T", value), func(t *testing.T) {
		bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
			x := bsplib.Register(b, make([]T, 2))
			q := bsplib.NewQueue[T, T](b)
			b.Sync()
			x.Put(right(b), 1, value)
			q.Send(right(b), value, value)
			b.Sync()
			tag, got, _ := q.Next()
			return cmp.Or(equal(b, "the element", x.Slice()[1], value), equal(b, "the tag", tag, value), equal(b, "the message", got[0], value))
		})
	})
}
