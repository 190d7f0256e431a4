//go:build linux

package realtime

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const (
	packetSize = 2048
	maxWaiting = 1 << 15 // packets of a direction; more are lost, as in a full line
)

// Carry carries packets between two tunnels, in both directions, and delays each by a fixed time. It
// returns only if that fails.
func Carry(a, b int, latency time.Duration) error {
	failed := make(chan error, 2)
	for _, ends := range [][2]int{{a, b}, {b, a}} {
		go func() {
			runtime.LockOSThread()
			failed <- (&direction{from: ends[0], to: ends[1], latency: latency}).run()
		}()
	}
	return <-failed
}

// direction holds the packets of one direction.
type direction struct {
	from, to int
	latency  time.Duration
	waiting  []packet // oldest at first, then round
	first, n int
}

type packet struct {
	due    time.Duration
	length int
	bytes  [packetSize]byte
}

func (d *direction) run() error {
	if err := prefer(2); err != nil {
		return err
	}
	for {
		if err := d.await(); err != nil {
			return err
		}
		if err := d.receive(); err != nil {
			return err
		}
		d.deliver(now())
	}
}

// await sleeps until a packet comes or one is due.
func (d *direction) await() error {
	var limit *unix.Timespec
	if d.n > 0 {
		t := unix.NsecToTimespec(int64(max(0, d.waiting[d.first].due-now())))
		limit = &t
	}
	_, err := unix.Ppoll([]unix.PollFd{{Fd: int32(d.from), Events: unix.POLLIN}}, limit, nil)
	if err != nil && err != unix.EINTR {
		return fmt.Errorf("waiting for packets: %w", err)
	}
	return nil
}

// receive takes all packets that have come.
func (d *direction) receive() error {
	for {
		slot := d.slot()
		n, err := unix.Read(d.from, slot.bytes[:])
		switch {
		case err == unix.EAGAIN || err == unix.EINTR:
			return nil
		case err != nil:
			return fmt.Errorf("receiving a packet: %w", err)
		}
		slot.length, slot.due = n, now()+d.latency
		if d.n < maxWaiting {
			d.n++
		}
	}
}

// slot returns the memory of the next packet. When the queue is full it is an extra one,
// whose packet is lost.
func (d *direction) slot() *packet {
	if d.n+1 >= len(d.waiting) && len(d.waiting) <= maxWaiting {
		d.grow()
	}
	return &d.waiting[(d.first+d.n)%len(d.waiting)]
}

func (d *direction) grow() {
	larger := make([]packet, max(64, min(2*len(d.waiting), maxWaiting+1)))
	for i := range d.n {
		larger[i] = d.waiting[(d.first+i)%len(d.waiting)]
	}
	d.waiting, d.first = larger, 0
}

// deliver forwards all packets that are due. A packet that the other side does not accept is lost.
func (d *direction) deliver(now time.Duration) {
	for d.n > 0 && d.waiting[d.first].due <= now {
		p := &d.waiting[d.first]
		unix.Write(d.to, p.bytes[:p.length])
		d.first = (d.first + 1) % len(d.waiting)
		d.n--
	}
}

// now is the time since some moment, by a clock that cannot be set.
func now() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Duration(t.Nano())
}
