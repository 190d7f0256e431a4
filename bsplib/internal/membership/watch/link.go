package watch

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"
)

// message is what watchers send each other, a line of JSON each. Every message shows that
// its sender lives.
type message struct {
	Token uint64 `json:",omitempty"` // in the first of a connection,
	Node  int    // as the sender
	Host  string `json:",omitempty"`
	Ranks []int  `json:",omitempty"`

	Place *place        `json:",omitempty"` // how far the sender's node is; then,
	Still time.Duration `json:",omitempty"` // as far as the sender knows, since when no superstep has ended
	Idle  time.Duration `json:",omitempty"` // and no rank has computed
	Held  *holdup       `json:",omitempty"` // to the root: who waits for whom
	End   *end          `json:",omitempty"` // to the root: ranks have ended
	Over  *string       `json:",omitempty"` // the run has ended: the report of a loss, "" if there is none
	Bye   bool          `json:",omitempty"` // the sender's ranks have ended as they should
}

// place is how far a rank is, or the ranks of a node.
type place struct {
	Step        int  // 0: it has not begun,
	Away        bool `json:",omitempty"` // or takes no part, for it has no processes
	Loop, Stage int  // stages that have ended, and the loop of stages
}

// end is an end of ranks of a node that is something to report, or explains those that
// follow it.
type end struct {
	State uint32        // running: they are lost; failed; asked, also if the launcher has ended
	Ago   time.Duration // when it is told
	Ranks []int
	Host  string
	Seen  string
	Place place

	at time.Time // by the clock of the watcher that has it: those of hosts differ
}

// holdup is who has waited for how long, and who may be waited for.
type holdup struct {
	Waited time.Duration // the longest
	Waits  int           // ranks that have waited for slowAfter
	Slows  int           // ranks that do not get on
	Slow   []slow        // the first of them, slowTold at most
}

// slow is a rank that does not get on.
type slow struct {
	Rank    int
	Host    string
	For     time.Duration
	Stopped bool
	Place   place
}

const slowTold = 4

// link is a connection to another watcher.
type link struct {
	conn  net.Conn
	host  string
	ranks []int

	place  place
	asked  bool // its ranks were called back since it was last heard of
	held   *holdup
	heard  time.Time
	closed time.Time // when the connection was lost, zero if it was not
	bye    bool      // nothing more is expected
}

// live reports whether the other watcher may be spoken to.
func (l *link) live() bool { return l != nil && l.conn != nil && l.closed.IsZero() && !l.bye }

func lineOf(m *message) []byte {
	text, _ := json.Marshal(m)
	return append(text, '\n')
}

func send(conn net.Conn, m *message) { sendLine(conn, lineOf(m)) }

// sendLine sends a message, or closes the connection to a watcher that does not read.
func sendLine(conn net.Conn, line []byte) {
	conn.SetWriteDeadline(time.Now().Add(gathering))
	if _, err := conn.Write(line); err != nil {
		conn.Close()
	}
}

// call connects to the root, again and again. connected has the connection, heard each message
// that comes, and nil when the connection is closed.
func call(root []string, token uint64, connected func(net.Conn), heard func(net.Conn, *message)) {
	for pause := pace; ; pause = min(2*pause, answering) {
		for _, address := range root {
			if conn, err := net.DialTimeout("tcp", address, answering); err == nil {
				connected(conn)
				receive(conn, token, func() {}, heard)
				break
			}
		}
		time.Sleep(pause)
	}
}

// # Who may call the root
//
// The root listens for the other watchers, at the addresses of its host by which they reach it,
// from the run's beginning to the end of the node's ranks. A caller belongs to the run if its
// first line has the run's token, which is random and known to the run's ranks alone, who have
// it by MPI. Until then a connection may take lostAfter, send greetingBytes, and be closed when
// strangersMost newer ones have come; it reaches nothing but the comparison of the token. So who
// can connect but does not know the token can keep watchers out only by so many connections in
// the time that a line takes.

// What a connection may take before it has shown the token.
const (
	greetingBytes = 64 << 10 // a first line has the numbers of the node's ranks
	strangersMost = 64
)

// messageBytes is the maximum length of a message of a watcher in bytes. The ranks of a node
// take up to eight bytes each.
const messageBytes = 1 << 20

// accept takes calls until the listener is closed; so many watchers may call at the same time.
// Other errors pass, such as too many open files on the host.
func accept(l net.Listener, token uint64, watchers int, heard func(net.Conn, *message)) {
	type caller struct {
		conn   net.Conn
		proved atomic.Bool
	}
	newest := make([]*caller, max(strangersMost, watchers))
	for n := 0; ; {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(pace)
			continue
		}
		if old := newest[n]; old != nil && !old.proved.Load() {
			old.conn.Close()
		}
		c := &caller{conn: conn}
		newest[n], n = c, (n+1)%len(newest)
		go receive(conn, token, func() { c.proved.Store(true) }, heard)
	}
}

// receive hands on what comes over a connection, from a watcher of this run only: proved is
// called once it is one.
func receive(conn net.Conn, token uint64, proved func(), heard func(net.Conn, *message)) {
	defer heard(conn, nil)
	defer conn.Close()
	from := &io.LimitedReader{R: conn, N: greetingBytes}
	lines := json.NewDecoder(from)
	conn.SetReadDeadline(time.Now().Add(lostAfter))
	for first := true; ; first = false {
		m := new(message)
		if lines.Decode(m) != nil || first && m.Token != token {
			return
		}
		from.N = messageBytes // for the next one
		if first {
			conn.SetReadDeadline(time.Time{})
			proved()
		}
		heard(conn, m)
	}
}

// loopback is where watchers of one machine reach each other.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// hostAddresses are this host's that others may reach, with their networks.
func hostAddresses() []netip.Prefix {
	var found []netip.Prefix
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().IsGlobalUnicast() {
			found = append(found, p)
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
