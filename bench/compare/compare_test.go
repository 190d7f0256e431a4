package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func measured(name string, rows ...results.Row) *contender {
	c := &contender{name: name, library: "library of " + name}
	c.merged.Add(rows...)
	return c
}

func row(measure string, us float64) results.Row {
	return results.Row{Measure: measure, P: 2, MinUS: us, MedianUS: 2 * us}
}

// someResults have a faster, a slower and an even measure, a measure that the others have under a
// plain name, a measure with another name by hand, a measure that no other has, and a measure that
// is lost in the noise.
func someResults() *comparison {
	return &comparison{
		procs: 2, rounds: 3, transport: &transports[0], idle: idleness{launches: 6, busy: 2, worst: 40},
		ours: []*contender{measured("ours", row("empty", 0.5), row("put8_1", 2.4), row("get8_1", 1.1),
			row("put_1MiB", 50), row("put_1MiB_heap", 150), row("send8_1", 1), row("r", 1), row("l", 1))},
		others: []*contender{
			measured("X", row("empty", 1), row("put8_1", 2), row("get8_1", 1), row("put_1MiB", 100), row("l", -3), row("extra", 1)),
			measured("by hand", row("empty", 2), row("words_1", 4), row("oneway_1MiB", 120)),
		},
	}
}

// The best has the best median, regardless of its best launch.
func TestRatioIsOfMedians(t *testing.T) {
	c := &comparison{procs: 2, transport: &transports[0],
		ours: []*contender{measured("ours", results.Row{Measure: "empty", P: 2, MinUS: 1, MedianUS: 6})},
		others: []*contender{
			measured("A", results.Row{Measure: "empty", P: 2, MinUS: 1, MedianUS: 9}),
			measured("B", results.Row{Measure: "empty", P: 2, MinUS: 2, MedianUS: 3}),
		}}
	if best, _ := c.best("empty"); best.name != "B" {
		t.Errorf("the best is %s", best.name)
	}
	if ratio, _ := c.ratio("empty", c.ours[0]); ratio != 2 {
		t.Errorf("ratio %v", ratio)
	}
}

func TestCandidates(t *testing.T) {
	for measure, want := range map[string]string{
		"empty": "empty", "put8_1000": "put8_1000 words_1000", "put8_100000_random": "put8_100000_random words_100000",
		"send8_1_unread": "send8_1_unread words_1", "hpput_64MiB_heap": "hpput_64MiB_heap hpput_64MiB oneway_64MiB",
		"get2_1MiB": "get2_1MiB bothways_1MiB", "halo_8KiB_send": "halo_8KiB_send halo_8KiB",
		"alltoall_1KiB": "alltoall_1KiB alltoall_1KiB_put", "alltoall_1KiB_put": "alltoall_1KiB_put alltoall_1KiB",
		"hpput_1MiB_heap_at1": "hpput_1MiB_heap_at1 hpput_1MiB_at1 hpput_1MiB_heap hpput_1MiB oneway_1MiB",
		"halo_8KiB_put_at1":   "halo_8KiB_put_at1 halo_8KiB_put halo_8KiB", "move_64MiB_alloc": "move_64MiB_alloc move_64MiB send_64MiB", "broadcast_1MiB": "broadcast_1MiB", "allreduce_8B": "allreduce_8B",
	} {
		if got := strings.Join(candidates(measure), " "); got != want {
			t.Errorf("%s: %s, want %s", measure, got, want)
		}
	}
}

func written(t *testing.T, table frame.Table) string {
	t.Helper()
	var w strings.Builder
	must.Do(t, table.Write(&w, false))
	return w.String()
}

