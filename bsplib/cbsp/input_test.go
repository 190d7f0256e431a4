//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/listen"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// standardInput makes a pipe descriptor 0 while the test runs, and returns its other end.
func standardInput(t *testing.T) *os.File {
	t.Helper()
	own, err1 := syscall.Dup(0)
	r, w, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	t.Cleanup(func() {
		syscall.Dup3(own, 0, 0)
		syscall.Close(own)
		w.Close()
	})
	must.Do(t, syscall.Dup3(int(r.Fd()), 0, 0))
	r.Close()
	return w
}

// read reads some bytes from descriptor 0, as a process does; fewer at its end.
func read(t *testing.T, n int) string {
	t.Helper()
	var text []byte
	for part := make([]byte, n); len(text) < n; {
		k, err := syscall.Read(0, part[:n-len(text)])
		if err != nil && err != syscall.EINTR {
			t.Fatal(err)
		}
		if k == 0 {
			break
		}
		text = append(text, part[:max(k, 0)]...)
	}
	return string(text)
}

// input is a server of the standard input, with its address.
type input struct {
	*server
	address listen.Address
}

// serves makes a server that listens on TCP or on a Unix socket.
func serves(t *testing.T, byTCP bool) input {
	t.Helper()
	here := listen.ThisHost()
	text := must.Get(serveInput(here, []listen.Host{here}))(t)
	in := input{inputServer, must.Get(listen.ParseAddress(text))(t)}
	t.Cleanup(in.service.Close)
	if byTCP {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		t.Cleanup(func() { l.Close() })
		go listen.Accept(l, in.address.Token, 1, in.answer)
		in.address.Doors = []string{l.Addr().String()}
	}
	return in
}

// dial connects to the server, and sends a text.
func (in input) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	network := "tcp"
	if strings.HasPrefix(in.address.Doors[0], "@") {
		network = "unix"
	}
	c := must.Get(net.Dial(network, in.address.Doors[0]))(t)
	t.Cleanup(func() { c.Close() })
	io.WriteString(c, text)
	return c
}

// Each rank that process 0 moves to continues after the bytes read on the previous rank, although
// that rank was sent more. A caller with another token gets no input, and a rank that disconnects
// does not keep others from the bytes that it was not sent.
func TestInputGoesWithTheProcess(t *testing.T) {
	for _, byTCP := range []bool{false, true} {
		w := standardInput(t)
		in := serves(t, byTCP)
		stranger := func() {
			if text, _ := io.ReadAll(in.dial(t, strings.Repeat("x", len(in.address.Token)))); len(text) > 0 {
				t.Errorf("whoever has another token is sent %q", text)
			}
		}
		io.WriteString(w, "on rank 0, ")
		if got := read(t, 11); got != "on rank 0, " {
			t.Errorf("before it moves: %q", got)
		}
		inputClient.leave()
		for rank := 1; rank <= 3; rank++ {
			fmt.Fprintf(w, "on rank %d, and ", rank)
			must.Do(t, inputClient.arrive(in.address.String()))
			want := fmt.Sprintf("on rank %d, ", rank)
			if rank > 1 {
				want = "and " + want
			}
			if got := read(t, len(want)); got != want {
				t.Errorf("%s: %q, want %q", in.address, got, want)
			}
			inputClient.leave()
			if got := read(t, 1); got != "" {
				t.Errorf("a rank that process 0 has left has %q", got)
			}
			stranger()
		}
		breaks := in.dial(t, in.address.Token+string(wantsInput))
		io.ReadFull(breaks, make([]byte, len("wq")+4))
		breaks.Close()
		stranger()
		io.WriteString(w, "the rest")
		w.Close()
		must.Do(t, inputClient.arrive(in.address.String()))
		if got := read(t, 100); got != "the rest" {
			t.Errorf("after a rank that breaks off: %q", got)
		}
		inputClient.leave()
	}
}

// Ranks get the input in the order in which process 0 arrives, although it is at the next rank before it has
// left the previous rank.
func TestInputInOrder(t *testing.T) {
	w := standardInput(t)
	in := serves(t, false)
	inputClient.leave()
	for range 300 {
		must.Do(t, inputClient.arrive(in.address.String()))
		next := in.dial(t, in.address.Token+string(wantsInput))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			sent := make([]byte, len("wqi")) // the service's welcome, the server's answer, input
			if n, _ := io.ReadFull(next, sent); n == len(sent) {
				t.Errorf("the next rank is sent %q while process 0 is at this one", sent)
				next.Close()
				io.WriteString(w, "input") // for this rank
			}
		}()
		io.WriteString(w, "input")
		if got := read(t, 5); got != "input" {
			t.Errorf("%q", got)
		}
		inputClient.leave()
		next.Close()
		if <-ended; t.Failed() {
			return
		}
	}
}

