//go:build cgo && linux && (amd64 || arm64)

package cbsp

/*
#include "process.h"
*/
import "C"

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/internal/listen"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// bsp_direct_get reads an area of another process while that process runs. The data that the last
// superstep delivered to the area must be complete: each rank publishes its superstep after the
// delivery, and a reader waits for that. If the reader cannot address the memory, a service of the
// process's rank reads it. Processes move, also to ranks that had none: rank 0 has a directory of
// services, which each rank asks once for each service. On a node the kernel copies the data, and
// the number of the superstep, without the help of that rank.

// reading is the state of direct reads in this Go program.
var reading = struct {
	sync.Mutex
	begun   *sync.Cond
	section string          // the run, or the part of a program of MPI
	steps   map[int]int     // by rank: the superstep that has begun
	service *listen.Service // nil if ranks share their memory
	places  map[int]string  // by rank: addresses of services, on rank 0
	ranks   map[int]*reader
}{ranks: make(map[int]*reader)}

// reader reads memory of another rank.
type reader struct {
	place   string
	counter mpi.Ref // that rank's here, 0 if the kernel does not copy from there
	c       net.Conn
}

// counter is the position of this rank: the section, by a hash, and the superstep.
type counter struct{ section, step atomic.Uint64 }

var here counter

func init() { reading.begun = sync.NewCond(&reading.Mutex) }

func hashOf(section string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, section)
	return h.Sum64()
}

// canRead lets the ranks find each other, if a program reads at once. All processes call it when
// the run begins or restarts. Each process keeps the returned section when it moves.
func canRead(b *bsplib.Proc) (section string, err error) {
	if C.migbsp_directs == 0 {
		return "", nil
	}
	text := make([]byte, 512)
	if b.Pid() == 0 {
		place := ""
		if !inProcess(b) {
			if err := serveMemory(b); err != nil {
				return "", err
			}
			place = reading.service.Address.String()
			reading.Lock()
			reading.places = make(map[int]string)
			reading.Unlock()
		}
		copy(text, rand.Text()+" "+place)
	}
	bsplib.Broadcast(b, 0, text)
	return strings.TrimRight(string(text), "\x00"), nil
}

// entersSuperstep is called when a process begins a superstep on a rank.
func entersSuperstep(b *bsplib.Proc, section string) error {
	if section == "" {
		return nil
	}
	reading.Lock()
	fresh := reading.section != section
	if fresh {
		for _, r := range reading.ranks {
			if r.c != nil {
				r.c.Close()
			}
		}
		reading.section, reading.steps, reading.ranks = section, make(map[int]int), make(map[int]*reader)
		here.step.Store(0)
		here.section.Store(hashOf(section))
	}
	reading.steps[b.Rank()] = max(stepOf(b), reading.steps[b.Rank()])
	here.step.Store(uint64(reading.steps[b.Rank()]))
	reading.Unlock()
	reading.begun.Broadcast()
	if !fresh || inProcess(b) {
		return nil
	}
	if err := serveMemory(b); err != nil {
		return err
	}
	place := fmt.Sprint(uint64(share(b, unsafe.Slice((*byte)(unsafe.Pointer(&here)), unsafe.Sizeof(here)))), " ", reading.service.Address)
	_, err := askDirectory(section, question{Kind: announces, Rank: uint64(b.Rank())}, place)
	return err
}

// awaitSuperstep returns when a rank of this Go program is in a superstep of a section.
func awaitSuperstep(section string, rank, step int) {
	reading.Lock()
	defer reading.Unlock()
	for !hasBegun(section, rank, step) {
		reading.begun.Wait()
	}
}

func hasBegun(section string, rank, step int) bool {
	return reading.section == section && reading.steps[rank] >= step
}

// readNow copies the current bytes of process pid's part of an area.
func (r *runner) readNow(area *stream.Area, pid, offset int, to []byte) error {
	b, rank := r.b, rankOf(r.b, pid)
	switch {
	case rank == b.Rank():
	case r.section == "":
		return errors.New("the program itself does not call bsp_direct_get")
	case inProcess(b):
		awaitSuperstep(r.section, rank, stepOf(b))
	default:
		x, err := readerOf(r.section, rank)
		if err != nil {
			return err
		}
		if ref := farRef(r.b, area, pid); ref != 0 && x.counter != 0 && x.copies(r.b, r.section, rank, ref, offset, to) {
			return nil
		}
		return x.asks(r.section, question{Kind: reads, Rank: uint64(rank), Step: uint64(stepOf(b)), At: uint64(r.c.a)}, to)
	}
	memory.Copy(memory.At(to), addressed(area, pid, offset), len(to))
	return nil
}

// question is a request of a rank to a service.
type question struct{ Kind, Rank, Step, At, Bytes uint64 }

const (
	announces = iota // the address of the rank's service
	looksFor         // that address
	reads            // memory of the rank
)

// serveMemory starts the service of this rank.
func serveMemory(b *bsplib.Proc) (err error) {
	if reading.service != nil {
		return nil
	}
	own, all := networks(b)
	s, err := listen.Open(own, all)
	if err != nil {
		s.Close()
		return err
	}
	s.Accept(len(all), func(c net.Conn) { answerReader(c, len(all)) })
	reading.service = s
	return nil
}

