package probe

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// softLimit returns the present soft limit of this process.
func TestSoftLimit(t *testing.T) {
	for _, resource := range []int{unix.RLIMIT_CORE, unix.RLIMIT_MEMLOCK} {
		var before unix.Rlimit
		must.Do(t, unix.Getrlimit(resource, &before))
		defer unix.Setrlimit(resource, &before)
		set := unix.Rlimit{Cur: min(before.Max, 1<<16), Max: before.Max}
		must.Do(t, unix.Setrlimit(resource, &set))
		if got := softLimit(resource); got != int64(set.Cur) {
			t.Errorf("resource %d: %d, want %d", resource, got, set.Cur)
		}
	}
	if unlimited := softLimit(-1); unlimited != Unlimited {
		t.Errorf("a resource that there is not: %d", unlimited)
	}
}
