//go:build linux

package watch

import (
	"bytes"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// gate is a listener that fails as often as it is told to, and counts what it has let in.
type gate struct {
	net.Listener
	failures      int
	open, largest atomic.Int64
}

type counted struct {
	net.Conn
	of *gate
	is atomic.Bool
}

func (g *gate) Accept() (net.Conn, error) {
	if g.failures > 0 {
		g.failures--
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	conn, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g.largest.Store(max(g.largest.Load(), g.open.Add(1)))
	return &counted{Conn: conn, of: g}, nil
}

func (c *counted) Close() error {
	if !c.is.Swap(true) {
		c.of.open.Add(-1)
	}
	return c.Conn.Close()
}

// serve accepts calls at a gate until the test ends.
func (g *gate) serve(t *testing.T) <-chan *message {
	t.Helper()
	g.Listener = must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	calls, ended := make(chan *message), make(chan bool)
	go func() {
		accept(g, 77, 2, func(_ net.Conn, m *message) { calls <- m })
		close(ended)
	}()
	t.Cleanup(func() {
		g.Listener.Close()
		<-ended
	})
	return calls
}

func (g *gate) dial(t *testing.T) net.Conn {
	t.Helper()
	conn := must.Get(net.Dial("tcp", g.Addr().String()))(t)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// next is the next message of a watcher; ends of connections are passed over.
func next(calls <-chan *message) *message {
	for m := range calls {
		if m != nil {
			return m
		}
	}
	return nil
}

// A listener among more strangers than it has room for holds no more of them than that, and
// a child that comes last is heard.
func TestAcceptAmongStrangers(t *testing.T) {
	g := new(gate)
	calls := g.serve(t)
	for i := range 3 * strangersMost {
		conn := g.dial(t)
		if i%2 == 0 {
			conn.Write([]byte(`{"Token":1,"Node":1}` + "\n{"))
		}
	}
	send(g.dial(t), &message{Token: 77, Node: 5})
	if m := next(calls); m.Node != 5 {
		t.Errorf("node %d is heard, want 5", m.Node)
	}
	if n := g.largest.Load(); n > strangersMost+1 {
		t.Errorf("%d connections were open at once, want %d at most", n, strangersMost+1)
	}
}

// Nobody sends more than a first line may have before the token is known, and a child as
// much as it needs after that.
func TestGreetingIsShort(t *testing.T) {
	g := new(gate)
	calls := g.serve(t)
	long := strings.Repeat("x", 2*greetingBytes)
	send(g.dial(t), &message{Token: 77, Node: 4, Host: long})
	child := g.dial(t)
	send(child, &message{Token: 77, Node: 5})
	if m := next(calls); m.Node != 5 {
		t.Errorf("node %d is heard, want 5", m.Node)
	}
	send(child, &message{Node: 5, Host: long})
	if m := next(calls); m.Host != long {
		t.Errorf("%d bytes of a name arrive, want %d", len(m.Host), len(long))
	}
}

// Messages are bounded, also of a watcher that has shown the token, but not their number.
func TestMessagesAreBounded(t *testing.T) {
	var text bytes.Buffer
	half := strings.Repeat("x", messageBytes/2)
	for range 5 {
		text.Write(lineOf(&message{Token: 77, Node: 1}))
		text.Write(lineOf(&message{Node: 1, Host: half}))
	}
	text.Write(lineOf(&message{Node: 1, Host: half + half + half}))
	text.Write(lineOf(&message{Node: 1, Bye: true}))
	heard := 0
	receive(&recorded{Reader: &text}, 77, func() {}, func(_ net.Conn, m *message) {
		if m != nil {
			heard++
		}
	})
	if heard != 10 {
		t.Errorf("%d messages, want 10", heard)
	}
}

// recorded is a connection over which something has come, and nothing is sent.
type recorded struct {
	net.Conn
	io.Reader
}

func (r *recorded) Read(p []byte) (int, error)       { return r.Reader.Read(p) }
func (r *recorded) Write(p []byte) (int, error)      { return len(p), nil }
func (r *recorded) Close() error                     { return nil }
func (r *recorded) SetReadDeadline(time.Time) error  { return nil }
func (r *recorded) SetWriteDeadline(time.Time) error { return nil }

// FuzzReceive gives watchers messages of any content over connections that have shown the
// token, and has them do all that is due after each.
func FuzzReceive(f *testing.F) {
	over := "rank 1 is lost"
	var all []byte
	for _, m := range []*message{
		{Token: 77, Node: 1, Host: "there", Ranks: []int{2, 3}},
		{Node: 1, Place: &place{Step: 3}, Still: time.Second, Held: &holdup{Waited: time.Minute, Waits: 1, Slows: 1, Slow: []slow{{Rank: 3, Host: "there", For: time.Minute}}}},
		{Node: 1, End: &end{State: running, Ago: time.Millisecond, Ranks: []int{3}, Host: "there", Seen: "ended", Place: place{Step: 3}}},
		{Node: 1, Bye: true}, {Node: 0, Over: &over},
	} {
		all = append(all, lineOf(m)...)
	}
	f.Add(all, uint16(100))
	f.Add([]byte(`{"Token":77,"Node":2,"Ranks":[]}{"Node":2,"End":{}}{"Node":2,"Held":{"Slows":-1},"Place":{"Step":-1}}`), uint16(60000))
	f.Fuzz(func(t *testing.T, text []byte, pause uint16) {
		for node := range 2 {
			w, _, now := alone(node, 2)
			receive(&recorded{Reader: bytes.NewReader(text)}, 77, func() {}, func(conn net.Conn, m *message) {
				if node > 0 && w.links[0] == nil {
					w.links[0] = &link{conn: conn, heard: now}
				}
				w.take(conn, m, now)
				now = now.Add(time.Duration(pause) * time.Millisecond)
				w.look(now)
			})
		}
	})
}

// What keeps a connection from being accepted passes.
func TestAcceptGoesOn(t *testing.T) {
	g := &gate{failures: 3}
	calls := g.serve(t)
	send(g.dial(t), &message{Token: 77, Node: 5})
	timeout := time.AfterFunc(time.Minute, func() { panic("no call is accepted") })
	defer timeout.Stop()
	if m := next(calls); m.Node != 5 {
		t.Errorf("node %d is heard, want 5", m.Node)
	}
}

// A host listens where another one reaches it: in a network that both are in.
func TestReachedBy(t *testing.T) {
	const bridge = "172.17.0.1/16"
	for _, c := range []struct{ name, own, peer, want string }{
		{"one network", "10.0.0.1/24", "10.0.0.2", "10.0.0.1"},
		{"the private one of two", "203.0.113.1/24 10.0.0.1/24", "203.0.113.2 10.0.0.2", "10.0.0.1"},
		{"a public one", "203.0.113.1/24", "203.0.113.2", "203.0.113.1"},
		{"the first of two", "10.0.0.1/24 10.1.0.1/24", "10.0.0.2 10.1.0.2", "10.0.0.1"},
		{"bridges of their own", bridge + " 10.0.0.1/24", "172.17.0.1 10.0.0.2", "10.0.0.1"},
		{"another network", bridge + " 10.0.0.1/24", "172.17.0.1 10.9.0.2", "192.0.2.1"},
		{"version 6", "fd00::1/64", "fd00::2", "fd00::1"},
		{"nothing but bridges", bridge, "172.17.0.1", ""},
		{"nothing", "", "", ""},
	} {
		var own []netip.Prefix
		for _, text := range strings.Fields(c.own) {
			own = append(own, netip.MustParsePrefix(text))
		}
		var peer []netip.Addr
		for _, text := range strings.Fields(c.peer) {
			peer = append(peer, netip.MustParseAddr(text))
		}
		got := reachedBy(own, peer, func(netip.Addr) netip.Addr { return netip.MustParseAddr("192.0.2.1") })
		if got.IsValid() != (c.want != "") || got.IsValid() && got.String() != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// No listener is at a wildcard address: for a node on the same machine it is at the
// loopback, for one elsewhere at an address of this host. The root of one node has none.
func TestWhereItListens(t *testing.T) {
	listeners := func(others int, network string, peer netip.Addr) (at []netip.Addr) {
		j, nodes := new(join), make([]intro, 1+others)
		for i := range others {
			nodes[1+i] = intro{Network: network, Addresses: []netip.Addr{peer}}
		}
		doors := j.listen(nodes)
		for i, file := range j.listeners {
			l := must.Get(net.FileListener(file))(t)
			defer file.Close()
			defer l.Close()
			is := l.Addr().(*net.TCPAddr).AddrPort()
			at = append(at, is.Addr().Unmap())
			if want := netip.AddrPortFrom(is.Addr().Unmap(), is.Port()); doors[i] != want {
				t.Errorf("it is at %v, and says %v", want, doors[i])
			}
		}
		return at
	}
	elsewhere := netip.MustParseAddr("10.255.255.254")
	if at := listeners(1, "", elsewhere); len(at) != 1 || at[0] != loopback {
		t.Errorf("for a node on the same machine: %v, want %v", at, loopback)
	}
	for _, at := range listeners(1, "another", elsewhere) {
		if at.IsUnspecified() || at.IsLoopback() {
			t.Errorf("for a node elsewhere: %v", at)
		}
	}
	if at := listeners(0, "another", elsewhere); len(at) > 0 {
		t.Errorf("without another node: %v", at)
	}
}
