// Package bsptest runs BSP programs in tests, always on all available engines:
// on several numbers of ranks within the test's process or, if the test was
// started by mpirun, on its ranks.
//
//	func TestMain(m *testing.M) { bsptest.Main(m) }
//
//	func TestSum(t *testing.T) { bsptest.Shaken(t, sum) } // sum returns an error if its result is wrong
//
// and then
//
//	go test ./sum
//	go test -tags mpi -c -o sum.test ./sum && mpirun --oversubscribe -np 4 ./sum.test
//
// Under MPI all ranks run the same tests in the same order.
package bsptest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/mpi"
)

// world is this process's communicator in an MPI run, and nil in other runs.
var world mpi.Comm

// UnderMPI reports whether the tests run on the ranks of a launcher.
func UnderMPI() bool { return world != nil }

// InProcess skips a test under MPI that needs ranks within this process,
// because it ends some of them or measures.
func InProcess(t testing.TB) {
	t.Helper()
	if UnderMPI() {
		t.Skip("runs on in-process ranks only")
	}
}

// Configs returns configurations of procs processes for this environment: with
// fewer ranks than processes, as many, and more.
func Configs(procs int) []bsplib.Config {
	if UnderMPI() {
		return []bsplib.Config{{Procs: procs, Comm: world}}
	}
	counts := []int{1, 2, 3, procs, procs + 2}
	slices.Sort(counts)
	var all []bsplib.Config
	for _, ranks := range slices.Compact(counts) {
		all = append(all, bsplib.Config{Procs: procs, Ranks: ranks})
	}
	return all
}

// Describe names a configuration.
func Describe(cfg bsplib.Config) string {
	if cfg.Comm != nil {
		return fmt.Sprintf("%d processes on %d MPI ranks", cfg.Procs, cfg.Comm.Size())
	}
	return fmt.Sprintf("%d processes on %d ranks", cfg.Procs, cfg.Ranks)
}

// Everywhere runs a program on several numbers of processes in all Configs of
// each. The test fails if a run does.
func Everywhere[S any](t *testing.T, program func(*bsplib.Proc, *S) error) {
	t.Helper()
	for _, procs := range []int{1, 2, 3, 4, 7} {
		Run(t, procs, program)
	}
}

// Run runs a program on procs processes in all Configs of them. The test fails
// if a run does.
func Run[S any](t testing.TB, procs int, program func(*bsplib.Proc, *S) error) {
	t.Helper()
	for _, cfg := range Configs(procs) {
		if err := Try(t, cfg, program); err != nil {
			t.Fatalf("%s: %v", Describe(cfg), err)
		}
	}
}

// Shaken runs a program on several numbers of processes in all Configs of
// each, first without moves and then with all processes moving after every
// stage. The test fails if a run does.
func Shaken[S any](t *testing.T, program func(*bsplib.Proc, *S) error) {
	t.Helper()
	Everywhere(t, program)
	for _, procs := range []int{1, 2, 3, 4, 7} {
		for _, cfg := range Configs(procs) {
			cfg.Shake = true
			if err := Try(t, cfg, program); err != nil {
				t.Fatalf("shaken, %s: %v", Describe(cfg), err)
			}
		}
	}
}

// patience is the time after which a run counts as hanging.
const patience = 3 * time.Minute

// Try runs a program in one configuration and returns the error that ended it.
// A run that hangs ends the test program with all stacks. A failure known only
// to some ranks of an MPI run ends all of them.
func Try[S any](t testing.TB, cfg bsplib.Config, program func(*bsplib.Proc, *S) error) error {
	t.Helper()
	alarm := time.AfterFunc(patience, func() {
		panic(fmt.Sprintf("%s: hangs on %s", t.Name(), Describe(cfg)))
	})
	defer alarm.Stop()
	err := bsplib.Run(cfg, program)
	if err != nil && cfg.Comm != nil && !known(err) {
		giveUp(t, err)
	}
	return err
}

// known reports whether all ranks have reached this error together, and could
// run the next program.
func known(err error) bool {
	e, ok := errors.AsType[*bsplib.Error](err)
	if !ok {
		return false
	}
	switch e.Kind {
	case bsplib.KindFailed:
		return e.Stack == ""
	case bsplib.KindEndMismatch, bsplib.KindRegisterMismatch:
		return true
	}
	return false
}

func giveUp(t testing.TB, err error) {
	if e, ok := errors.AsType[*bsplib.Error](err); !ok || !errors.Is(err, mpi.ErrAborted) {
		fmt.Fprintf(os.Stderr, "--- FAIL: %s: %v\n", t.Name(), err)
		if ok {
			fmt.Fprint(os.Stderr, e.Stack)
		}
	}
	world.Abort(1)
}
