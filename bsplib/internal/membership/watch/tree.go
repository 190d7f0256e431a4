package watch

import (
	"encoding/json"
	"net"
	"time"
)

// fanOut is how many children a watcher has in the tree.
const fanOut = 16

// parentOf returns the parent of a node other than 0.
func parentOf(node int) int { return (node - 1) / fanOut }

// message is what watchers send each other, a line of JSON each. Every message shows that
// its sender lives.
type message struct {
	Token uint64 `json:",omitempty"` // in the first of a connection,
	Node  int    // as the sender
	Host  string `json:",omitempty"`
	Ranks []int  `json:",omitempty"`

	Place *place  `json:",omitempty"` // how far the sender's node is,
	Busy  bool    `json:",omitempty"` // whether a rank computes on the sender's side of the link,
	Moved bool    `json:",omitempty"` // and whether a superstep has ended there in the last beat
	End   *end    `json:",omitempty"` // up: ranks have ended
	Over  *over   `json:",omitempty"` // down: the run has
	Held  *holdup `json:",omitempty"` // up: who waits for whom
	Bye   bool    `json:",omitempty"` // the sender's ranks have ended as they should
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
	Kind  string        // lostEnd, failedEnd, askedEnd
	Ago   time.Duration // when it is told
	Ranks []int
	Host  string
	Seen  string
	Place place
}

// Kinds of ends.
const (
	lostEnd   = "lost"
	failedEnd = "failed" // a rank reports it itself
	askedEnd  = "asked"  // to end, or the launcher has ended
)

// over says that the cause is known. Watchers report nothing from then on.
type over struct {
	Report string // of a loss: the ranks that are left are to end
}

// holdup is who has waited for how long in a part of the tree, and who may be waited for.
type holdup struct {
	Waited time.Duration // the longest
	Waits  int           // ranks that have waited for slowAfter
	Slow   []slow        // at most slowTold
	Others int           // more of them
}

// slow is a rank that does not get on.
type slow struct {
	Rank    int
	Host    string
	For     time.Duration
	Stopped bool
	Place   place
}

// slowTold is how many slow ranks are told of.
const slowTold = 4

// add takes in the holdup of another part of the tree.
func (h *holdup) add(other *holdup) {
	if other == nil {
		return
	}
	h.Waited = max(h.Waited, other.Waited)
	h.Waits += other.Waits
	h.Others += other.Others
	for _, s := range other.Slow {
		h.addSlow(s)
	}
}

func (h *holdup) addSlow(s slow) {
	if len(h.Slow) == slowTold {
		h.Others++
		return
	}
	h.Slow = append(h.Slow, s)
}

// link is a connection to another watcher.
type link struct {
	conn  net.Conn
	node  int
	host  string
	ranks []int

	place  place
	busy   bool      // a rank computes there or beyond
	moved  time.Time // when a superstep was last told to have ended there
	asked  bool      // its ranks were called back since it was last heard of
	held   *holdup
	heard  time.Time
	closed time.Time // when the connection was lost, zero if it was not
	bye    bool
}

// live reports whether the other watcher may be spoken to.
func (l *link) live() bool { return l != nil && l.conn != nil && l.closed.IsZero() && !l.bye }

// arrived is a message from a link; none if the connection is closed.
type arrived struct {
	conn    net.Conn
	message *message
}

// send sends a message, or closes the connection to a watcher that does not read.
func send(conn net.Conn, m *message) {
	text, err := json.Marshal(m)
	if err != nil {
		return
	}
	conn.SetWriteDeadline(time.Now().Add(gathering))
	if _, err := conn.Write(append(text, '\n')); err != nil {
		conn.Close()
	}
}

// call connects to the parent, again and again until there is somebody.
func call(addresses []string, token uint64, connected chan<- net.Conn, to chan<- arrived) {
	for pause := pace; ; pause = min(2*pause, answering) {
		for _, address := range addresses {
			if conn, err := net.DialTimeout("tcp", address, answering); err == nil {
				connected <- conn
				receive(conn, token, func() {}, to)
				break
			}
		}
		time.Sleep(pause)
	}
}