// A thousand strangers that connect and are silent, or send something else than the token, do not
// keep the input from the rank of process 0.
func TestInputAmongStrangers(t *testing.T) {
	for _, byTCP := range []bool{false, true} {
		w := standardInput(t)
		in := serves(t, byTCP)
		inputClient.leave()
		for i := range 1000 {
			in.dial(t, strings.Repeat("x", i%2*len(in.address.Token)))
		}
		io.WriteString(w, "input")
		must.Do(t, inputClient.arrive(in.address.String()))
		if got := read(t, 5); got != "input" {
			t.Errorf("%s: %q", in.address, got)
		}
		inputClient.leave()
	}
}

// A connection that cannot be accepted, because the program has too many files open, is accepted
// when it has fewer.
func TestInputAfterTooManyFiles(t *testing.T) {
	w := standardInput(t)
	in := serves(t, false)
	inputClient.leave()
	stranger := must.Get(syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))(t)
	defer syscall.Close(stranger)
	limitFiles(t, 0, func() {
		must.Do(t, syscall.Connect(stranger, &syscall.SockaddrUnix{Name: in.address.Doors[0]}))
		time.Sleep(100 * time.Millisecond) // the server fails to accept it
	})
	io.WriteString(w, "input")
	must.Do(t, inputClient.arrive(in.address.String()))
	if got := read(t, 5); got != "input" {
		t.Errorf("%q", got)
	}
	inputClient.leave()
}

// limitFiles calls f while the program cannot open files with descriptors of n or more.
func limitFiles(t *testing.T, n uint64, f func()) {
	t.Helper()
	var limit syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	less := limit
	less.Cur = n
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &less))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	f()
}

// An input that cannot be served or reached is reported as an error, and not read as empty.
func TestInputErrors(t *testing.T) {
	standardInput(t)
	here := listen.ThisHost()
	limitFiles(t, 0, func() {
		if _, err := serveInput(here, []listen.Host{here}); err == nil || !strings.Contains(err.Error(), "too many open files") {
			t.Errorf("without descriptors: %v", err)
		}
	})
	if _, err := serveInput(here, []listen.Host{here, {Network: here.Network + 1}}); err == nil || !strings.Contains(err.Error(), "a host with the addresses [] cannot reach any of this host's") {
		t.Errorf("for a host without addresses: %v", err)
	}
	for _, byTCP := range []bool{false, true} {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		l.Close()
		in := serves(t, false)
		in.service.Close()
		if byTCP {
			in.address.Doors = []string{l.Addr().String()}
		}
		if err := inputClient.arrive(in.address.String()); err == nil || !strings.Contains(err.Error(), in.address.Doors[0]) || !strings.Contains(err.Error(), "connection refused") || inputClient.served {
			t.Errorf("%s, where nobody listens: %v, served %t", in.address, err, inputClient.served)
		}
	}
	if err := inputClient.arrive("unix @name x"); err == nil || !strings.Contains(err.Error(), `address "unix @name x" of a service`) {
		t.Errorf("a damaged address: %v", err)
	}
}

// After any bytes of a caller behind the token, the server goes on, and the input contains only its
// own bytes and bytes that the caller has returned.
func FuzzInputService(f *testing.F) {
	f.Add([]byte("i"))
	f.Add([]byte("is"))
	f.Add([]byte("isput"))
	f.Add([]byte("is and more than the input had"))
	f.Add([]byte("s"))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		const input = "input"
		s := &server{pending: []byte(input), ended: true}
		caller, end := net.Pipe()
		answered := make(chan bool)
		go func() {
			s.answer(end)
			end.Close()
			close(answered)
		}()
		go io.Copy(io.Discard, caller)
		for rest := sent; len(rest) > 0; {
			n, err := caller.Write(rest)
			if rest = rest[n:]; err != nil {
				break
			}
		}
		caller.Close()
		<-answered
		if returned := max(0, len(sent)-2); len(s.pending) > len(input)+returned {
			t.Errorf("after %q the input is %q", sent, s.pending)
		}
		next, end := net.Pipe()
		go func() {
			s.answer(end)
			end.Close()
		}()
		next.Write([]byte{wantsState})
		if state, err := io.ReadAll(next); err != nil || len(state) != 8+len(s.pending) {
			t.Errorf("after %q: %d bytes of state: %v", sent, len(state), err)
		}
	})
}
