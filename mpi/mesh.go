//go:build mpi && cgo

package mpi

/*
#cgo linux CFLAGS: -O2 -pthread
#cgo linux,amd64 CFLAGS: -I/usr/lib/x86_64-linux-gnu/openmpi/include -I/usr/include/openmpi-x86_64
#cgo linux,arm64 CFLAGS: -I/usr/lib/aarch64-linux-gnu/openmpi/include -I/usr/include/openmpi-aarch64
#cgo linux,amd64 LDFLAGS: -L/usr/lib/x86_64-linux-gnu/openmpi/lib -L/usr/lib64/openmpi/lib -lmpi
#cgo linux,arm64 LDFLAGS: -L/usr/lib/aarch64-linux-gnu/openmpi/lib -L/usr/lib64/openmpi/lib -lmpi
#include "exchange.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"time"
	"unsafe"
)

// mesh is a rank's connection to the ranks that share no memory with it. The C
// side posts and polls; the waiting is done here.
type mesh struct {
	c     *C.mb_mesh
	ranks []int // by remote rank number
	peer  []int // remote rank number by rank, -1 if not remote
	ports [Lanes][]C.mb_port
}

// newMesh connects this rank with those ranks of a new communicator that are
// not members, or makes no mesh for a negative color. All ranks of the parent
// call it.
func newMesh(parent *mesh, color, key int, member []int) (*mesh, error) {
	m := &mesh{peer: make([]int, len(member))}
	ranks := []C.int{0}[:0]
	for r, at := range member {
		m.peer[r] = -1
		if at < 0 {
			m.peer[r] = len(ranks)
			m.ranks = append(m.ranks, r)
			ranks = append(ranks, C.int(r))
		}
	}
	var from *C.mb_mesh
	if parent != nil {
		from = parent.c
	}
	code := C.mb_mesh_new(from, C.int(color), C.int(key), C.int(len(ranks)), unsafe.SliceData(ranks), &m.c)
	if code != 0 || m.c == nil {
		return nil, mpiError("make a communicator", code)
	}
	for k := range m.ports {
		m.ports[k] = unsafe.Slice(m.c.port[k], len(ranks))
	}
	return m, nil
}

func (m *mesh) close() { C.mb_mesh_free(m.c) }

// drain waits for sends that are on their way. The receivers have asked for
// them, unless the program is wrong; then it gives up.
func (m *mesh) drain() {
	for start := time.Now(); m.c.mails > 0 && time.Since(start) < time.Second; {
		m.progress()
		yieldCPU()
	}
}

// exchange exchanges the lane's buffers with all remote ranks and returns the
// OR of their flags.
func (m *mesh) exchange(l *worldLane, serial uint32, flags Flags, wait *waiter) (Flags, error) {
	ports := m.ports[l.number]
	for i, r := range m.ranks {
		if out := l.Out[r].Bytes; len(out) > 0 {
			ports[i].out = (*C.char)(unsafe.Pointer(unsafe.SliceData(out)))
			ports[i].out_len = C.size_t(len(out))
			l.Out[r].Bytes = out[:0]
		}
	}
	code := C.mb_begin(m.c, C.int(l.number), C.uint32_t(serial), C.uint32_t(flags), C.int(wait.polls))
	if code == 0 && m.c.done == 0 {
		wait.begin()
	}
	for code == 0 && m.c.done == 0 {
		if nap := wait.step(); nap > 0 {
			nanosleep(nap)
		}
		code = C.mb_poll(m.c, C.int(wait.polls))
	}
	if code != 0 {
		return 0, mpiError("exchange", code)
	}
	for i, r := range m.ranks {
		if p := &ports[i]; p.in_len > 0 {
			l.deliver(r, unsafe.Slice((*byte)(unsafe.Pointer(p.in)), int(p.in_len)))
		}
	}
	return Flags(m.c.flags), nil
}

// progress lets the library work while this rank waits for something else.
func (m *mesh) progress() { C.mb_progress(m.c) }

func (m *mesh) send(dst, channel int, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	code := C.mb_send(m.c, C.int(m.peer[dst]), C.int(channel), unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data)))
	return mpiError("send", code)
}

// recv has two pieces on their way as long as data has room for them.
func (m *mesh) recv(src, channel int, data []byte, wait *waiter) error {
	asked := 0
	ask := func() C.int {
		n := min(len(data)-asked, C.MB_CHUNK)
		if n == 0 {
			return 0
		}
		asked += n
		return C.mb_recv(m.c, C.int(m.peer[src]), C.int(channel), C.size_t(n))
	}
	code := ask()
	for got := 0; code == 0 && got < len(data); {
		if code = ask(); code != 0 {
			break
		}
		var piece *C.char
		if piece, code = m.piece(wait); code == 0 {
			n := min(len(data)-got, C.MB_CHUNK)
			got += copy(data[got:], unsafe.Slice((*byte)(unsafe.Pointer(piece)), n))
		}
	}
	return mpiError("receive", code)
}

// piece waits for the oldest piece on its way.
func (m *mesh) piece(wait *waiter) (*C.char, C.int) {
	for waiting := false; ; waiting = true {
		var piece *C.char
		code := C.mb_recv_test(m.c, C.int(wait.polls), &piece)
		if code != 0 || piece != nil {
			return piece, code
		}
		if !waiting {
			wait.begin()
		}
		if nap := wait.step(); nap > 0 {
			nanosleep(nap)
		}
	}
}

// mpiError is nil for code 0.
func mpiError(what string, code C.int) error {
	switch code {
	case 0:
		return nil
	case C.MB_OUT_OF_STEP:
		return errOutOfStep
	case C.MB_WRONG_LENGTH:
		return errors.New("mpi: " + what + ": fewer bytes were sent")
	}
	var text [1024]C.char
	C.mb_error_text(code, &text[0], C.int(len(text)))
	return errors.New("mpi: " + what + ": " + C.GoString(&text[0]))
}

// libraryVersion returns the library's description of itself.
func libraryVersion() string {
	var text [1024]C.char
	C.mb_library(&text[0], C.int(len(text)))
	return C.GoString(&text[0])
}

// findPlace returns the lowest rank of this rank's node, how many ranks the
// machine has, and how many processors they may use.
func findPlace(nodeSize int) (leader, nodeRanks, cpus int, err error) {
	var p C.mb_place
	if code := C.mb_start(C.int(nodeSize), &p); code != 0 {
		return 0, 0, 0, fmt.Errorf("find the ranks of a node: %w", mpiError("start", code))
	}
	return int(p.leader), int(p.node_ranks), int(p.cpus), nil
}