func TestTable(t *testing.T) {
	c := someResults()
	c.missing = []string{"Bulk: no checkout"}
	c.others = append(c.others, &contender{name: "spinning", left: "too many threads"})
	text := written(t, c.table())
	squeezed := strings.Join(strings.Fields(text), " ")
	must.Have(t, squeezed,
		"2 processes on "+count(runtime.NumCPU(), "core")+", on one node, each by the fastest way that it has there.",
		"best/median, of 3 launches in turns", "MISSING: Bulk: no checkout", "LEFT OUT: spinning: too many threads",
		"2 of 6 launches began while others used up to 40%", "measure ours X by hand best of them ratio",
		"empty 0.50/1.00 1.00/2.00 2.00/4.00 X 0.50", "put8_1 2.40/4.80 2.00/4.00 4.00/8.00 X 1.20 !",
		"get8_1 1.10/2.20 1.00/2.00 4.00/8.00 X 1.10", "put_1MiB 50.0/100 100/200 120/240 X 0.50",
		"put_1MiB_heap 150/300 100/200 120/240 X 1.50 !", "send8_1 1.00/2.00 - 4.00/8.00 by hand 0.25",
		"r 1.00/2.00 - - - -", "l 1.00/2.00 -3.00/-6.00 - - -",
		"ours against the best of the others: of 6 measures 3 faster, 1 within 15%, 2 slower.",
	)
}

// Measures with a target at element 1 are a column, compared with others at element 1, or at
// element 0 where they have no such measure.
func TestTableHasShiftedColumn(t *testing.T) {
	c := someResults()
	c.ours[0].merged.Add(row("put_1MiB_at1", 300), row("get8_1_at1", 1))
	c.others[0].merged.Add(row("put_1MiB_at1", 75))
	must.Have(t, strings.Join(strings.Fields(written(t, c.table())), " "),
		"at +8 = the same ratio with a target 8 bytes further on", "best of them ratio at +8",
		"put_1MiB 50.0/100 100/200 120/240 X 0.50 4.00 !", "get8_1 1.10/2.20 1.00/2.00 4.00/8.00 X 1.10 1.00",
		"empty 0.50/1.00 1.00/2.00 2.00/4.00 X 0.50 -", "of 6 measures 3 faster")
}

func TestTableOfSeveral(t *testing.T) {
	c := someResults()
	tcp, _ := transportOf("tcp")
	c.transport = tcp
	c.ours = append(c.ours, measured("more", row("empty", 4)))
	c.ours[1].launcher, c.ours[1].nodeSize = "mpirun", 2
	c.others = c.others[:1]
	c.others[0].file = "x.jsonl"
	text := written(t, c.table())
	squeezed := strings.Join(strings.Fields(text), " ")
	must.Have(t, squeezed,
		"all by TCP on the loopback", "a ours: ours, library of ours, 2 ranks of one program. b more: ours, library of more, 2 ranks, 1 node of 2 ranks",
		"X: from x.jsonl, measured at another time", "measure a ours b more X best of them a ratio b ratio",
		"empty 0.50/1.00 4.00/8.00 1.00/2.00 X 0.50 4.00 ! put8_1 2.40/4.80 - 2.00/4.00 X 1.20 ! - get8_1",
	)
}

// The record of launches can be compared with others another time.
func TestRecordCanBeReadAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "program")
	c := &contender{name: "ours", launcher: "sh", calls: []call{{path: path}}}
	script := `echo '{"program":"x","library":"L","p":2}'
echo '{"measure":"empty","p":2,"min_us":3,"median_us":4,"bytes":0,"ops":0}'`
	must.Do(t, os.WriteFile(path, []byte(script), 0o644))
	s := &turns{settings: &settings{limit: time.Minute, transport: &transports[0]}, procs: 2, ours: []*contender{c}}
	p := frame.Program{Name: "compare", Rounds: 2, Flags: func(*flag.FlagSet) func() (frame.Work, error) {
		return func() (frame.Work, error) {
			return func(ctx context.Context, session *frame.Session) error {
				err := s.launchAll(ctx, session, nil)
				session.Record("ours", "empty", "us", c.merged.Minima("empty", 2)...)
				return err
			}, nil
		}
	}}
	record := filepath.Join(dir, "record")
	var said strings.Builder
	if code := p.Run([]string{"-quiet", "-o", record}, &said, &said); code != 0 {
		t.Fatal(said.String())
	}
	again := must.Get(readAll([]string{"before=" + record}, 2))(t)
	if r, ok := again[0].find("empty", 2); !ok || r.MinUS != 3 || len(again[0].merged.Minima("empty", 2)) != 2 {
		t.Errorf("row %+v", r)
	}
}

func TestListNamesWhatOursMeasured(t *testing.T) {
	got := (&turns{ours: someResults().ours}).list()
	if want := "empty,put8_1,words_1,get8_1,put_1MiB,oneway_1MiB,put_1MiB_heap,send8_1,r,l"; got != want {
		t.Errorf("list is %s, want %s", got, want)
	}
}

func TestResultsFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	one := write("one", `{"program":"x","library":"A","p":2}
{"measure":"empty","p":2,"min_us":3,"median_us":4,"bytes":0,"ops":0}
{"measure":"empty","p":2,"min_us":2,"median_us":6,"bytes":0,"ops":0}
{"measure":"empty","p":4,"min_us":1,"median_us":1,"bytes":0,"ops":0}
`)
	two := write("two", `{"library":"A","measure":"empty","p":2,"min_us":3,"median_us":4,"bytes":0,"ops":0}
{"library":"B","measure":"empty","p":2,"min_us":1,"median_us":1,"bytes":0,"ops":0}
`)
	for _, c := range []struct {
		name, file string
		procs      int
		min        float64
		problem    string
	}{
		{"any", one, 2, 2, ""},
		{"A", two, 2, 3, ""},
		{"B", two, 2, 1, ""},
		{"C", two, 2, 0, "several libraries"},
		{"any", one, 8, 0, "no results for 8 processes"},
		{"any", filepath.Join(dir, "none"), 2, 0, "no such file"},
	} {
		got, err := readAll([]string{c.name + "=" + c.file}, c.procs)
		if c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s=%s: error %v, want one with %q", c.name, c.file, err, c.problem)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := got[0].find("empty", 2); !ok || r.MinUS != c.min {
			t.Errorf("%s=%s: %+v, want a minimum of %v", c.name, c.file, r, c.min)
		}
	}
}

// fake returns turns in which a contender is a shell script.
func fake(t *testing.T, transport, script string) (*turns, *contender) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	must.Do(t, os.WriteFile(path, []byte(script), 0o644))
	by := must.Get(transportOf(transport))(t)
	return &turns{settings: &settings{limit: time.Minute, transport: by}, procs: 3, ours: []*contender{measured("ours", row("put8_1", 1))}},
		&contender{name: "X", launcher: "GREETING='a b' sh", calls: []call{{path: path}}}
}

func TestLaunchReadsBehindALauncher(t *testing.T) {
	turns, c := fake(t, "tcp", `echo "$GREETING"; echo "{\"program\":\"x\",\"library\":\"$*, $OMPI_MCA_btl $MIGBSP_SHM\",\"p\":3}"
echo '{"measure":"empty","p":3,"min_us":3,"median_us":4,"bytes":0,"ops":0}'`)
	c.calls[0].args, c.calls[0].list = []string{"c d", "-p", "NP"}, true
	must.Get(turns.launch(t.Context(), c))(t)
	if r, ok := c.find("empty", 3); !ok || r.MinUS != 3 || c.library != "c d -p 3 -only put8_1,words_1, tcp,self off" {
		t.Errorf("row %+v of library %q", r, c.library)
	}
}

// A launcher gets one rank for each process, or the contender's number of ranks.
func TestLaunchersAreToldTheNumber(t *testing.T) {
	for ranks, want := range map[int]string{0: "-n 3", 2: "-n 2"} {
		turns, c := fake(t, "node", `echo "{\"program\":\"x\",\"library\":\"$COMMAND\",\"p\":3}"`)
		c.launcher, c.ranks = "COMMAND='-n NP' sh", ranks
		if _, err := turns.launch(t.Context(), c); err != nil || c.library != want {
			t.Errorf("%d ranks: %q, %v, want %q", ranks, c.library, err, want)
		}
	}
}

// A contender that claims to have moved gigabytes by TCP, and has not, is rejected.
func TestDataThatGoAnotherWay(t *testing.T) {
	if loopback() == 0 {
		t.Skip("SKIPPED: needs a loopback that counts, in /proc/net/dev")
	}
	turns, c := fake(t, "tcp", `echo '{"program":"x","library":"L","p":3}'
echo '{"measure":"put_64MiB","p":3,"min_us":3,"median_us":4,"bytes":1000000000000,"ops":1}'`)
	if _, err := turns.launch(t.Context(), c); err == nil || !strings.Contains(err.Error(), "exchange data in another way") {
		t.Errorf("error is %v", err)
	}
	c.nodeSize = 2
	if _, err := turns.launch(t.Context(), c); err != nil {
		t.Errorf("on nodes of two: %v", err)
	}
}

