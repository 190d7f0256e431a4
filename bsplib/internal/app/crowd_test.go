package app

import (
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
	"github.com/migbsp/migbsp/probe"
)

// All ranks get the same result: the host that has too few cores for its ranks, or none if all have
// enough.
func TestFindCrowd(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	for _, ranks := range []int{cores, 4 * cores} {
		found := make([]*crowd, ranks)
		mpitest.OnRanks(ranks)(t, func(comm mpi.Comm) (err error) {
			found[comm.Rank()], err = findCrowd(comm)
			return err
		})
		for rank, c := range found {
			switch {
			case c == nil && ranks > cores:
				t.Fatalf("rank %d of %d has not seen that there are %d cores", rank, ranks, cores)
			case c == nil:
			case *c != *found[0] || c.ranks != ranks || c.all != 1 || c.cores > float64(cores) || c.host == "":
				t.Fatalf("rank %d of %d on %d cores has found %+v, rank 0 %+v", rank, ranks, cores, *c, *found[0])
			}
		}
	}
}

func TestCrowdText(t *testing.T) {
	for _, c := range []struct {
		crowd crowd
		text  string
		room  int
	}{
		{crowd{ranks: 64, cores: 2}, "64 ranks share 2 cores", 2},
		{crowd{host: "a", ranks: 64, cores: 2, hosts: 1, all: 3}, "64 ranks share 2 cores of host a", 2},
		{crowd{host: "a", ranks: 16, cores: 0.25, hosts: 4, all: 5}, "16 ranks share 0.25 cores of host a (and 4 of 5 hosts have more ranks than cores)", 1},
		{crowd{ranks: 3, cores: 1.5}, "3 ranks share 1.5 cores", 2},
		{crowd{ranks: 2, cores: 1}, "2 ranks share 1 core", 1},
	} {
		if got := c.crowd.text(); got != c.text || c.crowd.fitting() != c.room {
			t.Errorf("%q, room for %d; want %q and %d", got, c.crowd.fitting(), c.text, c.room)
		}
	}
}

// The launcher's own command line is reused only if its number of ranks alone determines the run's.
func TestLaunchLine(t *testing.T) {
	program := []string{"./lu", "-n", "5000"}
	for _, c := range []struct{ launcher, want string }{
		{"mpirun -np 64", "mpirun -np 2"},
		{"mpirun.openmpi --oversubscribe -n 64 --mca btl tcp,self", "mpirun.openmpi --oversubscribe -n 2 --mca btl tcp,self"},
		{"mpiexec -n=64", "mpiexec -n=2"},
		{"mpirun --oversubscribe", "mpirun -np 2 --oversubscribe"},
		{"mpirun --map-by ppr:64:node", ""},
		{"mpiexec -ppn 64", ""},
		{"mpirun -n 1 ./other : -n 63", ""},
	} {
		words := strings.Fields(c.launcher)
		files := map[string]string{
			"/proc/7/cmdline": "helper\x00--port\x001\x00",
			"/proc/7/status":  "Name:\thelper\nPid:\t7\nPPid:\t5\n",
			"/proc/5/cmdline": strings.Join(append(slices.Clone(words), program...), "\x00") + "\x00",
		}
		read := func(name string) ([]byte, error) {
			if text, is := files[name]; is {
				return []byte(text), nil
			}
			return nil, errors.New("no such file")
		}
		found := launchedBy(7, read, program)
		if !slices.Equal(found, words) {
			t.Fatalf("found %q, want %q", found, words)
		}
		if got := strings.Join(withCount(found, "-np", 2), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.launcher, got, c.want)
		}
	}
	if found := launchedBy(os.Getpid(), os.ReadFile, []string{"no", "such", "program"}); found != nil {
		t.Errorf("found %q for a program that none has started", found)
	}
}

func TestWithout(t *testing.T) {
	args := strings.Fields("-n 3 -procs 8 --procs=9 -x -restart dir -procs")
	if got := strings.Join(without(args, "procs", "restart"), " "); got != "-n 3 -x" {
		t.Errorf("%q", got)
	}
}

// The advice on ranks that share cores is for readers of the messages of a run on this machine. It is
// not printed with -quiet, for ranks that wait for more than cores, or on an emulated platform.
func TestAdviceOnRanksThatShareCores(t *testing.T) {
	cores := int(math.Ceil(probe.SharedCores(mpi.InProcess(1)[0])))
	for _, c := range []struct {
		ranks   int
		quiet   bool
		waits   bool
		advised bool
	}{{cores, false, false, false}, {4 * cores, false, false, true}, {4 * cores, true, false, false}, {4 * cores, false, true, false}} {
		conf := newConfiguration(&Program{RanksWait: c.waits}, &messages{name: "program", lead: true})
		conf.flags.quiet = c.quiet
		conf.plan.Procs, conf.plan.Comms = 99, mpi.InProcess(c.ranks)
		text := Printed(t, &os.Stderr, func() {
			if err := adviseFewerRanks(conf, false); err != nil {
				t.Error(err)
			}
		})
		if advised := strings.Contains(text, "-procs 99 does the same with fewer ranks\n"); advised != c.advised || strings.Count(text, "\n") > 1 {
			t.Errorf("%d ranks on %d cores, quiet %v: %q", c.ranks, cores, c.quiet, text)
		}
	}
}

// A failed check on one rank ends all ranks.
func TestAllRanksLearnWhatOneHasFound(t *testing.T) {
	for _, wrong := range [][]int{nil, {0}, {2}, {1, 2}, {0, 1, 2, 3}} {
		var got [4]error
		mpitest.OnRanks(len(got))(t, func(comm mpi.Comm) error {
			rank := comm.Rank()
			app := newApplication(&Program{Check: func(int) error {
				if slices.Contains(wrong, rank) {
					return errors.New("there is no such file here")
				}
				return nil
			}}, nil, "program")
			app.conf.plan.Comm, app.conf.say.lead = comm, rank == 0
			got[rank] = app.checkProgram()
			return nil
		})
		for rank, err := range got {
			if errors.Is(err, ErrReported) != (len(wrong) > 0) || len(wrong) == 0 && err != nil {
				t.Errorf("wrong on ranks %v: rank %d has %v", wrong, rank, err)
			}
		}
	}
}