// answerReader answers the questions of a rank, one of ranks many, until it closes the connection
// or sends an invalid question.
func answerReader(c net.Conn, ranks int) {
	for {
		var q question
		if binary.Read(c, binary.LittleEndian, &q) != nil || q.Kind > reads || q.Rank >= uint64(ranks) {
			return
		}
		section, err := readText(c)
		if err != nil {
			return
		}
		rank := int(q.Rank)
		switch q.Kind {
		case announces:
			var place string
			if place, err = readText(c); err != nil {
				return
			}
			reading.Lock()
			if reading.places != nil {
				reading.places[rank] = place
			}
			reading.Unlock()
			reading.begun.Broadcast()
			err = writeText(c, nil)
		case looksFor:
			place := ""
			if !await(c, func() bool { place = reading.places[rank]; return place != "" }) {
				return
			}
			err = writeText(c, []byte(place))
		case reads:
			if !await(c, func() bool { return hasBegun(section, rank, int(q.Step)) }) {
				return
			}
			err = writeMemory(c, uintptr(q.At), q.Bytes)
		}
		if err != nil {
			return
		}
	}
}

// await waits until ready returns true. It calls ready with reading locked. It returns false if the
// caller closes the connection, or sends something before it has its answer.
func await(c net.Conn, ready func() bool) bool {
	reading.Lock()
	defer reading.Unlock()
	if ready() {
		return true
	}
	gone, ended := false, make(chan struct{})
	go func() {
		defer close(ended)
		_, err := c.Read(make([]byte, 1))
		reading.Lock()
		gone = !errors.Is(err, os.ErrDeadlineExceeded)
		reading.Unlock()
		reading.begun.Broadcast()
	}()
	for !ready() && !gone {
		reading.begun.Wait()
	}
	reading.Unlock()
	c.SetReadDeadline(time.Now()) // ends the goroutine
	<-ended
	c.SetReadDeadline(time.Time{})
	reading.Lock()
	return !gone
}

// writeMemory writes the length of memory and the memory, in pieces, because other ranks choose its
// length. It fails if the memory is no longer mapped.
func writeMemory(c net.Conn, at uintptr, n uint64) error {
	const piece = 64 << 10
	buffer := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+min(n, piece)), n)
	for {
		k := int(min(n, piece))
		used := len(buffer)
		buffer = buffer[:used+k]
		if !copyMemory(buffer[used:], at) {
			return errors.New("no such memory")
		}
		if _, err := c.Write(buffer); err != nil {
			return err
		}
		at, n, buffer = at+uintptr(k), n-uint64(k), buffer[:0]
		if n == 0 {
			return nil
		}
	}
}

// copyMemory copies memory of this Go program, and reports whether it is mapped.
func copyMemory(to []byte, at uintptr) (is bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { is = recover() == nil }()
	memory.Copy(memory.At(to), unsafe.Add(nil, at), len(to))
	return
}

// askDirectory sends a question to rank 0's directory and returns the answer.
func askDirectory(section string, q question, text string) (string, error) {
	_, place, _ := strings.Cut(section, " ")
	c, err := dial(place)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := ask(c, section, q); err != nil {
		return "", err
	}
	if q.Kind == announces {
		if err := writeText(c, []byte(text)); err != nil {
			return "", err
		}
	}
	return readText(c)
}

// readerOf returns the reader of a rank's memory.
func readerOf(section string, rank int) (*reader, error) {
	if x := reading.ranks[rank]; x != nil {
		return x, nil
	}
	place, err := askDirectory(section, question{Kind: looksFor, Rank: uint64(rank)}, "")
	if err != nil {
		return nil, err
	}
	number, place, _ := strings.Cut(place, " ")
	ref, _ := strconv.ParseUint(number, 10, 64)
	reading.ranks[rank] = &reader{place: place, counter: mpi.Ref(ref)}
	return reading.ranks[rank], nil
}

// copies copies through the kernel, once that rank is in this superstep. It reports whether it could.
func (x *reader) copies(b *bsplib.Proc, section string, rank int, ref mpi.Ref, offset int, to []byte) bool {
	hash, step := hashOf(section), uint64(stepOf(b))
	var now [2]uint64
	for try := 0; now[0] != hash || now[1] < step; try++ {
		if try > 100 {
			time.Sleep(20 * time.Microsecond)
		}
		if copyFrom(b, rank, x.counter, 0, unsafe.Slice((*byte)(unsafe.Pointer(&now)), unsafe.Sizeof(now))) != nil {
			return false
		}
	}
	return copyFrom(b, rank, ref, offset, to) == nil
}

// asks reads through the rank's service.
func (x *reader) asks(section string, q question, to []byte) (err error) {
	if x.c == nil {
		if x.c, err = dial(x.place); err != nil {
			return err
		}
	}
	q.Bytes = uint64(len(to))
	if err = ask(x.c, section, q); err == nil {
		_, err = io.ReadFull(x.c, make([]byte, 8))
	}
	if err == nil {
		_, err = io.ReadFull(x.c, to)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("rank %d has no memory there", q.Rank)
	}
	return err
}

func ask(c net.Conn, section string, q question) error {
	text, _ := binary.Append(nil, binary.LittleEndian, &q)
	_, err := c.Write(append(binary.LittleEndian.AppendUint64(text, uint64(len(section))), section...))
	return err
}

func writeText(c net.Conn, text []byte) error {
	_, err := c.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...))
	return err
}

func readText(c net.Conn) (string, error) {
	length := make([]byte, 8)
	if _, err := io.ReadFull(c, length); err != nil {
		return "", err
	}
	n := binary.LittleEndian.Uint64(length)
	if n > 1<<12 {
		return "", errors.New("too long")
	}
	text := make([]byte, n)
	_, err := io.ReadFull(c, text)
	return string(text), err
}
