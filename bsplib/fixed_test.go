package bsplib_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	inner "github.com/migbsp/migbsp/bsplib/internal/process"
)

// halving halves a number until all processes have 1, after a number of stages not known before.
type halving struct {
	X, Stages int
	Largest   bsplib.Area[int]
}

func halve(b *bsplib.Proc, s *halving) error {
	if b.Fresh() {
		s.X = 1 << (b.Pid() + 3)
		s.Largest = bsplib.Register(b, make([]int, b.NProcs()))
	}
	for k := range b.Runtime().OpenStages() {
		if k != s.Stages {
			return fmt.Errorf("stage %d after %d", k, s.Stages)
		}
		done := k > 0
		for _, x := range s.Largest.Slice() {
			done = done && x == 1
		}
		if done {
			break
		}
		if k > 0 {
			s.X = max(1, s.X/2)
			for pid := range b.NProcs() {
				s.Largest.Put(pid, b.Pid(), s.X)
			}
		}
		s.Stages++
	}
	if want := b.NProcs() + 2 + 1; s.Stages != want {
		return fmt.Errorf("%d stages, want %d", s.Stages, want)
	}
	for k := range b.Stages(3) { // another loop follows
		s.X += k
	}
	if s.X != 4 {
		return fmt.Errorf("%d after the loops", s.X)
	}
	return nil
}

// A loop without a known length ends where all processes leave it, also after moves.
func TestOpenStages(t *testing.T) { bsptest.Shaken(t, halve) }

// The run fails if only some processes leave the loop.
func TestOpenStagesLeftBySome(t *testing.T) {
	err := bsptest.Try(t, bsplib.Config{Procs: 3, Ranks: 2}, func(b *bsplib.Proc, _ *struct{}) error {
		for k := range b.Runtime().OpenStages() {
			if k == b.Pid()+2 {
				break
			}
		}
		return nil
	})
	if e, is := errors.AsType[*bsplib.Error](err); !is || e.Kind != bsplib.KindEndMismatch {
		t.Errorf("got %v", err)
	}
}

// rooted has fixed memory besides its state: a block for each process.
type rooted struct {
	Pid   int
	Begun bool
	Area  bsplib.Area[byte]
}

const homeBytes = 1000

var homes struct {
	sync.Mutex
	memory [8][homeBytes]byte
	users  [8]int
	most   int
}

func (s *rooted) Ranges() [][]byte {
	if !s.Begun {
		return nil
	}
	return [][]byte{homes.memory[s.Pid][:600], homes.memory[s.Pid][600:]}
}

func (s *rooted) Bytes() int64 { return homeBytes }

func (s *rooted) Arrive(ranges []inner.Range) (memory [][]byte, err error) {
	homes.Lock()
	defer homes.Unlock()
	homes.users[s.Pid]++
	homes.most = max(homes.most, homes.users[s.Pid])
	base := uint64(uintptr(unsafe.Pointer(&homes.memory[s.Pid])))
	for _, r := range ranges {
		memory = append(memory, homes.memory[s.Pid][r.At-base:][:r.Bytes])
	}
	return memory, nil
}

func (s *rooted) Leave() {
	homes.Lock()
	defer homes.Unlock()
	if s.Begun {
		homes.users[s.Pid]--
	}
}

func (s *rooted) Written() {}

// Registered parts of a process's fixed memory keep their addresses, and pointers to them stay valid.
func TestFixed(t *testing.T) {
	bsptest.InProcess(t)
	homes.most = 0
	program := func(b *bsplib.Proc, s *rooted) error {
		if b.Fresh() {
			s.Pid, s.Begun = b.Pid(), true
			homes.Lock()
			homes.users[s.Pid]++
			homes.Unlock()
			s.Area = bsplib.Register(b, homes.memory[s.Pid][100:200])
		}
		for k := range b.Stages(10) {
			own := homes.memory[s.Pid][100:200]
			if &own[0] != &s.Area.Slice()[0] {
				return errors.New("the area has moved")
			}
			if from := (b.Pid() + b.NProcs() - 1) % b.NProcs(); k > 1 && own[k-1] != byte(from+k-1) {
				return fmt.Errorf("stage %d: %d", k, own[k-1])
			}
			if k > 0 {
				s.Area.Put((b.Pid()+1)%b.NProcs(), k, byte(b.Pid()+k))
			}
		}
		return nil
	}
	for ranks := 1; ranks <= 3; ranks++ {
		if err := bsptest.Try(t, bsplib.Config{Procs: 5, Ranks: ranks, Shake: true}, program); err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	if homes.most != 2 {
		t.Errorf("%d ranks at most had a process's memory, want 2", homes.most)
	}
	for pid, n := range homes.users {
		if n != 0 {
			t.Errorf("process %d: %d ranks have its memory in the end", pid, n)
		}
	}
}
