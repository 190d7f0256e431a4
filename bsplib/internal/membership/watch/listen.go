package watch

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// # Who may call a watcher
//
// A watcher with children listens for them, at the addresses of its host by which they reach
// it, from the run's beginning to the end of the node's ranks. A caller belongs to the run
// if its first line has the run's token, which is random and known to the run's ranks alone,
// who have it by MPI. Until then a connection may take greeting, send greetingBytes, and be
// closed for a newer one; it reaches nothing but the comparison of the token. So who can
// connect but does not know the token can keep children from coming in only as long as
// strangersMost of its connections are newer than theirs, for the time that a line takes.

// What a connection may take before it has shown the token.
const (
	greeting      = 5 * time.Second
	greetingBytes = 64 << 10 // a first line has the numbers of the node's ranks
	strangersMost = 64       // connections at once
	lineMost      = 1 << 20  // bytes of any line
)

// strangers are the connections of a listener that have not shown the token yet, oldest
// first.
type strangers struct {
	mu  sync.Mutex
	all []net.Conn
}

// add takes in another one, in the place of the oldest if there are too many.
func (s *strangers) add(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == strangersMost {
		s.all[0].Close()
		s.all = s.all[1:]
	}
	s.all = append(s.all, conn)
}

func (s *strangers) remove(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(c net.Conn) bool { return c == conn })
}

// accept takes the calls of children until the listener is closed. Other errors pass, such as
// that of a host with too many open files.
func accept(l net.Listener, token uint64, to chan<- arrived) {
	const first, last = 5 * time.Millisecond, time.Second
	pause, unknown := first, new(strangers)
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(pause)
			pause = min(2*pause, last)
			continue
		}
		pause = first
		unknown.add(conn)
		go func() {
			defer unknown.remove(conn)
			receive(conn, token, func() { unknown.remove(conn) }, to)
		}()
	}
}

// receive hands on what comes over a connection, from a watcher of this run only: proved is
// called once it is one.
func receive(conn net.Conn, token uint64, proved func(), to chan<- arrived) {
	defer func() { to <- arrived{conn, nil} }()
	defer conn.Close()
	from := &io.LimitedReader{R: conn, N: greetingBytes}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, lineMost)
	conn.SetReadDeadline(time.Now().Add(greeting))
	for first := true; lines.Scan(); first = false {
		m := new(message)
		if json.Unmarshal(lines.Bytes(), m) != nil || first && m.Token != token {
			return
		}
		if first {
			from.N = math.MaxInt64
			conn.SetReadDeadline(time.Time{})
			proved()
		}
		to <- arrived{conn, m}
	}
}

// loopback is where watchers of one machine reach each other.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// hostAddresses are this host's that others may reach, with their networks.
func hostAddresses() []netip.Prefix {
	var found []netip.Prefix
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			ip, ok := netip.AddrFromSlice(n.IP)
			if bits, _ := n.Mask.Size(); ok {
				found = append(found, netip.PrefixFrom(ip.Unmap(), bits))
			}
		}
	}
	slices.SortStableFunc(found, func(a, b netip.Prefix) int { return a.Addr().BitLen() - b.Addr().BitLen() })
	return found
}

// reachedBy returns the address by which a host with addresses of its own is reached from
// another one: in a private network that both are in, else in any that both are in, else by
// the route to the other host; not valid if there is none. Networks in which both have the
// same address are each host's own, such as bridges to containers.
func reachedBy(own []netip.Prefix, peer []netip.Addr, route func(netip.Addr) netip.Addr) netip.Addr {
	var private, shared, routed netip.Addr
	for _, p := range peer {
		if slices.ContainsFunc(own, func(o netip.Prefix) bool { return o.Addr() == p }) {
			continue
		}
		i := slices.IndexFunc(own, func(o netip.Prefix) bool { return o.Contains(p) })
		switch {
		case i >= 0 && p.IsPrivate() && !private.IsValid():
			private = own[i].Addr()
		case i >= 0 && !shared.IsValid():
			shared = own[i].Addr()
		case i < 0 && !routed.IsValid():
			routed = route(p)
		}
	}
	for _, a := range []netip.Addr{private, shared, routed} {
		if a.IsValid() && !a.IsUnspecified() {
			return a
		}
	}
	return netip.Addr{}
}

// routedBy returns the address from which this host would send to another one. Nothing is
// sent.
func routedBy(peer netip.Addr) netip.Addr {
	conn, err := net.Dial("udp", netip.AddrPortFrom(peer, 9).String())
	if err != nil {
		return netip.Addr{}
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
}