func TestLoopback(t *testing.T) {
	const table = "Inter-|   Receive\n face |bytes packets\n eth0: 9 1 0\n    lo: 1234 5 0 0 0 0 0 0 1234 5\n"
	if got := loopbackIn([]byte(table)); got != 1234 {
		t.Errorf("%d bytes, want 1234", got)
	}
	if got := loopbackIn([]byte("nothing\n")); got != 0 {
		t.Errorf("%d bytes of nothing", got)
	}
}

func TestLaunchFailures(t *testing.T) {
	for _, c := range []struct{ launcher, problem string }{
		{"sh -c 'echo broken >&2; exit 3'", "broken"},
		{"sh -c 'echo hello'", "no results"},
		{"sh -c 'sleep 60 & wait'", "longer than"},
	} {
		begin := time.Now()
		turns, contender := fake(t, "node", "")
		turns.settings.limit, contender.launcher = time.Second, c.launcher
		_, err := turns.launch(t.Context(), contender)
		if err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: error %v, want one with %q", c.launcher, err, c.problem)
		}
		if took := time.Since(begin); took > 30*time.Second {
			t.Errorf("%s: took %v", c.launcher, took)
		}
	}
}

// One of theirs that takes too long is not tried again, and the others are compared.
func TestWhoTakesTooLongIsLeftOut(t *testing.T) {
	turns, c := fake(t, "node", "sleep 60 & wait")
	turns.ours, turns.settings.limit, c.launcher = nil, 100*time.Millisecond, "sh"
	p := frame.Program{Name: "compare", Rounds: 2, Flags: func(*flag.FlagSet) func() (frame.Work, error) {
		return func() (frame.Work, error) {
			return func(ctx context.Context, session *frame.Session) error {
				return turns.launchAll(ctx, session, []*contender{c})
			}, nil
		}
	}}
	var said strings.Builder
	if code := p.Run(nil, &said, &said); code != 0 || strings.Count(said.String(), "X is left out") != 1 {
		t.Errorf("code %d:\n%s", code, &said)
	}
	some := comparison{procs: 3, transport: turns.settings.transport, others: []*contender{c}}
	if title := some.title(); !strings.Contains(title, "LEFT OUT: X: a launch took longer than 100ms (-limit)") {
		t.Error(title)
	}
}

func TestTransports(t *testing.T) {
	for _, c := range []struct {
		name     string
		nodeSize int
		has      []string
		not      string
		nodes    string // of 16 ranks
	}{
		{"node", 0, []string{"MIGBSP_SHM=on", "MIGBSP_NODE_SIZE="}, "OMPI_MCA_btl", "1 node of 16 ranks"},
		{"node", 3, []string{"MIGBSP_SHM=on", "MIGBSP_NODE_SIZE=3"}, "OMPI_MCA_btl", "6 nodes of 3 ranks"},
		{"shm", 0, []string{"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=^tcp", "UCX_TLS=sm,self", "MIGBSP_SHM=on"}, "lo", "1 node of 16 ranks"},
		{"tcp", 0, []string{
			"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=tcp,self", "OMPI_MCA_btl_tcp_if_include=lo", "OMPI_MCA_osc=^ucx,sm",
			"UCX_TLS=tcp,self", "MPIR_CVAR_NOLOCAL=1", "MIGBSP_SHM=off",
		}, "MIGBSP_SHM=on", "16 nodes of 1 rank"},
		{"tcp", 4, []string{"OMPI_MCA_btl=tcp,self", "MIGBSP_SHM=on", "MIGBSP_NODE_SIZE=4"}, "MIGBSP_SHM=off", "4 nodes of 4 ranks"},
	} {
		by := must.Get(transportOf(c.name))(t)
		env := by.environment(c.nodeSize)
		for _, want := range append(c.has, "OMPI_MCA_rmaps_base_oversubscribe=1") {
			if !slices.Contains(env, want) {
				t.Errorf("%s, nodes of %d: no %s in %q", c.name, c.nodeSize, want, env)
			}
		}
		if strings.Contains(strings.Join(env, " ")+" ", c.not+" ") || strings.Contains(strings.Join(env, " "), c.not+"=") {
			t.Errorf("%s, nodes of %d: %s in %q", c.name, c.nodeSize, c.not, env)
		}
		if got := by.nodes(16, c.nodeSize); got != c.nodes {
			t.Errorf("%s, nodes of %d: %s, want %s", c.name, c.nodeSize, got, c.nodes)
		}
	}
	if _, err := transportOf("ether"); err == nil || !strings.Contains(err.Error(), "one of node, shm, tcp") {
		t.Errorf("error is %v", err)
	}
}

