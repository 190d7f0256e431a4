package watch

import (
	"sync/atomic"
	"unsafe"

	"github.com/migbsp/migbsp/internal/loss"
)

// A page is memory that a node's ranks and its watcher share. A slot for each rank follows it.
//
// Each rank writes its own slot, the first rank restart, record and connected, the watcher ready,
// lost, suspect and report, and the first rank that fails writes failure.
type page struct {
	key       uint64
	lost      uint32 // a rank is lost; later requests to end have this reason
	ready     uint32 // 0 until the watcher watches, then linked or unlinked
	failure   uint64 // a digest of the error that a rank reports, 0 before
	suspect   uint32 // the connection to another watcher is closed: its host may be lost
	_         [36]byte
	restart   text // a loss.Restart, as JSON
	record    text // the directory of the run's record
	connected text // a bit for each node whose watcher is connected to the root; "" until all have tried
	report    text
}

// slot is a rank's part of a page.
type slot struct {
	pulse   Pulse
	pid     int64 // 0: this rank is not watched
	started int64 // in clock ticks since boot; distinguishes processes that reuse a pid
	stateAt int64 // in ns since 1970
	state   uint32
	pipe    int32 // whose writing end only this rank has, -1 without one
	crash   int32 // the pipe for the text of a crash, <= 0 without one
	_       [28]byte
}

const (
	linked   uint32 = 1 + iota // the watcher is the root or connected to it
	unlinked                   // the watcher cannot reach the root
)

// isConnected reports whether a node's watcher was connected to the root before the run began, and
// whether all nodes have tried.
func (p *page) isConnected(node int) (connected, all bool) {
	set := p.connected.get()
	return node/8 < len(set) && set[node/8]>>(node%8)&1 != 0, set != ""
}

// States of a rank.
const (
	running uint32 = iota // a rank that ends in this state is lost
	done                  // its end is not reported
	failed
	asked
)

// maxText is the number of bytes that a text can have.
const maxText = 8184

// text is a text that others read while it may change.
type text struct {
	turn  uint32 // odd while it changes
	n     uint32
	bytes [maxText]byte
}

func (t *text) set(s string) {
	atomic.AddUint32(&t.turn, 1)
	t.n = uint32(copy(t.bytes[:], s))
	atomic.AddUint32(&t.turn, 1)
}

func (t *text) get() string {
	for range 1000 { // the writer may have died in the middle
		turn := atomic.LoadUint32(&t.turn)
		s := string(t.bytes[:min(int(t.n), len(t.bytes))])
		if turn&1 == 0 && atomic.LoadUint32(&t.turn) == turn {
			return s
		}
	}
	return ""
}

// pageBytes returns the size of a page for n ranks.
func pageBytes(n int) int { return int(unsafe.Sizeof(page{})) + n*int(unsafe.Sizeof(slot{})) }

func (p *page) slots(n int) []slot {
	return unsafe.Slice((*slot)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(page{}))), n)
}

// stepOf returns the superstep in a word, and whether the rank waits at its end.
func stepOf(word uint64) (step int, waits bool) { return int(word >> 1), word&1 != 0 }

// place returns the rank's position in the run.
func (s *slot) place() loss.Place {
	return placeOf(atomic.LoadUint64(&s.pulse.word), atomic.LoadUint64(&s.pulse.stage))
}

// placeOf decodes the words of a pulse.
func placeOf(word, stage uint64) loss.Place {
	if word == awayWord {
		return loss.Place{Away: true}
	}
	step, _ := stepOf(word)
	return loss.Place{Step: step, Loop: int(stage >> 32), Stage: int(uint32(stage))}
}
