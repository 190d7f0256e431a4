//go:build linux

package watch

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/loss"
)

// The length of messages is bounded, their number is not.
func TestMessagesAreBounded(t *testing.T) {
	var text bytes.Buffer
	half := strings.Repeat("x", messageBytes/2)
	for range 5 {
		text.Write(lineOf(&message{Node: 1}))
		text.Write(lineOf(&message{Node: 1, Host: half}))
	}
	text.Write(lineOf(&message{Node: 1, Host: half + half + half}))
	text.Write(lineOf(&message{Node: 1, Bye: true}))
	heard := 0
	receive(&recorded{Reader: &text}, func(_ net.Conn, m *message) {
		if m != nil {
			heard++
		}
	})
	if heard != 10 {
		t.Errorf("%d messages, want 10", heard)
	}
}

// recorded is a connection that replays recorded input and discards output.
type recorded struct {
	net.Conn
	io.Reader
}

func (r *recorded) Read(p []byte) (int, error)       { return r.Reader.Read(p) }
func (r *recorded) Write(p []byte) (int, error)      { return len(p), nil }
func (r *recorded) Close() error                     { return nil }
func (r *recorded) SetReadDeadline(time.Time) error  { return nil }
func (r *recorded) SetWriteDeadline(time.Time) error { return nil }

// FuzzReceive sends watchers messages of any content over a connection, and runs all due duties after
// each.
func FuzzReceive(f *testing.F) {
	var all []byte
	for _, m := range []*message{
		{Node: 1, Host: "there", Ranks: []int{2, 3}},
		{Node: 1, Place: &loss.Place{Step: 3}, Still: time.Second, Held: &holdup{Waited: time.Minute, Waits: 1, Slows: 1, Slow: []slow{{Rank: 3, Host: "there", For: time.Minute}}}},
		{Node: 1, End: &end{State: running, Ago: time.Millisecond, Ranks: []int{3}, Host: "there", Seen: "ended", Place: loss.Place{Step: 3}}},
		{Node: 1, Bye: true}, {Node: 0, Over: &over{&loss.Loss{}}},
	} {
		all = append(all, lineOf(m)...)
	}
	f.Add(all, uint16(100))
	f.Add([]byte(`{"Node":2,"Ranks":[]}{"Node":2,"End":{}}{"Node":2,"Held":{"Slows":-1},"Place":{"Step":-1}}`), uint16(60000))
	f.Fuzz(func(t *testing.T, text []byte, pause uint16) {
		for node := range 2 {
			w, _, now := alone(node, 2)
			receive(&recorded{Reader: bytes.NewReader(text)}, func(conn net.Conn, m *message) {
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
