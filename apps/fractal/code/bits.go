package code

import "errors"

// bitWriter appends bits to bytes, the highest first.
type bitWriter struct {
	bytes []byte
	free  int // bits of the last byte
}

func (w *bitWriter) put(x uint32, n int) {
	for n > 0 {
		if w.free == 0 {
			w.bytes, w.free = append(w.bytes, 0), 8
		}
		take := min(n, w.free)
		part := byte(x >> (n - take) & (1<<take - 1))
		w.free -= take
		w.bytes[len(w.bytes)-1] |= part << w.free
		n -= take
	}
}

// bitReader reads them again.
type bitReader struct {
	bytes []byte
	used  int // bits of the first byte
}

var errShort = errors.New("the codes end too early")

func (r *bitReader) get(n int) (uint32, error) {
	x := uint32(0)
	for n > 0 {
		if len(r.bytes) == 0 {
			return 0, errShort
		}
		take := min(n, 8-r.used)
		x = x<<take | uint32(r.bytes[0]>>(8-r.used-take))&(1<<take-1)
		n -= take
		if r.used += take; r.used == 8 {
			r.bytes, r.used = r.bytes[1:], 0
		}
	}
	return x, nil
}

// finish returns an error unless only zero bits of the last byte are left.
func (r *bitReader) finish() error {
	if r.used > 0 {
		if r.bytes[0]<<r.used != 0 {
			return errors.New("bits after the last code are not 0")
		}
		r.bytes = r.bytes[1:]
	}
	if len(r.bytes) > 0 {
		return errors.New("there are bytes after the last code")
	}
	return nil
}
