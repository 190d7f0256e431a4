package calls

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew")

// memory is a file in memory.
type memory struct{ bytes.Buffer }

func (*memory) Close() error { return nil }

// course returns the file of a run of eight processes on four ranks, two of them slow, with the given
// number of calls.
func course(t testing.TB, strategy string, calls int) string {
	t.Helper()
	spec := must.Get(rebalancer.Parse(strategy))(t)
	platform := rebalancer.Uniform(4, rebalancer.Link{Latency: 1e-5, PerByte: 1e-9})
	platform.Ranks[2].Speed, platform.Ranks[3].Speed = 0.25, 0.25
	where := []int32{0, 0, 1, 1, 2, 2, 3, 3}
	var file memory
	w := NewWriter(func() (io.WriteCloser, error) { return &file, nil }, func(err error) { t.Error(err) })
	w.Start(Start{Strategy: spec.String(), Where: where, Platform: platform})
	c := rebalancer.New(platform, where, spec)
	step := 0
	for range calls {
		for range 8 {
			o := rebalancer.Observation{Count: 1}
			for pid := range where {
				o.Processes = append(o.Processes, rebalancer.Measure{Pid: pid, Time: 0.01 * float64(1+pid%3) / platform.Ranks[c.Where()[pid]].Speed})
			}
			c.Observe(o)
			step++
		}
		var states []rebalancer.RankState
		for rank := range platform.Ranks {
			states = append(states, rebalancer.RankState{Rank: rank, Available: 1, Free: -1, Elapsed: 1.6, Steps: 8, Remaining: 500 - step})
		}
		s := must.Get(c.Merge(step, c.Report(states, func(int) rebalancer.Detail { return rebalancer.Detail{State: 1000, Request: -1} })))(t)
		d := c.Decide(s)
		w.Call(&Call{Snapshot: s, Moves: d.Moves})
		for _, m := range d.Moves { // one observer has them all
			c.Arrive(m.Pid, c.Depart(m.Pid))
		}
		c.Adopt(d)
	}
	must.Do(t, w.Close())
	return file.String()
}

