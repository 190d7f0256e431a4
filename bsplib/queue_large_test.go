package bsplib_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func TestManyAndLongMessages(t *testing.T) {
	for _, c := range []struct{ messages, values int }{{20_000, 1}, {20_000, 0}, {3, 200_000}} {
		t.Run(fmt.Sprintf("%dx%d", c.messages, c.values), func(t *testing.T) {
			bsptest.Run(t, 3, func(b *bsplib.Proc, _ *none) error {
				q := bsplib.NewQueue[int, int](b)
				for i := range c.messages {
					q.Send(right(b), i, numbers(i, c.values)...)
				}
				b.Sync()
				if err := equal(b, "Len, Bytes", []int{q.Len(), q.Bytes()}, []int{c.messages, 8 * c.messages * c.values}); err != nil {
					return err
				}
				i := 0
				for tag, values := range q.All() {
					if tag != i || !slices.Equal(values, numbers(i, c.values)) {
						return fmt.Errorf("process %d: message %d has tag %d", b.Pid(), i, tag)
					}
					i++
				}
				return equal(b, "messages", i, c.messages)
			})
		})
	}
}

func TestLargeTags(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		q := bsplib.NewQueue[[500]int16, byte](b)
		q.Send(right(b), [500]int16{499: int16(b.Pid())}, 1)
		q.Send(right(b), [500]int16{0: 1})
		b.Sync()
		tag, _, _ := q.Next()
		second, _, _ := q.Next()
		return equal(b, "tags", [2]int16{tag[499], second[0]}, [2]int16{int16(left(b)), 1})
	})
}
