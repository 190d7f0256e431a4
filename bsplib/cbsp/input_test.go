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

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// standardInput has a pipe as descriptor 0 while the test runs, and returns its other end.
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

// Each rank at which process 0 arrives goes on where the one before has stopped, though that has
// been sent more. Who does not know the token gets nothing, and a rank that breaks off does not keep
// others from what it was not sent.
func TestInputGoesWithTheProcess(t *testing.T) {
	for _, everywhere := range []bool{false, true} {
		w := standardInput(t)
		address := must.Get(serveInput("localhost", everywhere))(t)
		s := inputServer
		words := strings.SplitN(address, " ", 3)
		dial := func(token string) net.Conn {
			c, err := net.Dial(words[0], words[1])
			if err == nil {
				_, err = io.WriteString(c, token)
			}
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		stranger := func() {
			if text, _ := io.ReadAll(dial(strings.Repeat("x", len(words[2])))); len(text) > 0 {
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
			must.Do(t, inputClient.arrive(address))
			want := fmt.Sprintf("on rank %d, ", rank)
			if rank > 1 {
				want = "and " + want
			}
			if got := read(t, len(want)); got != want {
				t.Errorf("%s: %q, want %q", address, got, want)
			}
			inputClient.leave()
			if got := read(t, 1); got != "" {
				t.Errorf("a rank that process 0 has left has %q", got)
			}
			stranger()
		}
		breaks := dial(words[2] + string(wantsInput))
		io.ReadFull(breaks, make([]byte, 4))
		breaks.Close()
		stranger() // who is next, when that has been noticed
		io.WriteString(w, "the rest")
		w.Close()
		must.Do(t, inputClient.arrive(address))
		if got := read(t, 100); got != "the rest" {
			t.Errorf("after a rank that breaks off: %q", got)
		}
		inputClient.leave()
		s.service.listener.Close()
	}
}

// An input that cannot be served, or not be reached, is an error that says so, not an empty one.
func TestInputErrors(t *testing.T) {
	standardInput(t)
	var limit syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none)
	_, err := serveInput("localhost", false)
	syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	if err == nil || !strings.Contains(err.Error(), "too many open files") {
		t.Errorf("without descriptors: %v", err)
	}
	for _, everywhere := range []bool{false, true} {
		address := must.Get(serveInput("localhost", everywhere))(t)
		inputServer.service.listener.Close()
		at := strings.Fields(address)
		if err := inputClient.arrive(address); err == nil || !strings.Contains(err.Error(), at[0]) || !strings.Contains(err.Error(), "connection refused") || inputClient.served {
			t.Errorf("%s, where nobody listens: %v, served %t", address, err, inputClient.served)
		}
	}
}
