package watch

import (
	"encoding/json"
	"io"
	"net"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/listen"
	"github.com/migbsp/migbsp/internal/loss"
)

// message is a message between watchers, one line of JSON. Any message shows that its sender is
// alive.
type message struct {
	Node  int    // of the sender
	Host  string `json:",omitempty"` // and its ranks: in the first message of a connection
	Ranks []int  `json:",omitempty"`

	Place *loss.Place   `json:",omitempty"` // position of the sender's node
	Still time.Duration `json:",omitempty"` // time since a superstep last ended, to the sender's knowledge
	Idle  time.Duration `json:",omitempty"` // time since a rank last computed
	Held  *holdup       `json:",omitempty"` // to the root: ranks that wait, and ranks that they wait for
	End   *end          `json:",omitempty"` // to the root: ranks have ended
	Over  *over         `json:",omitempty"` // the run has ended
	Bye   bool          `json:",omitempty"` // the sender's ranks have ended normally
}

// over is the decision that a run has ended.
type over struct{ Loss *loss.Loss } // nil if no rank is lost

// end is an end of ranks of a node that must be reported, or that explains later ends.
type end struct {
	State uint32        // running: they are lost; failed; asked, also if the launcher has ended
	Ago   time.Duration // before the message was sent
	Ranks []int
	Host  string
	Seen  string
	Place loss.Place
	Node  bool // all ranks of a node, whose watcher does not answer

	at time.Time // on the receiver's clock; clocks of hosts differ
}

// holdup lists waiting ranks, and the ranks that they may wait for.
type holdup struct {
	Waited time.Duration // the longest
	Waits  int           // ranks that have waited for slowAfter
	Slows  int           // slow ranks
	Slow   []slow        // the first slow ranks, at most slowTold
}

// slow describes a slow rank: a rank that computes or is stopped while others wait.
type slow struct {
	Rank    int
	Host    string
	For     time.Duration
	Stopped bool
	Place   loss.Place

	// Set only by a Monitor.
	stuck   bool   // report the rank even if no rank waits for it
	process string // the process that it runs, and its line
}

const slowTold = 4

// link is a connection to another watcher.
type link struct {
	conn  net.Conn
	host  string
	ranks []int

	place  loss.Place
	asked  bool // its ranks were recalled since its last message
	held   *holdup
	heard  time.Time
	closed time.Time // when the connection was lost, zero while it is open
	bye    bool      // the watcher has ended normally
	absent bool      // not connected yet
}

// live reports whether messages can be sent to the other watcher.
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

// call connects to the root, and again after each disconnect. It calls connected with each
// connection, heard with each message, and heard with nil when the connection is closed. Once call
// has run for the time leaving, each failure also calls failed.
func call(root listen.Address, connected func(net.Conn), failed func(), heard func(net.Conn, *message)) {
	begun := time.Now()
	for pause := pace; ; pause = min(2*pause, answering) {
		if conn, err := root.Dial(answering); err == nil {
			connected(conn)
			receive(conn, heard)
		} else if time.Since(begun) > leaving {
			failed()
		}
		time.Sleep(pause)
	}
}

// messageBytes is the maximum length of a message of a watcher in bytes. The ranks of a node
// take up to eight bytes each.
const messageBytes = 1 << 20

// receive passes on the messages that come over a connection, until one is damaged or too long, or
// the connection is closed.
func receive(conn net.Conn, heard func(net.Conn, *message)) {
	defer heard(conn, nil)
	defer conn.Close()
	from := &io.LimitedReader{R: conn}
	for lines := json.NewDecoder(from); ; {
		from.N = messageBytes
		m := new(message)
		if lines.Decode(m) != nil {
			return
		}
		heard(conn, m)
	}
}
