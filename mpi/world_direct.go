//go:build mpi && cgo

package mpi

import "unsafe"

// DirectFrom implements Direct, as do the other exported methods.
func (w *world) DirectFrom(rank int) int {
	if w.member[rank] >= 0 || w.process.direct.mode == directOff {
		return 0
	}
	return directFrom
}

func (w *world) Give(dst int, on Channel, data []byte) {
	w.straight.start(wayKey{dst, on, true}, data)
}

func (w *world) Take(src int, on Channel, data []byte) Run {
	s := w.straight
	s.start(wayKey{src, on, false}, data)
	return Run((len(s.all[on])-1)*int(channels) + int(on))
}

func (w *world) GiveCopy(dst int, on Channel, data []byte) bool {
	s, a := w.straight, w.process.arena
	place, _, ok := a.take(len(data))
	if !ok {
		return false
	}
	mem := unsafe.Slice((*byte)(a.at(place)), len(data))
	copy(mem, data)
	s.start(wayKey{dst, on, true}, mem).copied = place
	return true
}

func (w *world) Drop(r Run) error {
	w.straight.drop(w.straight.run(r))
	return w.ran()
}

func (w *world) Progress() error {
	if w.straight == nil {
		return w.err
	}
	w.straight.poll(1)
	return w.ran()
}

func (w *world) Landed(r Run, n int) error {
	u := w.straight.run(r)
	w.straight.wait(func() bool { return w.err != nil || u.front >= n })
	return w.ran()
}

func (w *world) Settle(on Channel) error {
	s := w.straight
	if s == nil || len(s.all[on]) == 0 {
		return w.err
	}
	s.wait(func() bool { return w.err != nil || s.left[on] == 0 })
	if err := w.ran(); err != nil {
		return err
	}
	s.retire(on)
	return nil
}

// ran makes an error of a run one of the Comm.
func (w *world) ran() error {
	if err := w.straight.err; err != nil && w.err == nil {
		return w.fail(err)
	}
	return w.err
}
