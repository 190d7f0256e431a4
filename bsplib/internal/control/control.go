// Package control carries the runtime's own messages between the ranks of a
// run: what they agree on, what they report, what they decide.
//
// The program's data travels on one lane of a Comm, in the format of package
// bsplib's streams; control messages travel on the other, a Channel, as values
// of Go types (package internal/wire). An exchange of a Channel is a barrier of
// all ranks, like a superstep's: every rank puts its messages into it with Send,
// calls Exchange, and takes what has arrived with Each. Allgather, Gather and
// Broadcast are the three shapes that most of these exchanges have.
//
// Ranks that stay away (mpi.Comm.Attend) send and get nothing: a value of theirs is the
// zero value.
//
// Invariants: all ranks that take part make the same exchanges of one Channel in the same
// order, and both ends of a message know its type from where they stand in the
// program. What Each hands out shares no memory with the Channel.
//
// BSP cost of each exchange: l, and g for the bytes of the rank that sends or
// receives most.
package control

import (
	"encoding"
	"encoding/binary"
	"fmt"

	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/mpi"
)

// Channel is a rank's end of the control lane. One goroutine uses it at a time.
type Channel struct {
	comm   mpi.Comm
	lane   *mpi.Lane
	meter  Meter
	packed []byte
}

// Meter is told what exchanges carry. Emulated platforms charge for it.
type Meter interface {
	// Ship is called before an exchange with the bytes for each rank.
	Ship(to int, bytes int64)
	// Shipped is called when the exchange is over on all ranks.
	Shipped()
}

// lane is the number of the control lane in every Comm.
const lane = 1

// New makes the rank's end of a Comm's control lane. There may be several: they
// are the same lane.
func New(comm mpi.Comm) *Channel { return &Channel{comm: comm, lane: comm.Lane(lane)} }

// Comm is the Comm whose lane this is.
func (c *Channel) Comm() mpi.Comm { return c.comm }

// Metered is the same Channel with a meter, nil for none.
func (c *Channel) Metered(m Meter) *Channel {
	return &Channel{comm: c.comm, lane: c.lane, meter: m}
}

// Send adds a message for a rank to the next Exchange.
//
// Errors: an AppendBinary of v or of a part of it has failed; nothing is added
// then.
func Send[T any](c *Channel, to int, v *T) error {
	if _, own := any(v).(encoding.BinaryAppender); own {
		var err error
		if c.packed, err = wire.Append(c.packed[:0], v); err == nil {
			c.add(to, c.packed)
		}
		return err
	}
	return send(c, to, v, 0)
}

// Attach adds a message for a rank to the next Exchange of messages of another kind, which
// need not expect it: Each and its kin pass over it, and Attached takes it.
//
// Errors: as for Send.
func Attach[T any](c *Channel, to int, v *T) error { return send(c, to, v, attached) }

// attached is the bit of a message's length that says so.
const attached = 1 << 62

// send puts the message where it leaves from: it may be as large as a process.
func send[T any](c *Channel, to int, v *T, mark uint64) error {
	b, n := &c.lane.Out[to], wire.Size(v)
	b.Grow(binary.MaxVarintLen64 + n)
	all, err := wire.AppendFields(binary.AppendUvarint(b.Bytes, uint64(n)|mark), v)
	if err == nil && len(all) > cap(b.Bytes) {
		err = fmt.Errorf("a message (%T) of more than the %d bytes that it was to have", *v, n)
	}
	if err == nil {
		b.Bytes = all
	}
	return err
}

// add adds a message and its length to what leaves for a rank.
func (c *Channel) add(to int, message []byte) {
	b := &c.lane.Out[to]
	b.Grow(binary.MaxVarintLen64 + len(message))
	b.Bytes = binary.AppendUvarint(b.Bytes, uint64(len(message)))
	b.Bytes = append(b.Bytes, message...)
}

// Exchange delivers all messages. The result is the OR of all ranks' flags.
func (c *Channel) Exchange(flags mpi.Flags) (mpi.Flags, error) {
	if c.meter == nil {
		return c.comm.Exchange(c.lane, flags)
	}
	for to := range c.lane.Out {
		c.meter.Ship(to, int64(len(c.lane.Out[to].Bytes)))
	}
	all, err := c.comm.Exchange(c.lane, flags)
	if err == nil {
		c.meter.Shipped()
	}
	return all, err
}

