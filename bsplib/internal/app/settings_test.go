package app_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// onRanks calls f on each rank of an MPI run, or of three here.
func onRanks(t *testing.T, f func(comm mpi.Comm)) {
	if bsptest.UnderMPI() {
		f(bsptest.Configs(1)[0].Comm)
	} else {
		mpitest.OnRanks(3)(t, func(comm mpi.Comm) error { f(comm); return nil })
	}
}

// ownFlags returns the flags of a program of its own: n, and words that come one by
// one. Their defaults differ between ranks.
func ownFlags(rank int) (flags *flag.FlagSet, n *int, words *[]string) {
	flags, words = flag.NewFlagSet("program", flag.ContinueOnError), new([]string)
	n = flags.Int("n", 100+rank, "")
	flags.Func("word", "", func(text string) error {
		if text == "not here" && rank == 1 {
			return fmt.Errorf("rank 1 has no such word")
		}
		*words = append(*words, text)
		return nil
	})
	return flags, n, words
}

// Rank 0's settings apply on all ranks, regardless of their own settings and without access to its
// files.
func TestSettingsOfRank0(t *testing.T) {
	t.Chdir(t.TempDir())
	if !bsptest.UnderMPI() || bsptest.Configs(1)[0].Comm.Rank() == 0 {
		must.Write(t, "hosts", "a slots=2\nb slots=1\n", 0o666)
		must.Write(t, "config", "balance = 'percent,guard=0'\nhosts = 'hosts'\n[program]\nword = \"\\u00e9\\n\"\n", 0o666)
	}
	onRanks(t, func(comm mpi.Comm) {
		args := []string{"-procs", "99", "-word", "mine"}
		environ := []string{"MIGBSP_PROCS=98", "MIGBSP_BALANCE=off"}
		switch comm.Rank() {
		case 0:
			args = []string{"-config", "config", "-quiet"}
			environ = []string{"MIGBSP_PROCS=7", "MIGBSP_RUN_DIR=\xff"}
		case 1:
			args = append(args, "-bogus", "arguments")
			environ = append(environ, "MIGBSP_TABLE=chairs", "MIGBSP_CONFIG=/nowhere", "MIGBSP_HOSTS=/nowhere")
		}
		flags, n, words := ownFlags(comm.Rank())
		got := app.Configure(comm, flags, args, environ)
		say := func(what string, got, want any) {
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("rank %d: %s is %q, want %q", comm.Rank(), what, fmt.Sprint(got), fmt.Sprint(want))
			}
		}
		say("going on", got.Ready, true)
		say("number of processes", got.Procs, 7)
		say("own default", *n, 100)
		say("own value", *words, []string{"é\n"})
		if got.Plan.Platform == nil {
			t.Errorf("rank %d has no hosts", comm.Rank())
		} else {
			say("slots of the hosts", got.Plan.Platform.Ranks(), 3)
		}
		say("the settings", origins(got.Settings), "balance=percent,guard=0@config:1 config=config@flag hosts=hosts@config:2 "+
			"procs=7@MIGBSP_PROCS quiet=true@flag run-dir=\xff@MIGBSP_RUN_DIR word=é\n@config:4")
	})
}

// All errors in a file are reported, each with its position.
func TestAllThatIsWrongInAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Write(t, "migbsp.toml", "balance = 3\nporcs = 5\nquiet = \"maybe\"\nrnaks = 2\n", 0o666)
	got := printed(t, &os.Stderr, func() {
		flags, _, _ := ownFlags(0)
		if c := app.Configure(nil, flags, nil, nil); c.Ready || c.Code != 2 {
			t.Errorf("it goes on (%v) or ends with %d", c.Ready, c.Code)
		}
	})
	for _, want := range []string{"migbsp.toml:1:11: balance = 3: ", "migbsp.toml:2:1: ", "migbsp.toml:3:9: quiet = ", "migbsp.toml:4:1: "} {
		if !strings.Contains(got, "program: "+want) {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
}

// origins returns the settings that are no defaults, as name=value@origin.
func origins(values []settings.Value) string {
	var all []string
	for _, v := range values {
		if v.Origin != settings.Default {
			all = append(all, v.Name+"="+v.Value+"@"+v.Origin)
		}
	}
	return strings.Join(all, " ")
}

// A usage error ends the program on all ranks with the same code, and rank 0 alone prints the reason.
func TestEndsOnAllRanks(t *testing.T) {
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string // printed by one rank
	}{
		{[]string{"-help"}, 0, "Usage: program", ""},
		{[]string{"-version"}, 0, "program (migbsp)", ""},
		{[]string{"-balance", "help"}, 0, "percent", ""},
		{[]string{"-print-config", "-n", "8"}, 0, " n                 8        flag", ""},
		{[]string{"-print-config", "-leave-drained", "3s"}, 2, " leave-drained     3s       flag", "program: -leave-drained 3s: expected how often to ask"},
		{[]string{"-procs", "x"}, 2, "", "program: invalid value"},
		{[]string{"-ranks", "2"}, 2, "", "program: -ranks 2: under MPI the launcher decides"},
		{[]string{"-hosts", "/nowhere"}, 2, "", "program: -hosts /nowhere: no such file"},
		{[]string{"-balance", "luck"}, 2, "", "program: -balance luck: there is no strategy"},
		{[]string{"-word", "not here"}, 2, "", "program: rank 1: -word not here, which rank 0 takes: rank 1 has no such word"},
	} {
		var mu sync.Mutex
		size, said := 0, int64(0)
		out := printed(t, &os.Stdout, func() {
			errors := printed(t, &os.Stderr, func() {
				onRanks(t, func(comm mpi.Comm) {
					flags, _, _ := ownFlags(comm.Rank())
					args := []string(nil)
					if comm.Rank() == 0 {
						args = c.args
					}
					got := app.Configure(comm, flags, args, nil)
					mu.Lock()
					defer mu.Unlock()
					size = comm.Size()
					alone := size == 1 && c.args[0] == "-word" // without a rank 1 to refuse
					if got.Ready != alone || !alone && got.Code != c.code {
						t.Errorf("%v: rank %d goes on (%v) or ends with %d", c.args, comm.Rank(), got.Ready, got.Code)
					}
				})
			})
			said += expectOnce(t, c.args, errors, c.stderr)
		})
		said += expectOnce(t, c.args, out, c.stdout)
		want := int64(1)
		if c.stdout != "" && c.stderr != "" {
			want = 2
		}
		if said = onAllRanks(t, said); said != want && size > 1 {
			t.Errorf("%v: said %d times, want %d", c.args, said, want)
		}
	}
}

// expectOnce returns the number of occurrences of a text in the output, which must be at most one.
func expectOnce(t *testing.T, args []string, printed, text string) int64 {
	if text == "" {
		if printed != "" {
			t.Errorf("%v: printed %q, want nothing", args, printed)
		}
		return 0
	}
	n := int64(strings.Count(printed, text))
	if n > 1 || n == 0 && printed != "" {
		t.Errorf("%v: printed %q, want %q once", args, printed, text)
	}
	return n
}

// onAllRanks returns the sum of the ranks' counts of an MPI run.
func onAllRanks(t *testing.T, count int64) int64 {
	t.Helper()
	if !bsptest.UnderMPI() {
		return count
	}
	sum := []int64{count}
	must.Do(t, mpi.Combine(bsptest.Configs(1)[0].Comm, mpi.Sum, sum))
	return sum[0]
}

var printed = app.Printed