// again decides all calls of a file again.
func again(t *testing.T, text string, strategy *rebalancer.Spec) (all []*Again) {
	t.Helper()
	replay := must.Get(Read("calls", strings.NewReader(text), strategy))(t)
	for {
		c, err := replay.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
}

// The same strategy repeats its decisions. Another strategy replays the run as recorded, even where
// it would have decided differently.
func TestReplay(t *testing.T) {
	for _, strategy := range []string{"auto", "automig", "percent", "mighull", "auto,guard=0"} {
		text := course(t, strategy, 6)
		moved := 0
		for _, c := range again(t, text, nil) {
			if !c.Same() {
				t.Errorf("%s: call %d moved %v, and again %v", strategy, c.Number, c.Was, c.Is)
			}
			if math.Abs(c.Measured-0.2) > 1e-9 {
				t.Errorf("%s: a superstep took %g s", strategy, c.Measured)
			}
			moved += len(c.Was)
		}
		if moved == 0 {
			t.Errorf("%s moves nothing, which shows nothing", strategy)
		}
		off := must.Get(rebalancer.Parse("auto,moves=0"))(t)
		all := again(t, text, &off)
		for _, c := range all {
			if len(c.Is) > 0 {
				t.Errorf("%s: with moves=0 call %d moves %v", strategy, c.Number, c.Is)
			}
		}
		if len(all) != 6 {
			t.Errorf("%s: %d calls", strategy, len(all))
		}
	}
}

// A truncated file, as of a run in progress, is read up to its end.
func TestCutOff(t *testing.T) {
	text := course(t, "auto", 3)
	lines := strings.SplitAfter(text, "\n")
	if all := again(t, strings.Join(lines[:3], "")+lines[3][:len(lines[3])/2], nil); len(all) != 2 {
		t.Errorf("%d calls, want 2", len(all))
	}
}

// Every other mistake is named with its line.
func TestRefused(t *testing.T) {
	text := course(t, "auto", 2)
	lines := strings.SplitAfter(text, "\n")
	for _, c := range []struct{ text, want string }{
		{"", "calls: the file is empty"},
		{"{}\n", "calls:1: the form of this file is 0"},
		{"{\"Format\":2}\n", "calls:1: a run of 0 processes on 0 ranks in 0 Sets"},
		{strings.Replace(lines[0], `"Strategy":"auto`, `"Strategy":"oracle`, 1), "calls:1: the run's strategy: "},
		{strings.Replace(lines[0], `[0,0,1,1`, `[0,0,1,9`, 1), "calls:1: process 3 is on rank 9, of 4"},
		{strings.Replace(lines[0], `"Set":0`, `"Set":5`, 1), "calls:1: rank 0 is in Set 5, of 1"},
		{lines[0] + strings.Replace(lines[1], `"Pid":3,"Rank":1`, `"Pid":3,"Rank":2`, 1), "calls:2: process 3 is reported on rank 2"},
		{lines[0] + strings.Replace(lines[1], `"Snapshot"`, `"Snapshat"`, 1), "calls:2:"},
		{lines[0] + "[]\n", "calls:2:"},
		{lines[0] + lines[1][:40] + "\n" + lines[2], "calls:2:"},
		// These ended the program with an index out of range.
		{strings.Replace(lines[0], `"Arrivals":null`, `"Arrivals":[]`, 1), "calls:1: arrivals of 0 Sets, of 1"},
		{strings.Replace(lines[0], `"Manager":0`, `"Manager":4`, 1), "calls:1: the manager of Set 0 is rank 4, of 4"},
		{lines[0] + strings.Replace(lines[1], `"SinceMove":8`, `"SinceMove":-1`, 1), "calls:2: process 0: work of 8 supersteps, -1 of them since its move; expected at most 8"},
		{lines[0] + regexp.MustCompile(`"Classes":\[[^]]*\]`).ReplaceAllString(lines[1], `"Classes":[]`), "calls:2: process 0: work of 8 supersteps, 8 of them since its move; expected at most 0"},
		{lines[0] + lines[1] + strings.Replace(lines[2], `"Home":0`, `"Home":9`, 1), "calls:3: 8 and 0 samples of work of rank 9, of 4 ranks and 8 samples"},
		{lines[0] + "{\"Snapshot\":{}}\n", "calls:2: reports of 0 ranks and 0 processes; the run has 4 and 8"},
	} {
		replay, err := Read("calls", strings.NewReader(c.text), nil)
		for err == nil {
			_, err = replay.Next()
		}
		if !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q\nwant %q", err, c.want)
		}
	}
}

// A line without an end is not kept in memory.
func TestEndlessLine(t *testing.T) {
	first, _, _ := strings.Cut(course(t, "auto", 1), "\n")
	replay := must.Get(Read("calls", io.MultiReader(strings.NewReader(first+"\n"), io.LimitReader(zeros{}, 1<<40)), nil))(t)
	if _, err := replay.Next(); !errors.Is(err, bufio.ErrTooLong) || !strings.HasPrefix(err.Error(), "calls:2: ") {
		t.Errorf("%v", err)
	}
}

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// FuzzRead reads files of any content.
func FuzzRead(f *testing.F) {
	text := course(f, "auto", 2)
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Fuzz(func(t *testing.T, text string) { replayed(t, text, nil) })
}

// FuzzReplay decides the calls of a run in whose file two numbers or lists are replaced.
func FuzzReplay(f *testing.F) {
	value := regexp.MustCompile(`[:,\[](-?[0-9.]+(e[+-]?[0-9]+)?|\[[^\[\]]*\]|null)`)
	courses := []string{course(f, "auto", 3), course(f, "mighull", 3), course(f, "percent", 3)}
	percent := must.Get(rebalancer.Parse("percent"))(f)
	f.Add(uint8(0), uint16(3), "-1", uint16(9), "0")
	f.Add(uint8(1), uint16(40), "[]", uint16(99), "1e300")
	f.Add(uint8(2), uint16(200), "null", uint16(300), "9223372036854775807")
	f.Fuzz(func(t *testing.T, which uint8, i uint16, a string, j uint16, b string) {
		text := courses[int(which)%len(courses)]
		places := value.FindAllStringSubmatchIndex(text, -1)
		x, y := places[int(i)%len(places)], places[int(j)%len(places)]
		if x[2] > y[2] {
			x, a, y, b = y, b, x, a
		}
		if x[3] <= y[2] { // else the first contains the second
			text = text[:y[2]] + b + text[y[3]:]
		}
		text = text[:x[2]] + a + text[x[3]:]
		replayed(t, text, nil)
		replayed(t, text, &percent)
	})
}

