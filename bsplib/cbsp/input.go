//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

/*
#include "process.h"
*/
import "C"

import (
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// Process 0 has the standard input, which is where rank 0 is. When the process leaves, rank 0
// begins to serve the input to whichever rank has the process, through a connection that takes
// the place of that rank's descriptor 0. When the process leaves there, the rank gives back what
// was sent and not read, and rank 0 serves it again to the next.

// server is rank 0's. It has one connection at a time.
type server struct {
	listener net.Listener
	token    string // without which nobody is served
	begun    sync.Once
	input    *os.File    // descriptor 0 as it was
	chunks   chan []byte // of the input, closed at its end
	pending  []byte      // was read from it, or given back, and is to be served
	ended    bool
}

// client is what a rank has of the input while process 0 is there: descriptor 0.
type client struct {
	served bool // it is a connection
}

var (
	inputServer *server // on rank 0
	inputClient client
)

// serveInput makes the server of this rank, and returns where it is. For ranks on other hosts it
// listens on the network.
func serveInput(host string, everywhere bool) (address string, err error) {
	fd, err := syscall.Dup(0)
	if err != nil {
		return "", fmt.Errorf("a second descriptor of it: %w", err)
	}
	syscall.CloseOnExec(fd)
	s := &server{input: os.NewFile(uintptr(fd), "stdin"), chunks: make(chan []byte), token: rand.Text()}
	network, at := "tcp", ":0"
	if !everywhere {
		network, at = "unix", ""
	}
	if s.listener, err = net.Listen(network, at); err != nil {
		s.input.Close()
		return "", err
	}
	address = "unix " + s.listener.Addr().String()
	if everywhere {
		_, port, _ := net.SplitHostPort(s.listener.Addr().String())
		address = "tcp " + net.JoinHostPort(host, port)
	}
	inputServer = s
	return address + " " + s.token, nil
}

// begin serves from now on, first what the C library has read already.
func (s *server) begin(first []byte) {
	s.pending = first
	go s.read()
	go s.serve()
}

// read reads the input ahead by one chunk.
func (s *server) read() {
	for {
		chunk := make([]byte, 1<<16)
		n, err := s.input.Read(chunk)
		if n > 0 {
			s.chunks <- chunk[:n]
		}
		if err != nil {
			close(s.chunks)
			return
		}
	}
}

// serve takes one connection after the other.
func (s *server) serve() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		token := make([]byte, len(s.token))
		if _, err := io.ReadFull(c, token); err == nil && string(token) == s.token {
			s.pump(c)
		}
		c.Close()
	}
}

// stop is what a rank says that process 0 has left.
const stop = 's'

// pump serves a rank until it says stop, and takes back what it gives back.
func (s *server) pump(c net.Conn) {
	stopped := make(chan struct{})
	var returned []byte
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		one := make([]byte, 1)
		_, err := io.ReadFull(c, one)
		close(stopped)
		if err == nil {
			returned, _ = io.ReadAll(c)
		}
	}()
	for stays := true; stays; {
		if len(s.pending) > 0 {
			n, err := c.Write(s.pending)
			s.pending = s.pending[n:]
			if err != nil {
				break
			}
			select {
			case <-stopped:
				stays = false
			default:
			}
			continue
		}
		if s.ended {
			s.end(c)
			<-stopped
			break
		}
		select {
		case <-stopped:
			stays = false
		case chunk, more := <-s.chunks:
			s.pending, s.ended = chunk, !more
		}
	}
	s.end(c)
	<-ended
	s.pending = append(returned, s.pending...)
}

func (s *server) end(c net.Conn) {
	if half, can := c.(interface{ CloseWrite() error }); can {
		half.CloseWrite()
	}
}

// leave gives the input back: process 0 leaves this rank.
func (in *client) leave() {
	first := unreadInput()
	if !in.served {
		if inputServer != nil {
			inputServer.begun.Do(func() { inputServer.begin(first) })
		}
		return
	}
	in.served = false
	syscall.Write(0, []byte{stop})
	rest := make([]byte, 1<<16)
	for {
		n, err := syscall.Read(0, rest)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			break
		}
		first = append(first, rest[:n]...)
	}
	for len(first) > 0 {
		n, err := syscall.Write(0, first)
		if err != nil && err != syscall.EINTR {
			break
		}
		first = first[max(n, 0):]
	}
	if null, err := syscall.Open("/dev/null", syscall.O_RDONLY, 0); err == nil {
		syscall.Dup3(null, 0, 0)
		syscall.Close(null)
	}
}

// unreadInput takes what the C library has read and the process has not.
func unreadInput() []byte {
	var n C.size_t
	at := C.migbsp_unread(&n)
	text := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(at)), int(n))...)
	C.migbsp_forget()
	return text
}

// arrive connects this rank's descriptor 0 with the input: process 0 has come.
func (in *client) arrive(address string) error {
	words := strings.SplitN(address, " ", 3)
	network, at, token := words[0], words[1], words[2]
	c, err := net.Dial(network, at)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := io.WriteString(c, token); err != nil {
		return err
	}
	f, err := c.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Dup3(int(f.Fd()), 0, 0); err != nil { // Fd makes it wait for data
		return err
	}
	C.migbsp_forget()
	in.served = true
	return nil
}
