//go:build linux

package listen

import (
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

const token = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// gate is a listener that fails a number of times, and counts the connections that are open.
type gate struct {
	net.Listener
	failures      int
	open, largest atomic.Int64
}

type counted struct {
	net.Conn
	of     *gate
	closed atomic.Bool
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
	if !c.closed.Swap(true) {
		c.of.open.Add(-1)
	}
	return c.Conn.Close()
}

// serve accepts calls at a gate until the test ends. The lines of admitted callers arrive at the
// channel.
func (g *gate) serve(t *testing.T) <-chan string {
	t.Helper()
	g.Listener = must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	calls, ended := make(chan string), make(chan bool)
	go func() {
		Accept(g, token, 2, func(conn net.Conn) {
			text, _ := io.ReadAll(conn)
			calls <- string(text)
		})
		close(ended)
	}()
	t.Cleanup(func() {
		g.Listener.Close()
		<-ended
	})
	return calls
}

func (g *gate) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	conn := must.Get(net.Dial("tcp", g.Addr().String()))(t)
	t.Cleanup(func() { conn.Close() })
	return conn.(*net.TCPConn)
}

// call shows the token, waits until it is accepted, and sends a text.
func (g *gate) call(t *testing.T, text string) {
	t.Helper()
	address := Address{Network: Network(), Token: token, Doors: []string{g.Addr().String()}}
	conn := must.Get(address.Dial(time.Minute))(t)
	defer conn.Close()
	must.Get(io.WriteString(conn, text))(t)
}

// A thousand strangers, silent or with other tokens, keep no caller out, and few of their
// connections are open at the same time.
func TestAcceptAmongStrangers(t *testing.T) {
	g := new(gate)
	calls := g.serve(t)
	for i := range 1000 {
		if conn := g.dial(t); i%2 == 0 {
			conn.Write([]byte(strings.Repeat("x", i%40)))
		}
	}
	go g.call(t, "hello")
	if text := <-calls; text != "hello" {
		t.Errorf("%q arrives, want hello", text)
	}
	if n := g.largest.Load(); n > maxStrangers+1 {
		t.Errorf("%d connections were open at once, want %d at most", n, maxStrangers+1)
	}
}

// A connection with the wrong token gets no answer, regardless of the amount that it sends.
func TestWrongToken(t *testing.T) {
	g := new(gate)
	calls := g.serve(t)
	for _, shown := range []string{"", token[:25], strings.Repeat("x", len(token)), strings.ToLower(token) + token, strings.Repeat("x", 1<<20)} {
		conn := g.dial(t)
		io.WriteString(conn, shown)
		conn.CloseWrite()
		if text, _ := io.ReadAll(conn); len(text) > 0 {
			t.Errorf("token %.30q: the answer is %q", shown, text)
		}
	}
	go g.call(t, "hello")
	if text := <-calls; text != "hello" {
		t.Errorf("%q arrives, want hello", text)
	}
}

// A failed accept does not end the service.
func TestAcceptGoesOn(t *testing.T) {
	g := &gate{failures: 3}
	calls := g.serve(t)
	go g.call(t, "hello")
	if text := <-calls; text != "hello" {
		t.Errorf("%q arrives, want hello", text)
	}
}

// A service whose descriptor the program has closed, or used for another file, ends.
func TestAcceptEnds(t *testing.T) {
	for _, err := range []error{net.ErrClosed, syscall.EBADF, syscall.ENOTSOCK, syscall.EINVAL} {
		Accept(broken{err: err}, token, 1, nil)
	}
}

type broken struct {
	net.Listener
	err error
}

func (b broken) Accept() (net.Conn, error) {
	return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", b.err)}
}

// pipes is a listener without a network, for a test with a clock of its own.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, more := <-p; more {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return nil }

// A stranger that is silent, or sends its bytes too slowly, is closed after Patience. An admitted
// caller may be silent for any time.
func TestSilentStranger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := make(pipes)
		var admitted sync.WaitGroup
		admitted.Add(1)
		go Accept(l, token, 1, func(conn net.Conn) {
			defer admitted.Done()
			if text, err := io.ReadAll(conn); string(text) != "late" || err != nil {
				t.Errorf("%q arrives: %v", text, err)
			}
		})
		for _, slow := range []bool{false, true} {
			stranger, end := net.Pipe()
			l <- end
			begun := time.Now()
			if slow {
				go func() {
					for i := range len(token) {
						time.Sleep(time.Second)
						stranger.Write([]byte(token[i : i+1]))
					}
				}()
			}
			if _, err := io.ReadAll(stranger); err != nil {
				t.Error(err)
			}
			if took := time.Since(begun); took != Patience {
				t.Errorf("slow %t: the stranger is let go after %v, want %v", slow, took, Patience)
			}
		}
		caller, end := net.Pipe()
		l <- end
		must.Do(t, greet(caller, token, time.Second))
		time.Sleep(24 * time.Hour)
		io.WriteString(caller, "late")
		caller.Close()
		admitted.Wait()
		l.Close()
		time.Sleep(Patience) // strangers that still send
	})
}

// A caller whose connection is dropped before it is admitted calls again.
func TestDialAgain(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	go func() {
		for range 3 {
			if conn, err := l.Accept(); err == nil {
				conn.Close()
			}
		}
		Accept(l, token, 1, func(net.Conn) {})
	}()
	address := Address{Network: Network(), Token: token, Doors: []string{l.Addr().String()}}
	must.Get(address.Dial(time.Minute))(t).Close()
}

// Of all first bytes on a connection only the token is admitted, and the bytes behind it reach the
// service unchanged.
func FuzzGreeting(f *testing.F) {
	f.Add([]byte(token), byte(0))
	f.Add([]byte(token+"more"), byte(3))
	f.Add([]byte(token[1:]+token), byte(26))
	f.Add([]byte{}, byte(1))
	f.Fuzz(func(t *testing.T, sent []byte, piece byte) {
		l, got := make(pipes), make(chan string, 1)
		go Accept(l, token, 1, func(conn net.Conn) {
			text, _ := io.ReadAll(conn)
			got <- string(text)
		})
		stranger, end := net.Pipe()
		l <- end
		var answer []byte
		welcomed, answered := make(chan bool), make(chan bool)
		go func() {
			answer = make([]byte, len(welcome))
			n, _ := io.ReadFull(stranger, answer)
			close(welcomed)
			rest, _ := io.ReadAll(stranger)
			answer = append(answer[:n], rest...)
			close(answered)
		}()
		for rest := sent; len(rest) > 0; {
			n, err := stranger.Write(rest[:min(len(rest), 1+int(piece))])
			if rest = rest[n:]; err != nil {
				break
			}
		}
		behind, is := strings.CutPrefix(string(sent), token)
		if is {
			<-welcomed
			stranger.Close()
			if text := <-got; text != behind {
				t.Errorf("the service gets %q, want %q", text, behind)
			}
		} else if len(sent) >= len(token) {
			<-answered
			if len(answer) > 0 || len(got) > 0 {
				t.Errorf("%q is admitted", sent)
			}
		}
		stranger.Close()
		l.Close()
	})
}