// parsed returns the settings of a command line.
func parsed(args ...string) (*settings, error) {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(new(bytes.Buffer))
	s, done := settingsOf(flags)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	return s, done()
}

func TestBSPlibs(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []bsplib
	}{
		{nil, []bsplib{{"bspcc", "bsprun -n NP", "bspcc", "", false}}},
		{[]string{"-name", "A"}, []bsplib{{"bspcc", "bsprun -n NP", "A", "", false}}},
		{[]string{"-bspcc", ""}, nil},
		{
			[]string{"-bspcc", "/x/bspcc", "-name", "BSPonMPI", "-bspcc", "lpfcc -e p", "-bsprun", "lpfrun -n NP", "-bspflags", "-DX"},
			[]bsplib{{"/x/bspcc", "bsprun -n NP", "BSPonMPI", "", true}, {"lpfcc -e p", "lpfrun -n NP", "lpfcc", "-DX", true}},
		},
		{[]string{"-bsprun", "run -n NP", "-bspcc", "cc"}, []bsplib{{"cc", "run -n NP", "cc", "", true}}},
	} {
		s, err := parsed(c.args...)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		var got []bsplib
		for _, b := range s.bsplibs {
			got = append(got, *b)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.args, got, c.want)
		}
	}
}

func TestEngines(t *testing.T) {
	many, cores := 1<<12, runtime.NumCPU()
	for _, c := range []struct {
		args  string
		procs int
		want  []string // names and ranks
	}{
		{"", cores, []string{fmt.Sprint("in-process ", cores), "MPI 0"}},
		{"", many, []string{fmt.Sprint("in-process ", cores), fmt.Sprintf("MPI, %s %d", count(cores, "rank"), cores), "MPI 0"}},
		{"-go inprocess", many, []string{fmt.Sprint("in-process ", cores)}},
		{"-transport shm", many, []string{"MPI 0"}},
		{"-transport tcp", 2, []string{"MPI 0"}},
	} {
		s := must.Get(parsed(strings.Fields(c.args)...))(t)
		var got []string
		for _, e := range s.engines(c.procs) {
			got = append(got, fmt.Sprint(e.name, " ", e.ranks))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %d processes: %q, want %q", c.args, c.procs, got, c.want)
		}
	}
}

func TestChosen(t *testing.T) {
	all := []string{"empty", "put8_1", "put8_100000", "hpput_1MiB", "hpput2_64MiB_heap", "put_64MiB", "get_64MiB", "halo_8KiB_put", "r"}
	for _, c := range []struct {
		only  string
		procs int
		want  string
	}{
		{"", 2, "empty put8_1 hpput_1MiB hpput2_64MiB_heap get_64MiB halo_8KiB_put"},
		{"", 16, "empty put8_1 hpput_1MiB hpput2_64MiB_heap get_64MiB halo_8KiB_put"},
		{"", 64, "empty put8_1 hpput_1MiB halo_8KiB_put"},
		{"64MiB|^r$", 64, "hpput2_64MiB_heap put_64MiB get_64MiB r"},
		{".", 2, strings.Join(all, " ")},
	} {
		s := must.Get(parsed("-only", c.only))(t)
		if got := strings.Join(s.chosen(all, c.procs), " "); got != c.want {
			t.Errorf("-only %q, %d processes: %s, want %s", c.only, c.procs, got, c.want)
		}
	}
	s, err := parsed()
	if err != nil || len(s.chosen([]string{"move_64MiB"}, 1<<20)) != 1 {
		t.Errorf("a move has one state, whatever the number of processes (%v)", err)
	}
}

