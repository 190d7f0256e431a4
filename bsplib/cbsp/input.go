//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

/*
#include "process.h"
*/
import "C"

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/listen"
)

// Process 0 has the standard input, which is on rank 0. When the process leaves, rank 0 begins to
// serve the input to the rank that has the process, through a connection that replaces that
// rank's descriptor 0. When the process leaves again, the rank returns the bytes that were sent but
// not read, and rank 0 serves them again to the next rank.
//
// A checkpoint has the number of bytes that were taken from the input, and those of them that
// process 0 has not read. A restarted run, given the same input, continues there. For a terminal
// the checkpoint has neither.

// server is rank 0's server of the input. It answers one rank at a time, in the order of requests.
type server struct {
	service *listen.Service
	begun   sync.Once
	mu      sync.Mutex
	last    chan struct{} // closed when the last request has been answered; under mu
	input   *os.File      // descriptor 0 as it was
	chunks  chan []byte   // of the input, closed at its end
	pending []byte        // read from it, or returned, and not served yet
	ended   bool
	soFar   int64 // bytes read from it, -1 if unknown
}

// client is a rank's side of the input while process 0 is on it: descriptor 0.
type client struct {
	served bool // it is a connection
}

var (
	inputServer *server // on rank 0
	inputClient client
)

// serveInput makes the server of this rank, on the host own, for ranks on all hosts. It returns the
// address of the server. It returns an error if some of the ranks could not have the input.
func serveInput(own listen.Host, hosts []listen.Host) (address string, err error) {
	fd, err := syscall.Dup(0)
	if err != nil {
		return "", fmt.Errorf("a second descriptor of it: %w", err)
	}
	syscall.CloseOnExec(fd)
	s := &server{input: os.NewFile(uintptr(fd), "stdin"), chunks: make(chan []byte)}
	if s.service, err = listen.Open(own, hosts); err != nil {
		s.service.Close()
		s.input.Close()
		return "", err
	}
	inputServer = s
	return s.service.Address.String(), nil
}

// begin starts the server. It serves the bytes in first, and then the input that follows.
func (s *server) begin(first []byte) {
	s.pending, s.soFar = first, int64(C.migbsp_read_so_far())
	go s.read()
	s.service.Accept(1, s.answer)
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

// The first byte of a connection is the request: for the input, or for the server's position in it.
const (
	wantsInput = 'i'
	wantsState = 's'
)

// queued is the server's first byte to a rank that requests the input. Later requests are answered
// after this request. Otherwise process 0 could move on to another rank whose request is answered
// first, and both ranks would wait for ever.
const queued = 'q'

// answer answers a rank, after the requests before it have been answered.
func (s *server) answer(c net.Conn) {
	wants := make([]byte, 1)
	if _, err := io.ReadFull(c, wants); err != nil {
		return
	}
	own := make(chan struct{})
	defer close(own)
	s.mu.Lock()
	before := s.last
	s.last = own
	s.mu.Unlock()
	if wants[0] == wantsInput {
		c.Write([]byte{queued}) // after an error pump's first write fails too
	}
	if before != nil {
		<-before
	}
	if wants[0] == wantsInput {
		s.pump(c)
		return
	}
	c.Write(binary.LittleEndian.AppendUint64(nil, uint64(s.soFar)))
	c.Write(s.pending)
}

// stop is a rank's message that process 0 has left.
const stop = 's'

// pump serves a rank until it sends stop, and takes back the bytes that the rank returns: first
// bytes that the program has pushed back, then unread bytes of those it was sent.
func (s *server) pump(c net.Conn) {
	stopped := make(chan struct{})
	var broken error
	go func() {
		_, broken = io.ReadFull(c, make([]byte, 1))
		close(stopped)
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
			if s.soFar >= 0 {
				s.soFar += int64(len(chunk))
			}
		}
	}
	s.end(c)
	if <-stopped; broken == nil {
		returned, _ := io.ReadAll(c)
		s.pending = append(returned, s.pending...)
	}
}

func (s *server) end(c net.Conn) {
	if half, can := c.(interface{ CloseWrite() error }); can {
		half.CloseWrite()
	}
}

// leave returns the input when process 0 leaves this rank.
func (in *client) leave() {
	first := unreadInput()
	C.migbsp_forget()
	if !in.served {
		if inputServer != nil {
			inputServer.begun.Do(func() { inputServer.begin(first) })
		}
		return
	}
	in.served = false
	for {
		if _, err := syscall.Write(0, []byte{stop}); err != syscall.EINTR {
			break
		}
	}
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

// unreadInput returns the input that the C library has read and the process has not.
func unreadInput() []byte {
	text := make([]byte, C.migbsp_unread(nil, 0))
	if len(text) > 0 {
		C.migbsp_unread((*C.char)(unsafe.Pointer(&text[0])), C.size_t(len(text)))
	}
	return text
}

// arrive connects this rank's descriptor 0 to the input when process 0 arrives.
func (in *client) arrive(address string) error {
	c, err := dial(address)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write([]byte{wantsInput}); err != nil {
		return err
	}
	c.SetReadDeadline(time.Now().Add(dialPatience))
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		return fmt.Errorf("rank 0 does not answer: %w", err)
	}
	c.SetReadDeadline(time.Time{})
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

// position returns the number of bytes of the input that have been read, -1 if unknown, and those
// of them that the process has not read.
func (in *client) position(address string) (soFar int64, unread []byte, err error) {
	if !in.served {
		return int64(C.migbsp_read_so_far()), unreadInput(), nil
	}
	in.leave()
	c, err := dial(address)
	if err != nil {
		return 0, nil, err
	}
	defer c.Close()
	c.Write([]byte{wantsState})
	state, err := io.ReadAll(c)
	if err != nil || len(state) < 8 {
		return 0, nil, fmt.Errorf("rank 0 does not say how far it is: %w", cmp.Or(err, io.ErrUnexpectedEOF))
	}
	return int64(binary.LittleEndian.Uint64(state)), state[8:], in.arrive(address)
}
