package rebalancer

import (
	"encoding/binary"
	"errors"
	"math"
)

// errDamaged is the error of bytes that no Append in this package wrote.
var errDamaged = errors.New("rebalancer: these bytes are damaged or of another version")

// writer appends values in the order in which a reader takes them.
type writer struct {
	b       []byte
	counts  bool // bytes are only counted
	counted int  // bytes that were, and are no longer in b
	texts   map[string]int
}

// size is how many bytes write writes.
func size(write func(w *writer)) int {
	w := &writer{counts: true}
	write(w)
	return w.counted + len(w.b)
}

func (w *writer) int(x int)         { w.b = binary.AppendVarint(w.b, int64(x)) }
func (w *writer) int64(x int64)     { w.b = binary.AppendVarint(w.b, x) }
func (w *writer) float(x float64)   { w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x)) }
func (w *writer) float32(x float32) { w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(x)) }

func (w *writer) bool(x bool) {
	if x {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

// reader takes values from bytes. After damage it gives zeros.
type reader struct {
	b     []byte
	bad   bool
	texts []string
}

func (r *reader) int() int { return int(r.int64()) }

func (r *reader) int64() int64 {
	x, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return x
}

// take removes n bytes, nil if there are not as many.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) float() float64 {
	if b := r.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (r *reader) float32() float32 {
	if b := r.take(4); b != nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (r *reader) bool() bool {
	b := r.take(1)
	if b != nil && b[0] > 1 {
		r.bad = true
	}
	return b != nil && b[0] == 1
}

// count is the length of a list whose elements take at least size bytes each:
// damaged bytes cannot ask for more memory than they have themselves.
func (r *reader) count(size int) int {
	n := r.int()
	if n < 0 || n > len(r.b)/size {
		r.bad, r.b = true, nil
		return 0
	}
	return n
}

// end is the error of a reader that should have taken all.
func (r *reader) end() error {
	if r.bad || len(r.b) > 0 {
		return errDamaged
	}
	return nil
}

// list appends the length of a list and each element.
func list[T any](w *writer, all []T, each func(w *writer, x *T)) {
	w.int(len(all))
	for i := range all {
		each(w, &all[i])
		if w.counts {
			w.counted, w.b = w.counted+len(w.b), w.b[:0]
		}
	}
}

// readList takes a list; an empty one is nil.
func readList[T any](r *reader, size int, each func(r *reader, x *T)) []T {
	n := r.count(size)
	if n == 0 {
		return nil
	}
	all := make([]T, n)
	for i := range all {
		each(r, &all[i])
	}
	return all
}

// Few texts say why many processes move: each is written once, behind its length, and
// from then on as minus its number, counted from 1. The empty text has no number.

// text appends a text.
func (w *writer) text(s string) {
	if number, known := w.texts[s]; known {
		w.int(-number)
		return
	}
	w.int(len(s))
	w.b = append(w.b, s...)
	if s == "" {
		return
	}
	if w.texts == nil {
		w.texts = make(map[string]int)
	}
	w.texts[s] = len(w.texts) + 1
}

// text takes a text.
func (r *reader) text() string {
	n := r.int()
	switch {
	case n < -len(r.texts):
		r.bad, r.b = true, nil
		return ""
	case n < 0:
		return r.texts[-n-1]
	}
	s := string(r.take(n))
	if s != "" {
		r.texts = append(r.texts, s)
	}
	return s
}

// mostInRuns bounds the values that runs may stand for: damaged bytes cannot ask for
// more memory than that.
const mostInRuns = 1 << 22

// writeRuns appends values of which many that follow each other are the same, as
// speeds of hosts of one kind are: each value with how often it comes.
func writeRuns(w *writer, all []float64) {
	w.int(len(all))
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		w.int(n)
		w.float(all[i])
		if w.counts {
			w.counted, w.b = w.counted+len(w.b), w.b[:0]
		}
		i += n
	}
}

// readRuns takes what writeRuns wrote.
func readRuns(r *reader) []float64 {
	total := r.int()
	if total < 0 || total > mostInRuns {
		r.bad, r.b = true, nil
		return nil
	}
	var all []float64
	for len(all) < total && !r.bad {
		n, x := r.int(), r.float()
		if n < 1 || n > total-len(all) {
			r.bad, r.b = true, nil
			return nil
		}
		for range n {
			all = append(all, x)
		}
	}
	return all
}
