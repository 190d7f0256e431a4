package listen

import (
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// Limits on connections that have not shown the token.
const (
	// Patience is the time from the connection until the token has arrived. Less turns ranks of a
	// busy host away, more lets a stranger hold a descriptor for longer.
	Patience = 10 * time.Second

	// maxStrangers is the maximum number of strangers at a time. A caller of the run counts as a
	// stranger until its token has arrived, so less lets strangers push callers out.
	maxStrangers = 64
)

// welcome is the answer to the token.
const welcome = "w"

// Pauses after an accept that failed, doubled each time: errors such as too many open files pass.
const (
	firstPause = 5 * time.Millisecond
	maxPause   = time.Second
)

// caller is a connection that is either admitted or closed as a stranger, but never both.
type caller struct {
	conn    net.Conn
	decided atomic.Bool // the goroutine that sets it makes the decision
}

// Accept admits callers until the listener is closed. It calls admitted for each of them, in a
// goroutine of its own, and closes the connection when admitted returns. callers is the number of the
// run's callers that may connect at the same time, in addition to some strangers.
func Accept(l net.Listener, token string, callers int, admitted func(net.Conn)) {
	newest := make([]*caller, max(maxStrangers, callers))
	pause := firstPause
	for n := 0; ; {
		conn, err := l.Accept()
		if closed(err) {
			return
		}
		if err != nil {
			time.Sleep(pause)
			pause = min(2*pause, maxPause)
			continue
		}
		pause = firstPause
		if !sameUser(conn) {
			conn.Close()
			continue
		}
		if old := newest[n]; old != nil && !old.decided.Swap(true) {
			old.conn.Close()
		}
		c := &caller{conn: conn}
		newest[n], n = c, (n+1)%len(newest)
		go func() {
			defer conn.Close()
			if shows(conn, token) && !c.decided.Swap(true) {
				if _, err := io.WriteString(conn, welcome); err == nil {
					admitted(conn)
				}
			}
		}()
	}
}

// closed reports whether a listener will accept no more connections: it was closed, or the program
// has closed its descriptor, which may now be another file's.
func closed(err error) bool {
	return errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EBADF) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSOCK) || errors.Is(err, syscall.EOPNOTSUPP)
}

// shows reports whether a connection begins with the token and sends it in time.
func shows(conn net.Conn, token string) bool {
	conn.SetReadDeadline(time.Now().Add(Patience))
	shown := make([]byte, len(token))
	if _, err := io.ReadFull(conn, shown); err != nil {
		return false
	}
	conn.SetReadDeadline(time.Time{})
	return subtle.ConstantTimeCompare(shown, []byte(token)) == 1
}
