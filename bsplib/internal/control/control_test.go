package control_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// onRanks runs body on each of n in-process ranks.
func onRanks(t *testing.T, n int, body func(rank int, c *control.Channel) error) {
	t.Helper()
	mpitest.OnRanks(n)(t, func(comm mpi.Comm) error { return body(comm.Rank(), control.New(comm)) })
}

type note struct {
	From  int
	Words []string
}

func noteOf(rank int) note {
	return note{rank, slices.Repeat([]string{fmt.Sprint("from ", rank)}, rank)}
}

func wrong(got, want any) error {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%v, want %v", got, want)
	}
	return nil
}

func TestShapes(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		var want []note
		for rank := range n {
			want = append(want, noteOf(rank))
		}
		onRanks(t, n, func(rank int, c *control.Channel) error {
			mine, last := noteOf(rank), n-1
			all, err := control.Allgather(c, &mine)
			if err == nil {
				err = wrong(all, want)
			}
			for range 2 { // the second time into existing values
				if err == nil {
					if all, err = control.Gather(c, last, &mine, all); rank == last {
						err = errors.Join(err, wrong(all, want))
					} else if all != nil {
						err = errors.Join(err, wrong(all, nil))
					}
				}
			}
			if err == nil {
				err = control.Broadcast(c, last, &mine)
			}
			return errors.Join(err, wrong(mine, want[last]))
		})
	}
}

// Messages arrive by source and in order. Flags are combined over all ranks.
func TestExchange(t *testing.T) {
	onRanks(t, 3, func(rank int, c *control.Channel) error {
		for i := range rank {
			for to := range 3 {
				v := 10*rank + i + 100*to
				mpitest.Need(control.Send(c, to, &v))
			}
		}
		flags, err := c.Exchange(mpi.Flags(1 << rank))
		if err != nil || flags != 7 {
			return fmt.Errorf("flags %b, %v", flags, err)
		}
		var got []int
		err = control.Each(c, func(from int, v *int) error {
			got = append(got, from, *v)
			return nil
		})
		if err != nil {
			return err
		}
		return wrong(got, []int{1, 10 + 100*rank, 2, 20 + 100*rank, 2, 21 + 100*rank})
	})
}

type bytesBy struct {
	to      [2]int64
	shipped int
}

func (m *bytesBy) Ship(to int, bytes int64) { m.to[to] += bytes }
func (m *bytesBy) Shipped()                 { m.shipped++ }

func TestMeter(t *testing.T) {
	onRanks(t, 2, func(rank int, c *control.Channel) error {
		var m bytesBy
		metered := c.Metered(&m)
		text := "twelve bytes"
		mpitest.Got(control.Gather(metered, 1, &text, nil))
		mpitest.Got(control.Allgather(c, &text)) // not metered
		if m.to[0] != 0 || m.to[1] < 12 || m.to[1] > 16 || m.shipped != 1 {
			return fmt.Errorf("%+v", m)
		}
		return nil
	})
}

// A message of an unexpected type is an error that names the sender and the type.
func TestMismatch(t *testing.T) {
	onRanks(t, 2, func(rank int, c *control.Channel) error {
		v := 5
		mpitest.Need(control.Send(c, 0, &v))
		if _, err := c.Exchange(0); err != nil || rank != 0 {
			return err
		}
		err := control.Each(c, func(from int, v *note) error { return nil })
		if !errors.Is(err, wire.ErrDamaged) || !strings.Contains(err.Error(), "a message of rank 0 (control_test.note)") {
			return fmt.Errorf("error %v", err)
		}
		stop := errors.New("stop")
		if err := control.Each(c, func(from int, v *int) error { return stop }); err != stop {
			return fmt.Errorf("error %v", err)
		}
		return nil
	})
}

// Attached messages arrive with an exchange, and Each skips them.
func TestAttached(t *testing.T) {
	onRanks(t, 3, func(rank int, c *control.Channel) error {
		next, v := (rank+1)%3, noteOf(rank+1)
		mpitest.Need(control.Attach(c, next, &v))
		for to := range 3 {
			mpitest.Need(control.Send(c, to, &rank))
		}
		mpitest.Need(control.Attach(c, next, &v))
		mpitest.Got(c.Exchange(0))
		var ranks []int
		err := control.Each(c, func(_ int, v *int) error {
			ranks = append(ranks, *v)
			return nil
		})
		var notes []note
		before := (rank + 2) % 3
		err = errors.Join(err, control.Attached(c, func(from int, v *note) error {
			notes = append(notes, *v)
			return wrong(from, before)
		}))
		return errors.Join(err, wrong(ranks, []int{0, 1, 2}), wrong(notes, []note{noteOf(before + 1), noteOf(before + 1)}))
	})
}

// An attached message is not accepted as an expected message.
func TestAttachedIsNotExpected(t *testing.T) {
	onRanks(t, 2, func(rank int, c *control.Channel) error {
		if rank == 0 {
			mpitest.Need(control.Attach(c, 1, &rank))
			_, err := c.Exchange(0)
			return err
		}
		if err := control.Broadcast(c, 0, new(int)); !errors.Is(err, wire.ErrDamaged) {
			return fmt.Errorf("error %v", err)
		}
		return nil
	})
}
