//go:build linux

package realtime

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// line is a direction between two sockets that keep packets apart, as tunnels do.
func line(t *testing.T, latency time.Duration) (d *direction, in, out int) {
	t.Helper()
	ends := make([]int, 0, 4)
	for range 2 {
		pair := must.Get(unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_NONBLOCK, 0))(t)
		ends = append(ends, pair[0], pair[1])
	}
	t.Cleanup(func() {
		for _, end := range ends {
			unix.Close(end)
		}
	})
	return &direction{from: ends[1], to: ends[2], latency: latency}, ends[0], ends[3]
}

// receive is the next packet, or "" if none has come.
func receive(t *testing.T, from int) string {
	t.Helper()
	buffer := make([]byte, packetSize)
	n, err := unix.Read(from, buffer)
	if err == unix.EAGAIN {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(buffer[:n])
}

func TestPacketsComeWhenDue(t *testing.T) {
	d, in, out := line(t, time.Minute)
	before := now()
	for _, text := range []string{"a", "b"} {
		unix.Write(in, []byte(text))
	}
	must.Do(t, d.receive())
	d.deliver(before + time.Minute - 1)
	if got := receive(t, out); got != "" {
		t.Errorf("packet %q comes too early", got)
	}
	d.deliver(now() + time.Minute)
	if a, b, none := receive(t, out), receive(t, out), receive(t, out); a != "a" || b != "b" || none != "" {
		t.Errorf("got %q, %q, %q", a, b, none)
	}
}

// Packets keep their order while the queue grows and goes round.
func TestQueueGrows(t *testing.T) {
	d, in, out := line(t, 0)
	sent, got := 0, 0
	check := func() {
		for text := receive(t, out); text != ""; text = receive(t, out) {
			if len(text) != 1+got%200 {
				t.Fatalf("packet %d has %d bytes", got, len(text))
			}
			got++
		}
	}
	for round := range 100 {
		for range 5 + round/4 {
			must.Get(unix.Write(in, make([]byte, 1+sent%200)))(t)
			sent++
			must.Do(t, d.receive())
		}
		if round%3 == 0 { // else they wait
			d.deliver(d.waiting[(d.first+d.n-1)%len(d.waiting)].due)
			check()
		}
	}
	d.deliver(now())
	check()
	if got != sent || d.n != 0 {
		t.Errorf("%d of %d packets came, %d wait", got, sent, d.n)
	}
}

func TestFullLineLosesPackets(t *testing.T) {
	d, in, _ := line(t, time.Minute)
	for range maxWaiting + 3 {
		unix.Write(in, []byte("x"))
		must.Do(t, d.receive())
	}
	if d.n != maxWaiting {
		t.Errorf("%d packets wait, expected %d", d.n, maxWaiting)
	}
}

func TestClosedEnd(t *testing.T) {
	d, _, _ := line(t, 0)
	d.from = -1
	if err := d.receive(); err == nil {
		t.Error("no error from a file that is not open")
	}
}
