// Package apps tests the properties that all programs share: the same result on any ranks, and
// rejection of invalid input. Each program's computation is tested in its own directory.
package apps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// programs are command lines of all programs, short enough for every test.
var programs = []string{
	"prefixsum -procs 40",
	"bspbench -procs 5 -repeats 2",
	"lu -n 200 -procs 16 -block 8",
	"fft -n 2^10 -procs 16 -iterations 3",
	"fft -n 2^5 -procs 20 -iterations 3",
	"sort -n 20000 -procs 7 -lists 2 -dist zipf",
	"spmv -n 3000 -procs 6 -iterations 10",
	"spmv -n 500 -density 0.02 -procs 6 -grid 2x3 -iterations 10",
	"fractal -n 96 -procs 7",
	"fractal -size 70 -block 4 -domains 100 -chroma full -procs 16",
	"sw -n 500 -procs 7",
	"sw -n 300 -matrix dna -procs 6 -density 1e4:1e6 -message 2000 -kept 5000",
	"lbm -n 60x24 -steps 30 -procs 6 -obstacle hills",
	"lbm -d3 -n 16x12x8 -steps 20 -procs 5 -obstacle sphere",
	"heat -n 60 -steps 30 -procs 6 -walls left=1,top=0.5 -source 0.3,0.5:0.1=20",
	"heat -dim 3 -n 14 -procs 12 -tol 1e-3",
	"bot -tasks 200 -size 1e4 -spread heavy -procs 5",
}

// inProcess run on in-process ranks only.
var inProcess = []string{
	"lu -n 90 -procs 6 -block 1 -pivot none",
	"load -procs 9 -steps 30 -grain 1 -pattern wave",
}

// line returns the command of a line that begins with the name of a program in a
// directory.
func line(dir, line, more string) testrun.Command {
	name, arguments, _ := strings.Cut(line, " ")
	return testrun.Line(filepath.Join(dir, name), arguments+" "+more)
}

func TestInProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts many programs")
	}
	dir := testrun.Build(t, "", "./apps/...", "./bench/load")
	t.Run("same", func(t *testing.T) { sameInProcess(t, dir) })
	t.Run("refused", func(t *testing.T) { refused(t, dir) })
	t.Run("wrong uses", func(t *testing.T) { wrongUses(t, dir) })
	t.Run("long", func(t *testing.T) { long(t, dir) })
	t.Run("configured", func(t *testing.T) { configured(t, dir) })
	t.Run("says", func(t *testing.T) { says(t, dir) })
}

// The result is the same with every process moving after every stage, and on emulated
// platforms with rescheduling: by auto and by a strategy that asks for no proof in turn.
func sameInProcess(t *testing.T, dir string) {
	platforms, err := filepath.Glob("../examples/*.hosts")
	if err != nil || len(platforms) == 0 {
		t.Fatal("no platforms: ", err)
	}
	for i, program := range append(programs[:len(programs):len(programs)], inProcess...) {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			want := line(dir, program, "-quiet -balance off").Checksum(t)
			same := func(name, more string) {
				t.Run(name, func(t *testing.T) {
					c := line(dir, program, "-quiet "+more)
					if got := c.Checksum(t); got != want {
						t.Errorf("%s: %s, without moves %s", c, got, want)
					}
				})
			}
			same("shaken", "-shake -ranks 3")
			for k, hosts := range platforms {
				if (i+k)%2 == 0 {
					same(filepath.Base(hosts), "-hosts "+hosts)
				} else {
					same(filepath.Base(hosts)+", percent", "-hosts "+hosts+" -balance percent,guard=0")
				}
			}
		})
	}
}

// says checks the output of programs: the usual ending, a table, and with -why the decision of each
// call.
func says(t *testing.T, dir string) {
	for words, texts := range map[string][]string{
		"lu -n 300 -quiet":                          {"PASSED"},
		"prefixsum -procs 100 -quiet":               {"PASSED"},
		"lu -n 301 -procs 6 -block 16 -table steps": {" of where ", "PASSED"},
		"load -procs 16 -start blocks -hosts ../examples/two-sets.hosts -why": {
			"call 1 after superstep", "processes move", " s EMULATED on two-sets.hosts, ", "rescheduling  "},
	} {
		t.Run(words, func(t *testing.T) {
			r := line(dir, words, "").Run(t)
			if r.Code != 0 {
				t.Errorf("code %d", r.Code)
			}
			must.Have(t, r.Out+r.Err, texts...)
		})
	}
}

