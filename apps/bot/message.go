package main

import (
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/rebalancer/bag"
)

// up is a worker's message to its giver of tasks; an empty one is a sign of life.
type up struct {
	Farm    int // number of the farm that it belongs to
	Asks    bool
	Reports bool
	Report  bag.Report
	Results []outcome
}

// down is a giver's message to a worker.
type down struct {
	Farm   int
	Answer bag.Answer // Work or Done
	Chunk  bag.Chunk
	Inputs []string // of the chunk's tasks, if they have any
}

// outcome is the result of a task.
type outcome struct {
	Task    int
	Out     []byte
	Err     []byte // a command's standard error
	Problem string // why the task has failed, "" if it has not
}

// bytes returns about the length of the outcome's message.
func (o *outcome) bytes() int { return len(o.Out) + len(o.Err) + len(o.Problem) + 16 }

// mail is a rank's messages: values of any length, in parts that Post takes. The first byte
// of a part is not 0 if another part follows.
type mail struct {
	b     *bsplib.Proc
	parts map[int][]byte // by rank: of a message that is not whole yet
	buf   []byte         // the message that is sent
	part  []byte         // one part of a message
}

const (
	lastPart = iota
	morePart
)

// post sends v to a rank, and returns the number of bytes sent.
func post[M any](p *mail, rank int, v *M) (bytes int) {
	const room = bsplib.MostPost - 1
	buf, err := wire.Append(p.buf[:0], v)
	if err != nil {
		p.b.Abort("%v", err)
	}
	p.buf = buf
	for more := true; more; {
		n := min(room, len(buf))
		part := append(p.part[:0], lastPart)
		if more = n < len(buf); more {
			part[0] = morePart
		}
		p.part = append(part, buf[:n]...)
		buf = buf[n:]
		p.b.Runtime().Post(rank, p.part)
		bytes += len(p.part)
	}
	return bytes
}

// next waits up to patience for a message, which is valid until the next one; rank -1 means
// that none has come, or not all of it.
func (p *mail) next(patience time.Duration) (rank int, message []byte) {
	rank, part := p.b.Runtime().Poll(patience)
	if rank < 0 {
		return -1, nil
	}
	message = part[1:]
	if begun := p.parts[rank]; len(begun) > 0 || part[0] == morePart {
		message = append(begun, message...)
		p.parts[rank] = message
	}
	if part[0] == morePart {
		return -1, nil
	}
	delete(p.parts, rank)
	return rank, message
}

// read reads a message of a rank into v.
func read[M any](p *mail, rank int, message []byte, v *M) {
	if err := wire.Read(message, v); err != nil {
		p.b.Abort("a message of rank %d: %v", rank, err)
	}
}
