package mpi

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// Ranks whose goroutines are locked to their threads meet without putting these to sleep, where each has
// a core.
func TestLockedRanksStayAwake(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("one core: ranks sleep while others run")
	}
	const meetings = 20_000
	var before, after syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	var group sync.WaitGroup
	for _, c := range InProcess(2) {
		group.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			KeepThread(c)
			work := uint64(c.Rank())
			for i := range meetings {
				for range i % 2 * (2 - c.Rank()) * 2000 { // the other rank waits beyond its loads
					work = work*6364136223846793005 + 1
				}
				if _, err := c.Exchange(c.Lane(0), Flags(work&1)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	if n := after.Nvcsw - before.Nvcsw; n > meetings/2 { // with Gosched two and a half sleeps in each
		t.Errorf("threads slept %d times in %d meetings, want at most one in two", n, meetings)
	} else {
		t.Logf("threads slept %d times in %d meetings", n, meetings)
	}
}