func TestUnderMPI(t *testing.T) {
	launcher := testrun.MPI(t)
	plain, dir := testrun.Build(t, "", "./apps/prefixsum"), testrun.Build(t, "mpi", "./apps/...")
	t.Run("same", func(t *testing.T) { sameUnderMPI(t, launcher, dir) })
	t.Run("settings", func(t *testing.T) { settingsOfRank0(t, launcher, dir) })
	// A program built with MPI runs on in-process ranks if no launcher has started it. A program
	// built without MPI refuses to run as copies of itself.
	t.Run("no launcher", func(t *testing.T) {
		if out := line(dir, "lu -n 100 -procs 5 -ranks 2 -quiet", "").Must(t); !strings.Contains(out, "PASSED") {
			t.Errorf("without a launcher it says\n%s", out)
		}
	})
	t.Run("no MPI", func(t *testing.T) {
		launcher.On(2, line(plain, "prefixsum", "")).Fails(t, "built without MPI")
	})
}

// Results on MPI ranks, with and without every process moving after every stage, with and without
// shared memory, equal the results on in-process ranks without a launcher. One program shows that a
// single rank started by a launcher is not an MPI run. MPICH carries the same exchanges, so fewer
// variants run on it.
func sameUnderMPI(t *testing.T, launcher testrun.Launcher, dir string) {
	type way struct {
		name  string
		ranks int
		env   []string
		more  string
	}
	alone := []string{"MIGBSP_SHM=off"}
	ways := []way{
		{"2 ranks", 2, nil, ""},
		{"4 ranks, shaken", 4, nil, "-shake"},
		{"4 ranks, shaken without shared memory", 4, alone, "-shake"},
	}
	inTurn := []way{ // each for some of the programs
		{"2 ranks, shaken", 2, nil, "-shake"},
		{"2 ranks, shaken without shared memory", 2, alone, "-shake"},
		{"4 ranks", 4, nil, ""},
	}
	if launcher.Hydra() {
		inTurn, ways = ways[:2], ways[2:]
	}
	single := []way{{"1 rank", 1, nil, ""}, {"1 rank, shaken", 1, nil, "-shake"}}
	for i, program := range programs {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			want := line(dir, program, "-quiet").Checksum(t)
			ways := append(ways[:len(ways):len(ways)], inTurn[i%len(inTurn)])
			if i == 0 {
				ways = append(ways, single...)
			}
			for _, way := range ways {
				t.Run(way.name, func(t *testing.T) {
					c := launcher.On(way.ranks, line(dir, program, "-quiet "+way.more))
					c.Env = way.env
					if got := c.Checksum(t); got != want {
						t.Errorf("%s: %s, in-process %s", c, got, want)
					}
				})
			}
		})
	}
}

// Rank 0's command line, environment and files apply to all ranks.
func settingsOfRank0(t *testing.T, launcher testrun.Launcher, dir string) {
	here := t.TempDir()
	elsewhere := filepath.Join(here, "elsewhere")
	must.Do(t, os.Mkdir(elsewhere, 0o777))
	must.Do(t, os.WriteFile(filepath.Join(here, "migbsp.toml"), []byte("[prefixsum]\nshow = true\nquiet = true\n"), 0o666))
	ranks := func(others string, env, othersEnv []string) testrun.Command {
		rank0, rest := line(dir, "prefixsum", ""), line(dir, "prefixsum", others)
		rank0.Env, rest.Env, rest.Dir = env, othersEnv, elsewhere
		c := launcher.Parts(testrun.Part{Ranks: 1, Command: rank0}, testrun.Part{Ranks: 2, Command: rest})
		c.Dir, c.Env = here, []string{"MIGBSP_CONFIG="} // reads the file there
		return c
	}
	t.Run("told", func(t *testing.T) {
		out := ranks("-bogus", []string{"MIGBSP_PROCS=4"}, []string{"MIGBSP_PROCS=9", "MIGBSP_TABLE=chairs"}).Must(t)
		var got []string
		for _, line := range strings.Split(out, "\n") {
			if strings.HasPrefix(line, "process") {
				got = append(got, line)
			}
		}
		if want := "process 0: sum 1|process 1: sum 3|process 2: sum 6|process 3: sum 10"; strings.Join(got, "|") != want {
			t.Errorf("ranks that are told something else than rank 0 print %q, want %q\n%s", got, want, out)
		}
	})
	t.Run("refused", func(t *testing.T) {
		said := ranks("", []string{"MIGBSP_PROCS=x"}, nil).Fails(t, "prefixsum: MIGBSP_PROCS=x: expected a whole number")
		if strings.Contains(said, "not in the same exchange") {
			t.Errorf("other ranks go on without rank 0:\n%s", said)
		}
	})
}