// Our own programs in C take part on the engines of the others.
func TestInOurC(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil || os.Getenv("CGO_ENABLED") == "0" {
		t.Skip("needs cgo and a C compiler")
	}
	s := must.Get(parsed("-c", "-go", "inprocess", "-bspcc", "", "-mpicc", "", "-quick"))(t)
	all, _, err := s.peers(t.Context(), frame.NewSession(t.TempDir(), io.Discard))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d contenders, %v", len(all), err)
	}
	ours := &contender{name: "ours", merged: results.Merged{}}
	ours.merged.Add(results.Row{Measure: "empty"}, results.Row{Measure: "put8_1000"})
	on := turns{settings: s, procs: 2, ours: []*contender{ours}}
	rows, err := on.launch(t.Context(), all[0])
	if err != nil || len(rows) != 2 || rows[1].Measure != "put8_1000" || rows[1].P != 2 || all[0].library != "C in-process" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// Missing peers that no flag has asked for are reported, without further effect.
func TestMissingPeers(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	s := must.Get(parsed("-bulk", ""))(t)
	all, missing, err := s.peers(t.Context(), frame.NewSession(dir, io.Discard))
	said := strings.Join(missing, "\n")
	if err != nil || len(all) > 0 || len(missing) != 3 {
		t.Fatalf("%d peers, missing %q, %v", len(all), missing, err)
	}
	must.Have(t, said, "bspcc: -bspcc: there is no bspcc", "MPI by hand: -mpicc: there is no mpicc", "Bulk: -bulk names no checkout")
	for _, args := range [][]string{{"-bspcc", "other"}, {"-mpicc", "other"}, {"-bulk", dir}} {
		s := must.Get(parsed(args...))(t)
		if _, _, err := s.peers(t.Context(), frame.NewSession(dir, io.Discard)); err == nil || !strings.Contains(err.Error(), args[0]) {
			t.Errorf("%q: error %v", args, err)
		}
	}
}

func TestIdleness(t *testing.T) {
	var i idleness
	for _, used := range []float64{0, idlePercent, 20, 90, 30} {
		i.add(used)
	}
	if want := (idleness{launches: 5, busy: 3, worst: 90}); i != want {
		t.Errorf("%+v, want %+v", i, want)
	}
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		said string
	}{
		{"-help", 0, "-bspcc"},
		{"-p 0", 2, "expected a number from 1 to"},
		{"-p 2,x", 2, "expected a number from 1 to"},
		{"-transport ether", 2, "one of node, shm, tcp"},
		{"-rounds 0", 2, "at least one"},
		{"-go fast", 2, "inprocess, mpi or both"},
		{"-transport tcp -go both", 2, "expected -go mpi"},
		{"-node-size -1", 2, "from 1 on"},
		{"-node-size 2 -go inprocess", 2, "there are no nodes"},
		{"-bspcc= -mpicc=", 2, "nothing to compare with"},
		{"-mpirun mpirun", 2, "write NP"},
		{"-bsprun bsprun", 2, "write NP"},
		{"-with file", 2, "NAME=file"},
		{"-only (", 2, "-only"},
		{"surplus", 2, "unexpected argument"},
		{"programs -only qr -hosts=", 2, "-only qr: expected lu, sw, lbm"},
		{"programs -pictures none", 2, "-pictures none: there is no such directory"},
		{"programs -hosts none.hosts", 2, "there is no such file here"},
		{"gallery -out none", 2, "-out none: there is no such directory"},
		{"gallery -out . -only qr", 2, "-only qr: expected lu, heat, lbm, fractal, fft"},
		{"-bspcc no-such-compiler", 1, "install a BSPlib"},
		{"-bspcc sh -bsprun no-such-launcher:NP", 1, "-bsprun"},
		{"-bulk /nowhere -bspcc= -mpicc=", 1, "no checkout of Bulk"},
	} {
		var said bytes.Buffer
		if code := measurement.Run(strings.Fields(c.args), &said, &said); code != c.code || !strings.Contains(said.String(), c.said) {
			t.Errorf("compare %s: code %d, said %s", c.args, code, &said)
		}
	}
}

func TestProgramOfACommandLine(t *testing.T) {
	for line, want := range map[string]string{
		"bspcc": "bspcc", "A=b C=d lpfcc -engine pthread": "lpfcc", "'/a/b' -c": "/a/b", "": "",
	} {
		if got := program(line); got != want {
			t.Errorf("program(%q) = %q, want %q", line, got, want)
		}
	}
}