// Each calls take with every message that the last Exchange has brought, by
// source rank and in the order in which each was sent. An error of take ends it.
func Each[T any](c *Channel, take func(from int, v *T) error) error { return each(c, 0, take) }

// Attached is Each of what was attached.
func Attached[T any](c *Channel, take func(from int, v *T) error) error {
	return each(c, attached, take)
}

func each[T any](c *Channel, mark uint64, take func(from int, v *T) error) error {
	for from := range c.lane.In {
		for rest := c.lane.In[from]; len(rest) > 0; {
			message, is, after, err := next(rest)
			if err == nil && is != mark {
				rest = after
				continue
			}
			v := new(T)
			if err == nil {
				err = wire.Read(message, v)
			}
			if err != nil {
				return damaged[T](from, err)
			}
			if err := take(from, v); err != nil {
				return err
			}
			rest = after
		}
	}
	return nil
}

// next takes the first message off what a rank has sent.
func next(in []byte) (message []byte, mark uint64, rest []byte, err error) {
	n, head := binary.Uvarint(in)
	mark = n & attached
	n -= mark
	if head <= 0 || n > uint64(len(in)-head) {
		return nil, 0, nil, wire.ErrDamaged
	}
	return in[head : head+int(n)], mark, in[head+int(n):], nil
}

// only takes the one message that a rank has sent.
func only(in []byte) (message []byte, err error) {
	message, mark, rest, err := next(in)
	if err == nil && (len(rest) > 0 || mark != 0) {
		err = wire.ErrDamaged
	}
	return message, err
}

func damaged[T any](from int, err error) error {
	var v T
	return fmt.Errorf("a message of rank %d (%T): %w", from, v, err)
}

// Allgather gives every rank all ranks' values, by rank.
func Allgather[T any](c *Channel, v *T) ([]T, error) {
	var err error
	if c.packed, err = wire.Append(c.packed[:0], v); err != nil {
		return nil, err
	}
	for to := range c.lane.Out {
		if mpi.Present(c.comm, to) {
			c.add(to, c.packed)
		}
	}
	if _, err := c.Exchange(0); err != nil {
		return nil, err
	}
	return one[T](c, nil)
}

// Gather gives root all ranks' values, by rank, and the others nil. The values
// of all are used again where there are as many, with the memory of their slices.
func Gather[T any](c *Channel, root int, v *T, all []T) ([]T, error) {
	all, _, err := GatherWith(c, root, v, all, 0)
	return all, err
}

// GatherWith is Gather, and gives every rank the OR of all ranks' flags.
func GatherWith[T any](c *Channel, root int, v *T, all []T, flags mpi.Flags) ([]T, mpi.Flags, error) {
	if err := Send(c, root, v); err != nil {
		return nil, 0, err
	}
	flags, err := c.Exchange(flags)
	if err != nil || c.comm.Rank() != root {
		return nil, flags, err
	}
	all, err = one(c, all)
	return all, flags, err
}

// Broadcast gives all ranks root's value.
func Broadcast[T any](c *Channel, root int, v *T) error {
	if c.comm.Rank() == root {
		var err error
		if c.packed, err = wire.Append(c.packed[:0], v); err != nil {
			return err
		}
		for to := range c.lane.Out {
			if to != root && mpi.Present(c.comm, to) {
				c.add(to, c.packed)
			}
		}
	}
	if _, err := c.Exchange(0); err != nil || c.comm.Rank() == root {
		return err
	}
	message, err := only(c.lane.In[root])
	if err == nil {
		err = wire.Read(message, v)
	}
	if err != nil {
		return damaged[T](root, err)
	}
	return nil
}

// one is the one message of each rank that takes part.
func one[T any](c *Channel, all []T) ([]T, error) {
	if len(all) != len(c.lane.In) {
		all = make([]T, len(c.lane.In))
	}
	for from, in := range c.lane.In {
		if !mpi.Present(c.comm, from) {
			var none T
			all[from] = none
			continue
		}
		message, err := only(in)
		if err == nil {
			err = wire.Read(message, &all[from])
		}
		if err != nil {
			return nil, damaged[T](from, err)
		}
	}
	return all, nil
}
