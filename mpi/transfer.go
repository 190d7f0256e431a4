package mpi

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// A Run is a run of bytes that this rank takes from another, which gives it: one end of a
// transfer. Give of Comm is the other end.
type Run interface {
	// Landed returns when the first n bytes are there.
	Landed(n int) error

	// Drop ends a run that has landed, and with it the use of this value.
	Drop() error
}

// Channel keeps runs apart whose order depends on different things.
type Channel int

// The channels of runs.
const (
	Puts Channel = iota
	Gets
	Moves
	Collectives
	Letters // of Send and Recv
	Posts   // of Post and Poll, which takes them
	shared  // of Broadcast and Combine
	channels
)

// MostPost is the length of the longest message of Post.
const MostPost = 64 << 10

// Post sends a message of 1 to MostPost bytes to rank dst, which need not expect it. It returns at
// once; data may be reused. Posts from one rank to another arrive in order, independently of the
// runs and exchanges between them.
func Post(c Comm, dst int, data []byte) error {
	if dst < 0 || dst >= c.Size() {
		return fmt.Errorf("mpi: Post to rank %d; there are %d", dst, c.Size())
	}
	if !Present(c, dst) {
		return fmt.Errorf("mpi: Post to rank %d, which has left the exchanges", dst)
	}
	if n := len(data); n == 0 || n > MostPost {
		return fmt.Errorf("mpi: Post of %d bytes, of which there must be 1 to %d", n, MostPost)
	}
	return c.Give(dst, Posts, data, true)
}

// Send sends bytes to rank dst. It may return before the receiver has them; data may be used
// again then.
func Send(c Comm, dst int, data []byte) error { return c.Give(dst, Letters, data, true) }

// Recv waits for bytes from rank src, exactly len(data): another length is an error. Calls of Send
// and Recv match in their order.
func Recv(c Comm, src int, data []byte) error { return receive(c, src, Letters, data) }

func receive(c Comm, src int, on Channel, data []byte) error {
	r := c.Take(src, on, data)
	return cmp.Or(r.Landed(len(data)), r.Drop())
}

var errSomeAway = errors.New("mpi: this call needs all ranks, and some have left the exchanges")

// mustAll returns an error while some ranks are away.
func mustAll(c Comm) error {
	if slices.Contains(c.Engine().Present, false) {
		return errSomeAway
	}
	return nil
}

// Broadcast copies root's data to all ranks; all call it with the same length. The data travel
// along a binomial tree, in which the ranks count from root.
func Broadcast(c Comm, root int, data []byte) error {
	if err := mustAll(c); err != nil {
		return err
	}
	n := c.Size()
	at := (c.Rank() - root + n) % n
	rank := func(at int) int { return (at + root) % n }
	farthest := 1 << bits.Len(uint(n-1)) >> 1 // child, as a distance
	if at > 0 {
		farthest = at & -at >> 1
		if err := receive(c, rank(at&(at-1)), shared, data); err != nil {
			return err
		}
	}
	for bit := farthest; bit > 0; bit >>= 1 {
		if at+bit < n {
			if err := c.Give(rank(at+bit), shared, data, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// Op is an operation that combines two integers: associative and commutative.
type Op int

// The operations of Combine.
const (
	Sum Op = iota
	Min
	Max
)

// Apply returns a op b.
func (o Op) Apply(a, b int64) int64 {
	switch o {
	case Min:
		return min(a, b)
	case Max:
		return max(a, b)
	default:
		return a + b
	}
}

// Combine replaces each element of v by op over all ranks' elements. All ranks call it with the
// same length. The elements go up a binomial tree, and down again.
func Combine(c Comm, op Op, v []int64) error {
	if err := mustAll(c); err != nil {
		return err
	}
	mine, other := bytesOf(v), make([]int64, len(v))
	for bit := 1; bit < c.Size(); bit <<= 1 {
		if c.Rank()&bit != 0 {
			if err := c.Give(c.Rank()-bit, shared, mine, true); err != nil {
				return err
			}
			break
		}
		if c.Rank()+bit >= c.Size() {
			continue
		}
		if err := receive(c, c.Rank()+bit, shared, bytesOf(other)); err != nil {
			return err
		}
		for i := range v {
			v[i] = op.Apply(v[i], other[i])
		}
	}
	return Broadcast(c, 0, mine)
}

func bytesOf(v []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}
