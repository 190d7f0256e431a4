package rebalancer

import (
	"math"
	"testing"
)

// reporting returns a controller's report of a process, one of two on equal ranks of two Sets, after
// some supersteps of two classes. work and bytes give its work in them, and the bytes that it receives
// from the other process.
func reporting(spec string, steps int, work func(step, class int) float64, bytes func(step, class int) int64) Process {
	p := Platform{Sets: []Set{{Name: "a"}, {Name: "b", Manager: 1}}, Ranks: []Rank{{Speed: 1}, {Set: 1, Speed: 1}, {Set: 1, Speed: 1}},
		Links: [][]Link{{{PerByte: 1e-6}, {PerByte: 1e-6}}, {{PerByte: 1e-6}, {PerByte: 1e-6}}}}
	parsed, err := Parse(spec)
	if err != nil {
		panic(err)
	}
	c := New(p, []int32{0, 1}, parsed)
	for step := range steps {
		class := step % 2
		received := []Traffic{}
		if n := bytes(step, class); n > 0 {
			received = append(received, Traffic{Pid: 1, Bytes: n})
		}
		c.Observe(Observation{Step: step + 1, Class: class, Count: 1, Processes: []Measure{
			{Pid: 0, Time: work(step, class), Received: received}, {Pid: 1, Time: work(step, class)},
		}})
	}
	return c.Report([]RankState{{Rank: 0, Available: 1}}, freeDetail).Processes[0]
}

// In a stage with a superstep with work and one without, as in a program that reduces after each step,
// each class has its own prediction, and the process counts as regular. Potentials refer to a superstep
// with work.
func TestRegularityByClassOfSuperstep(t *testing.T) {
	alternating := func(_, class int) float64 { return 2 * float64(1-class) }
	messages := func(_, class int) int64 { return int64(1000 * (1 - class)) }
	p := reporting("percent", 8, alternating, messages)
	if p.Regularity != 1 || p.Work != 1 || p.Time != 1 {
		t.Errorf("Pcomp %g, PI %g, CTP %g; want 1, 1 and 1", p.Regularity, p.Work, p.Time)
	}
	if s := p.Sets[0]; s.Set != 1 || s.Regularity != 1 || s.Bytes != 500 || math.Abs(s.Time-0.5e-3) > 1e-15 {
		t.Errorf("%+v, want 1, 500 bytes and 0.5 ms from Set 1", s)
	}
	if math.Abs(p.Best.Comp-2) > 1e-12 || math.Abs(p.Best.Comm-1e-3) > 1e-12 {
		t.Errorf("%+v, want 2 s and 1 ms", p.Best)
	}
	irregular := reporting("percent", 8, func(step, class int) float64 { return alternating(step, class) * math.Pow(0.1, float64(step/2)) }, messages)
	if irregular.Regularity != 0 {
		t.Errorf("Pcomp %g of work of which there is a tenth each time", irregular.Regularity)
	}
}

// A potential may cover one superstep, several, or all until the next call, and a move may take a fixed
// time in addition to its transfer.
func TestSpanOfPotentials(t *testing.T) {
	for spec, want := range map[string]Potential{
		"percent,alpha=4":                         {Comp: 2, Comm: 1e-3, Mem: 1e-3},
		"percent,alpha=4,span=3":                  {Comp: 6, Comm: 3e-3, Mem: 1e-3},
		"percent,alpha=4,span=alpha,mig=0.5":      {Comp: 8, Comm: 4e-3, Mem: 0.501},
		"mighull,alpha=4,span=alpha,viability=0":  {Comp: 8, Comm: 4e-3, Mem: 1e-3},
		"pub-global,alpha=4":                      {Comp: 2, Comm: 1e-3, Mem: 1e-3},
		"automig,alpha=4,span=1,mig=0.25,guard=0": {Comp: 2, Comm: 1e-3, Mem: 0.251},
	} {
		got := reporting(spec, 4, func(int, int) float64 { return 2 }, func(int, int) int64 { return 1000 }).Best
		if math.Abs(got.Comp-want.Comp)+math.Abs(got.Comm-want.Comm)+math.Abs(got.Mem-want.Mem) > 1e-12 {
			t.Errorf("%s: %+v, want %+v", spec, got, want)
		}
	}
	if s, err := Parse("percent,span=alpha,mig=2"); err != nil || s.String() != "percent,span=alpha,mig=2" {
		t.Errorf("%s, %v", s, err)
	}
}
