package mpi

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// sleeps returns the number of times that threads of the program slept while two ranks, whose
// goroutines are locked to their threads, met some thousand times. prepare is called with the Comm
// of each.
func sleeps(t *testing.T, prepare func(Comm)) int64 {
	const meetings = 3000
	var before, after syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	var group sync.WaitGroup
	for _, c := range InProcess(2) {
		group.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			prepare(c)
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
	return after.Nvcsw - before.Nvcsw
}

// Ranks whose goroutines are locked to their threads meet without putting these to sleep, where each has
// a core. On a busy machine they sleep at times, but less than without KeepThread.
func TestLockedRanksStayAwake(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("one core: ranks sleep while others run")
	}
	kept, not := sleeps(t, KeepThread), sleeps(t, func(Comm) {})
	t.Logf("threads slept %d times, and %d times without KeepThread", kept, not)
	if kept > not*2/3 {
		t.Errorf("threads slept %d times with KeepThread and %d without, want at most two thirds", kept, not)
	}
}
