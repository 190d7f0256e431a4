// Package control sends the runtime's own messages between the ranks of a run: agreements, reports
// and decisions.
//
// The program's data are sent on one lane of a Comm, in the format of package bsplib's streams.
// Control messages are sent on the other lane, a Channel, as values of Go types (package
// internal/wire). An exchange of a Channel is a barrier of all ranks, like a superstep's: every rank
// adds its messages with Send, calls Exchange, and receives messages with Each. Allgather, Gather
// and Broadcast implement the most common patterns.
//
// Absent ranks (mpi.Comm.Attend) send and receive no messages; their values are zero values.
//
// Invariants: all participating ranks make the same exchanges of one Channel in the same order, and
// sender and receiver of a message agree on its type. Values passed by Each share no memory with
// the Channel.
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

// Meter measures the traffic of exchanges. Emulated platforms charge for it.
type Meter interface {
	// Ship is called before an exchange with the bytes for each rank.
	Ship(to int, bytes int64)
	// Shipped is called when the exchange is over on all ranks.
	Shipped()
}

// lane is the number of the control lane in every Comm.
const lane = 1

// New returns the rank's end of a Comm's control lane. Several Channels of a Comm share one lane.
func New(comm mpi.Comm) *Channel { return &Channel{comm: comm, lane: comm.Lane(lane)} }

// Comm returns the Comm of the Channel.
func (c *Channel) Comm() mpi.Comm { return c.comm }

// Metered returns a Channel with the same lane and a meter, which may be nil.
func (c *Channel) Metered(m Meter) *Channel {
	return &Channel{comm: c.comm, lane: c.lane, meter: m}
}

// Send adds a message for a rank to the next Exchange.
//
// Errors: an AppendBinary of v or of a part of it has failed. The message is then not added.
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

// Attach adds a message for a rank to the next Exchange, in addition to the expected messages.
// Attached receives it, and Each and similar functions skip it.
//
// Errors: as for Send.
func Attach[T any](c *Channel, to int, v *T) error { return send(c, to, v, attached) }

// attached is the bit of a message's length that marks attached messages.
const attached = 1 << 62

// send encodes the message directly into the lane, because it may be as large as a process.
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

// add adds a message and its length to the outgoing data for a rank.
func (c *Channel) add(to int, message []byte) {
	b := &c.lane.Out[to]
	b.Grow(binary.MaxVarintLen64 + len(message))
	b.Bytes = binary.AppendUvarint(b.Bytes, uint64(len(message)))
	b.Bytes = append(b.Bytes, message...)
}

// Exchange delivers all messages. It returns the OR of all ranks' flags.
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

// Each calls take with every message of the last Exchange, ordered by source rank and then in the
// order of sending. It stops at the first error of take and returns it.
func Each[T any](c *Channel, take func(from int, v *T) error) error { return each(c, 0, take) }

// Attached is like Each, but for attached messages.
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

// next splits the first message from the data of a rank.
func next(in []byte) (message []byte, mark uint64, rest []byte, err error) {
	n, head := binary.Uvarint(in)
	mark = n & attached
	n -= mark
	if head <= 0 || n > uint64(len(in)-head) {
		return nil, 0, nil, wire.ErrDamaged
	}
	return in[head : head+int(n)], mark, in[head+int(n):], nil
}

// only returns the single message in the data of a rank.
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

// Allgather returns all ranks' values, by rank, on every rank.
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

// Gather returns all ranks' values, by rank, on root, and nil on other ranks. If all has one element
// per rank, it is reused, including the memory of the values' slices.
func Gather[T any](c *Channel, root int, v *T, all []T) ([]T, error) {
	all, _, err := GatherWith(c, root, v, all, 0)
	return all, err
}

// GatherWith is like Gather, and also returns the OR of all ranks' flags on every rank.
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

// Broadcast sets v to root's value on all ranks.
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

// one decodes the single message of each participating rank.
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
