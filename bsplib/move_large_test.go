package bsplib_test

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/probe"
)

// peakMemory returns the peak memory of this process since restart.
func peakMemory(t *testing.T) int64 {
	t.Helper()
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Skip("needs /proc")
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kib int64
		if strings.HasPrefix(s.Text(), "VmHWM:") {
			fmt.Sscan(s.Text()[6:], &kib)
			return kib << 10
		}
	}
	t.Skip("needs VmHWM in /proc/self/status")
	return 0
}

// During its move a large state exists at most twice.
func TestLargeStatesTakeNoMoreThanTwoCopies(t *testing.T) {
	size := 1 << 30
	if testing.Short() || raceEnabled {
		size = 64 << 20
	}
	if available := probe.AvailableMemory(); available > 0 && available < int64(4*size) {
		t.Skipf("needs %d bytes of memory", 4*size)
	}
	defer debug.FreeOSMemory()
	type state struct {
		Data  []uint64
		Began int64
	}
	var grown int64
	for _, cfg := range bsptest.Configs(2)[:1] {
		if cfg.Comm == nil {
			cfg.Ranks = 2
		}
		cfg.Shake = true
		must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, s *state) error {
			if b.Fresh() && b.Pid() == 1 {
				debug.FreeOSMemory()
				os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
				s.Began = peakMemory(t)
				s.Data = make([]uint64, size/8)
				for i := range s.Data {
					s.Data[i] = uint64(i) * 0x9e3779b97f4a7c15
				}
			}
			for range b.Stages(1) {
			}
			for i, v := range s.Data {
				if v != uint64(i)*0x9e3779b97f4a7c15 {
					return fmt.Errorf("word %d is %#x", i, v)
				}
			}
			if b.Pid() == 1 && cfg.Comm == nil {
				grown = peakMemory(t) - s.Began
			}
			return nil
		}))
	}
	if limit := int64(2*size + 64<<20); grown > limit && !raceEnabled {
		t.Errorf("a move of %d bytes took %d bytes of memory, more than %d", size, grown, limit)
	}
}

// After a move no reference keeps the process's old memory alive.
func TestOldCopiesAreGivenUp(t *testing.T) {
	bsptest.InProcess(t)
	const size = 64 << 20
	defer debug.FreeOSMemory()
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	cfg := bsplib.Config{Procs: 2, Ranks: 2, Shake: true}
	must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, s *struct{ Data []byte }) error {
		if b.Fresh() && b.Pid() == 1 {
			s.Data = make([]byte, size)
		}
		for range b.Stages(2) {
		}
		if b.Pid() != 1 {
			return nil
		}
		if now := inUse(); now > before+size*3/2 {
			return fmt.Errorf("%d bytes are in use for a state of %d, %d before", now, size, before)
		}
		return nil
	}))
}

func TestThousandsOfSmallProcessesMove(t *testing.T) {
	type state struct {
		Visits int
		In     bsplib.Area[int]
	}
	for _, cfg := range bsptest.Configs(3000)[:1] {
		cfg.Shake = true
		if cfg.Comm == nil {
			cfg.Ranks = 4
		}
		must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, s *state) error {
			if b.Fresh() {
				s.In = bsplib.Alloc[int](b, 1)
				b.Sync()
			}
			for k := range b.Stages(4) {
				if err := equal(b, "what was put", s.In.Slice()[0], s.Visits*left(b)); err != nil {
					return err
				}
				s.Visits++
				s.In.Put(right(b), 0, (k+1)*b.Pid())
			}
			return nil
		}))
	}
}