// replayed replays all calls of a text. Errors must contain their position.
func replayed(t *testing.T, text string, strategy *rebalancer.Spec) {
	replay, err := Read("calls", strings.NewReader(text), strategy)
	for err == nil {
		_, err = replay.Next()
	}
	if err != io.EOF && !strings.HasPrefix(err.Error(), "calls:") {
		t.Errorf("an error without its place: %v", err)
	}
}

// A writer that fails reports it once, and the run goes on.
func TestWriterFails(t *testing.T) {
	full := errors.New("no space left")
	for name, start := range map[string]Start{
		"open": {Where: make([]int32, 2)},
		"size": {Where: make([]int32, MostProcesses+1)},
		"NaN":  {Where: make([]int32, 2), Platform: rebalancer.Platform{Barrier: math.NaN()}},
	} {
		var told []error
		w := NewWriter(func() (io.WriteCloser, error) {
			if name == "open" {
				return nil, full
			}
			return new(memory), nil
		}, func(err error) { told = append(told, err) })
		if !w.Keeps() {
			t.Errorf("%s: nothing is kept from the start", name)
		}
		w.Start(start)
		w.Call(new(Call))
		if len(told) != 1 || w.Keeps() || w.Close() != nil {
			t.Errorf("%s: told %v", name, told)
		}
	}
	var none *Writer
	none.Start(Start{})
	none.Call(new(Call))
	if none.Keeps() || none.Close() != nil {
		t.Error("a writer that is not there keeps something")
	}
}

// Runs of programs on examples/three-clusters.testbed, recorded with 32 processes next to other work,
// repeat the decisions stored in testdata, with the same errors of the model. After an intended
// change of decisions, -update rewrites them. In heat-missed, small moves used up the budget for the
// leap to one cluster, which halves the time, because the leap had not been predicted for long
// enough: now it waits. In jacobi-sent-home, of 24 processes on six hosts, one of which gets 5 % of a
// core, the run gave up a mapping that had made supersteps three times as short, because of the lower
// bound on message times under the initial mapping: now it stays.
func TestLiveRuns(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl.gz")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d records, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".jsonl.gz")
		f := must.Get(os.Open(file))(t)
		defer f.Close()
		z := must.Get(gzip.NewReader(f))(t)
		replay := must.Get(Read(file, z, nil))(t)
		var got strings.Builder
		fmt.Fprintf(&got, "%d processes on %d ranks, %s\ncall  step     took  foretold  error  moves\n", len(replay.Start.Where), len(replay.Start.Platform.Ranks), replay.Start.Strategy)
		for {
			c, err := replay.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			off := "     -"
			if c.Foretold > 0 && c.Measured > 0 {
				off = fmt.Sprintf("%+5.0f%%", 100*(c.Measured/c.Foretold-1))
			}
			fmt.Fprintf(&got, "%4d %5d %8.3gs %8.3gs %s ", c.Number, c.Step, c.Measured, c.Foretold, off)
			if !c.Same() {
				fmt.Fprintf(&got, " otherwise than the run, which moved %d:", len(c.Was))
			}
			for _, m := range c.Is {
				fmt.Fprintf(&got, " %d:%d>%d", m.Pid, m.From, m.To)
			}
			got.WriteByte('\n')
		}
		if *update {
			must.Do(t, os.WriteFile(name+".txt", []byte(got.String()), 0o666))
			continue
		}
		want := must.Get(os.ReadFile(name + ".txt"))(t)
		if got.String() != string(want) {
			t.Errorf("%s: decisions are\n%s\nwant\n%s", name, got.String(), want)
		}
	}
}
