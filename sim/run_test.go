package sim

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer"
)

func parse(t *testing.T, balance string) rebalancer.Spec {
	t.Helper()
	return must.Get(rebalancer.Parse(balance))(t)
}

// clustersOfClusters is the platform of the papers on LU and dynamic programming.
func clustersOfClusters(t *testing.T) *Platform {
	t.Helper()
	return must.Get(Read("../examples/clusters-of-clusters.xml"))(t)
}

var linear = Barrier{Near: 12.2e-6, Far: 87.7e-6}

func simulate(t *testing.T, p *Platform, w Workload, balance string, report Report) *Result {
	t.Helper()
	where := must.Get(p.Place(w.Processes(), "contiguous"))(t)
	return must.Get(Run(t.Context(), &Config{Platform: p, Workload: w, Where: where, Barrier: linear, Balance: parse(t, balance)}, report))(t)
}

// A superstep computed by hand: star's hosts a and b send 100 and 200 bytes a second, and receive 100
// and 200, b's link with a latency of 1 ms.
func TestASuperstepByHand(t *testing.T) {
	p := star(2, 100, 0)
	load := must.Get(parseCSV("w.csv", strings.NewReader("work,1,0,2\nwork,1,1,3\nwork,1,2,1\nmsg,1,0,1,100\nover,1,0.5\nmig,1,1,a,50\n"), p))(t)
	var steps []StepRecord
	c := &Config{Platform: p, Workload: load, Where: []int32{0, 1, 1}, Barrier: Barrier{Near: 0.01}}
	r := must.Get(Run(t.Context(), c, Report{Step: func(s *StepRecord) { steps = append(steps, *s) }}))(t)
	// On b the one operation is done at 2, the three at 4; the message begins at 2 and
	// arrives at 3. Two processes make the barrier 0.02 long. The move takes 50 bytes at
	// 100 a second, after 1 ms.
	if s := steps[0]; s.Compute != 4 || s.Comm != 0 || math.Abs(s.Total-4.52) > 1e-12 {
		t.Errorf("%+v", s)
	}
	if want := 4.52 + 0.001 + 0.5; math.Abs(r.Time-want) > 1e-12 || math.Abs(r.Moving-0.501) > 1e-12 || !reflect.DeepEqual(r.Where, []int32{0, 0, 1}) {
		t.Errorf("%+v, want %g in all", r, want)
	}
}

// Without rescheduling, the simulation reproduces the published times; only the platform is fitted.
func TestPublishedTimesOfDynamicProgramming(t *testing.T) {
	p := clustersOfClusters(t)
	for n, published := range map[int]float64{10: 13.34, 25: 40.74, 50: 92.59, 100: 162.66, 200: 389.91} {
		r := simulate(t, p, &Wavefront{Size: n, First: 1e6, Last: 1e9, Bytes: 5e6 / float64(n)}, "off", Report{})
		if far := r.Time/published - 1; math.Abs(far) > 0.02 {
			t.Errorf("n=%d: %g s, published %g s: %.1f%%", n, r.Time, published, 100*far)
		}
	}
}

// For LU the papers' simulation had the same work for all processes; elements of four bytes fit the
// published times best.
func TestPublishedTimesOfLU(t *testing.T) {
	p := clustersOfClusters(t)
	squares, cells := 0.0, 0
	for _, c := range []struct {
		m, n, size int
		published  float64
	}{
		{5, 5, 500, 1.68}, {5, 5, 1000, 11.65}, {5, 5, 2000, 90.11},
		{10, 5, 500, 2.59}, {10, 5, 1000, 10.10}, {10, 5, 2000, 60.23},
		{10, 10, 500, 6.70}, {10, 10, 1000, 15.22}, {20, 10, 500, 13.23},
	} {
		r := simulate(t, p, &LU{Size: c.size, M: c.m, N: c.n, Flops: 500, Element: 4, Even: true}, "off", Report{})
		far := r.Time/c.published - 1
		if squares += far * far; math.Abs(far) > 0.05 {
			t.Errorf("%d processes, n=%d: %g s, published %g s: %.1f%%", c.m*c.n, c.size, r.Time, c.published, 100*far)
		}
		cells++
	}
	if rms := math.Sqrt(squares / float64(cells)); rms > 0.03 {
		t.Errorf("%.1f%% rms", 100*rms)
	}
}

func TestReschedulingSavesTimeAndIsPaidFor(t *testing.T) {
	p := clustersOfClusters(t)
	w := &LU{Size: 1000, M: 5, N: 5, Flops: 500, Element: 8}
	off := simulate(t, p, w, "off", Report{})
	calls := 0
	deciding := simulate(t, p, w, "auto,moves=0", Report{Call: func(c *CallRecord) {
		calls++
		if c.Messages == 0 || c.Bytes == 0 || !(c.Took > 0) || c.Moved != 0 {
			t.Errorf("%+v", c)
		}
	}})
	if calls == 0 || calls != deciding.Calls || deciding.Moves != 0 || math.Abs(deciding.Time-off.Time-deciding.Deciding) > 1e-9*off.Time {
		t.Errorf("deciding %+v, off %+v, %d calls reported", deciding, off, calls)
	}
	if share := deciding.Deciding / off.Time; share > 0.01 {
		t.Errorf("deciding takes %.2f%%", 100*share)
	}
	moved := simulate(t, p, w, "auto", Report{})
	if moved.Time > 0.9*off.Time || moved.Moves == 0 || moved.Moving == 0 {
		t.Errorf("%+v, without moves %g s", moved, off.Time)
	}
	if again := simulate(t, p, w, "auto", Report{}); !reflect.DeepEqual(again, moved) {
		t.Errorf("once %+v, then %+v", moved, again)
	}
}

// brokenLoad has invalid work.
type brokenLoad struct{ Ring }

func (b *brokenLoad) Fill(_ int, s *Step) error { s.Work[0] = math.NaN(); return nil }

func TestRunsThatCannotBe(t *testing.T) {
	p := star(2, 100, 0)
	run := func(w Workload, where []int32) error {
		_, err := Run(t.Context(), &Config{Platform: p, Workload: w, Where: where}, Report{})
		return err
	}
	ring := Ring{Size: 2, Length: 1, Flops: 1}
	moving := must.Get(parseCSV("w.csv", strings.NewReader("work,1,0,2\nmig,1,0,b,50\n"), p))(t)
	_, rescheduled := Run(t.Context(), &Config{Platform: p, Workload: moving, Where: []int32{0}, Balance: parse(t, "auto")}, Report{})
	p.Hosts[1].Share = Shares{NewProfile(0)}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"placed otherwise", run(&ring, []int32{0}), "the workload has 2 processes, 1 are placed"},
		{"not a number", run(&brokenLoad{ring}, []int32{0, 0}), "superstep 1: process 0 computes NaN operations"},
		{"moves of its own", rescheduled, "superstep 1: the workload moves processes itself"},
		{"a host that gives nothing", run(&ring, []int32{0, 1}), "superstep 1: the superstep that begins at 0 s does not end"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	p := star(3, 100, 0)
	p.Sets = []Set{{Name: "one"}, {Name: "two", Manager: 2}}
	for i, speed := range []float64{2, 1, 4} {
		p.Hosts[i].Speed = speed
	}
	p.Hosts[2].Set = 1
	for how, want := range map[string][]int32{
		"contiguous":  {0, 1, 2, 0, 1},
		"ascending":   {1, 0, 2, 1, 0},
		"descending":  {2, 0, 1, 2, 0},
		"round-robin": {0, 2, 1, 0, 2},
		"cpu":         {2, 0, 2, 2, 0},
	} {
		if got, err := p.Place(5, how); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v, want %v", how, got, err, want)
		}
	}
	if _, err := p.Place(5, "random"); err == nil || !strings.Contains(err.Error(), "there are contiguous, ascending") {
		t.Error(err)
	}
	if where, err := p.Named([]string{"c", "a"}); err != nil || !reflect.DeepEqual(where, []int32{2, 0}) {
		t.Error(where, err)
	}
	if _, err := p.Named([]string{"c", "x"}); err == nil || err.Error() != `process 1 is on host "x", which the platform does not have` {
		t.Error(err)
	}
	if where, err := p.Named([]string{"", ""}); where != nil || err != nil {
		t.Error(where, err)
	}
}

// BenchmarkLU measures the simulation of a superstep with many messages.
func BenchmarkLU(b *testing.B) {
	p := must.Get(Read("../examples/clusters-of-clusters.xml"))(b)
	w := &LU{Size: 500, M: 20, N: 10, Flops: 500, Element: 8}
	where := must.Get(p.Place(w.Processes(), "contiguous"))(b)
	for b.Loop() {
		must.Get(Run(b.Context(), &Config{Platform: p, Workload: w, Where: where, Barrier: linear}, Report{}))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*w.Steps()), "us/superstep")
}

// A host of many cores is no faster for one process than a core is, and does not look
// so to rescheduling.
func TestCoresAreRanks(t *testing.T) {
	p := parsed(t, `<platform version="4.1"><zone id="z" routing="Full">
		<cluster id="old" prefix="o" suffix="" radical="0-0" speed="1Gf" core="8" bw="1GBps" lat="0us"/>
		<cluster id="new" prefix="n" suffix="" radical="0-0" speed="2Gf" core="2" bw="1GBps" lat="0us"/>
		<link id="l" bandwidth="1GBps" latency="0us"/>
		<zoneRoute src="old" dst="new" gw_src="oold_router" gw_dst="nnew_router"><link_ctn id="l"/></zoneRoute>
	</zone></platform>`)
	w := &Ring{Size: 2, Length: 40, Flops: 1e9, Bytes: 1, Kept: 1000}
	off := simulate(t, p, w, "off", Report{})
	var last []rebalancer.Move
	r := simulate(t, p, w, "auto", Report{Call: func(c *CallRecord) {
		if len(c.Decision.Moves) > 0 {
			last = slices.Clone(c.Decision.Moves)
		}
	}})
	if r.Where[0] != 1 || r.Where[1] != 1 || r.Time > 0.6*off.Time {
		t.Errorf("%v in %g s, without moves %g s; want both on the two fast cores", r.Where, r.Time, off.Time)
	}
	for _, m := range last {
		if m.From != 0 || m.To != 1 {
			t.Errorf("move %+v; want from host 0 to host 1", m)
		}
	}
}
