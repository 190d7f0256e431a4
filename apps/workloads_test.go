package apps

import (
	"maps"
	"math"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/sim"
	"github.com/migbsp/migbsp/sim/record"
)

// simulated is a run of a program and the simulator's workload of the same figures.
type simulated struct {
	run, workload string
	before        int      // supersteps of the run before the first of the workload
	more          *float64 // bytes that a process takes along beside the workload's, at most; nil: not compared
	around        bool     // it may be as many less
	atEnd         bool     // what it takes along after the last superstep instead of the first
	works         bool     // where the workload has no work, the run has less in all than elsewhere
	// close reports whether the messages of a superstep are as expected, where they need not be
	// the same.
	close func(site string, made, sent map[[2]int32]float64) bool
}

func upTo(bytes float64) *float64 { return &bytes }

var simulatedRuns = []simulated{
	{run: "fft -n 2^12 -procs 1 -iterations 2", workload: "fft:n=4096,p=1,iterations=2", before: 1},
	{run: "fft -n 2^6 -procs 16 -iterations 2", workload: "fft:n=64,p=16,iterations=2", before: 1},
	{run: "fft -n 2^5 -procs 16 -iterations 2", workload: "fft:n=32,p=16,iterations=2", before: 1},
	{run: "fft -n 2^16 -procs 6 -iterations 2", workload: "fft:n=65536,p=6,iterations=2", before: 1, works: true},
	{run: "fft -n 4 -procs 8 -iterations 2", workload: "fft:n=4,p=8,iterations=2", before: 1},

	{run: "lbm -n 30x17 -steps 4 -procs 5", workload: "channel:length=30,height=17,p=5,steps=4", before: 1, more: upTo(500)},
	{run: "lbm -n 30x17 -steps 3 -procs 17 -obstacle hills", workload: "channel:length=30,height=17,p=17,steps=3,hills=1", before: 1, more: upTo(500)},
	{run: "lbm -n 30x17 -steps 3 -procs 1", workload: "channel:length=30,height=17,p=1,steps=3", before: 1, more: upTo(500)},
	{run: "lbm -d3 -n 10x8x5 -steps 4 -procs 3 -obstacle hills", workload: "channel:length=10,height=8,breadth=5,p=3,steps=4,hills=1", before: 1, more: upTo(500)},

	{run: "sw -n 200 -procs 7 -blocks 7 -message 1000 -kept 3000 -density 0:5", workload: "sw:n=200,p=7,blocks=7,message=1000,kept=3000,last=5", before: 1, more: upTo(500)},
	{run: "sw -n 3000 -procs 3 -blocks 4", workload: "sw:n=3000,p=3,blocks=4", before: 1, works: true},
	{run: "sw -n 200 -procs 1 -blocks 200", workload: "sw:n=200,p=1,blocks=200", before: 1, more: upTo(500)},

	{run: "fractal -size 128 -chroma none -procs 5", workload: "fractal:n=128,p=5", more: upTo(500)},
	{run: "fractal -size 100 -procs 4", workload: "fractal:n=100,p=4,colour=1", more: upTo(500)},
	{run: "fractal -size 90 -procs 7 -block 4 -domains 50", workload: "fractal:n=90,p=7,block=4,domains=50,colour=1", more: upTo(500)},
	{run: "fractal -size 40 -procs 1 -chroma none -block 16 -domains 2", workload: "fractal:n=40,p=1,block=16,domains=2", more: upTo(500)},

	// Of lists in random order a process is taken to have the same share of each part.
	{run: "sort -dist sorted -lists 2 -n 1000 -procs 1", workload: "sort:n=1000,p=1,lists=2,sorted=1", more: upTo(8500), around: true, atEnd: true},
	{run: "sort -dist sorted -lists 2 -n 1001 -procs 8 -samples 3", workload: "sort:n=1001,p=8,lists=2,samples=3,sorted=1", more: upTo(1501), around: true, atEnd: true},
	{run: "sort -dist equal -lists 2 -n 5000 -procs 16 -samples 100", workload: "sort:n=5000,p=16,lists=2,samples=100,sorted=1"},
	{run: "sort -dist sorted -lists 2 -n 5 -procs 9", workload: "sort:n=5,p=9,lists=2,sorted=1", more: upTo(505), around: true, atEnd: true},
	{run: "sort -dist sorted -lists 2 -n 0 -procs 3", workload: "sort:n=0,p=3,lists=2,sorted=1", more: upTo(500), around: true, atEnd: true},
	{run: "sort -dist uniform -lists 2 -n 100000 -procs 8", workload: "sort:n=100000,p=8,lists=2", close: sortedAlike(0.25)},
	{run: "sort -dist zipf -lists 2 -n 100000 -procs 8", workload: "sort:n=100000,p=8,lists=2", close: sortedAlike(math.Inf(1))},

	{run: "spmv -n 100 -iterations 2 -grid 1x1 -procs 1", workload: "spmv:n=100,p=1,cols=1,iterations=2", before: 3, more: upTo(640), atEnd: true},
	{run: "spmv -n 1000 -iterations 2 -grid 2x3 -procs 6", workload: "spmv:n=1000,p=6,cols=3,iterations=2", before: 3, more: upTo(680), atEnd: true},
	{run: "spmv -n 1000 -iterations 2 -grid 1x7 -procs 7", workload: "spmv:n=1000,p=7,cols=7,iterations=2", before: 3, more: upTo(640), atEnd: true},
	{run: "spmv -n 50 -iterations 2 -grid 30x1 -procs 30", workload: "spmv:n=50,p=30,cols=1,iterations=2", before: 3, more: upTo(1800), atEnd: true},
	{run: "spmv -n 40 -iterations 2 -grid 9x5 -procs 45", workload: "spmv:n=40,p=45,cols=5,iterations=2", before: 3, more: upTo(960), atEnd: true},
	{run: "spmv -n 3 -iterations 2 -grid 4x1 -procs 4", workload: "spmv:n=3,p=4,cols=1,iterations=2", before: 3, more: upTo(760), atEnd: true},
	{run: "spmv -n 2 -iterations 2 -grid 1x4 -procs 4", workload: "spmv:n=2,p=4,cols=4,iterations=2", before: 3, more: upTo(640), atEnd: true},
	{run: "spmv -n 600 -iterations 2 -grid 70x1 -procs 70", workload: "spmv:n=600,p=70,cols=1,iterations=2", before: 3, more: upTo(3400), atEnd: true},
	{run: "spmv -n 2000 -density 0.001 -iterations 2 -grid 5x1 -procs 5", workload: "spmv:n=2000,p=5,cols=1,iterations=2,density=0.001", before: 3, close: expected},
	{run: "spmv -n 2000 -density 0.002 -iterations 2 -grid 2x3 -procs 6", workload: "spmv:n=2000,p=6,cols=3,iterations=2,density=0.002", before: 3, close: expected},
}

// Workloads of the simulator have the messages of the programs' supersteps, byte for byte or
// as they are on average, and what a process takes along.
func TestSimulatedWorkloads(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts many programs")
	}
	bin := testrun.Build(t, "", "./apps/...")
	for _, c := range simulatedRuns {
		t.Run(c.run, func(t *testing.T) {
			t.Parallel()
			made := must.Get(sim.ParseWorkload(c.workload))(t)
			dir := filepath.Join(t.TempDir(), "run")
			line(bin, c.run, "-quiet -balance off -ranks 2 -run-dir "+dir).Must(t)
			real := must.Get(record.Open(dir, sim.Reference))(t)
			if real.Processes() != made.Processes() || real.Steps() < c.before+made.Steps() {
				t.Fatalf("%d processes and %d supersteps, in %s %d and %d", real.Processes(), real.Steps(), c.workload, made.Processes(), made.Steps())
			}
			some, none := 0.0, 0.0
			for k := range made.Steps() {
				did := apptest.Superstep(t, real, c.before+k)
				does := apptest.Superstep(t, made, k)
				if got, want := apptest.Sent(does), apptest.Sent(did); !maps.Equal(got, want) && (c.close == nil || !c.close(does.Site, got, want)) {
					t.Fatalf("superstep %d at %s: %s has messages %v, the program sends %v", k, did.Site, c.workload, got, want)
				}
				for pid, work := range did.Work {
					if does.Work[pid] > 0 {
						some += work
					} else {
						none += work
					}
				}
			}
			if c.works && some <= none {
				t.Errorf("%g operations where %s has work, %g elsewhere", some, c.workload, none)
			}
			if c.more == nil {
				return
			}
			states := apptest.Superstep(t, real, 0).State
			if c.atEnd {
				states = apptest.Superstep(t, real, real.Steps()-1).State
			}
			for pid := range made.Processes() {
				bytes := real.State(pid)
				if len(states) > 0 {
					bytes = states[pid]
				}
				if more := bytes - made.State(pid); math.Abs(more) > *c.more || more < 0 && !c.around {
					t.Errorf("process %d takes %g bytes along, in %s %g", pid, bytes, c.workload, made.State(pid))
				}
			}
		})
	}
}

// sortedAlike lets the numbers that go to others' parts be as many as in all, and those
// between two processes differ by a part.
func sortedAlike(part float64) func(site string, made, sent map[[2]int32]float64) bool {
	return func(site string, made, sent map[[2]int32]float64) bool {
		all, really := 0.0, 0.0
		for ends, bytes := range made {
			all, really = all+bytes, really+sent[ends]
			if math.Abs(bytes-sent[ends]) > part*bytes {
				return false
			}
		}
		return site == "send" && len(made) == 8*7 && math.Abs(all-really) <= 0.05*all
	}
}

// expected lets numbers of a random matrix, of 8 bytes, differ from those on average by four
// standard deviations.
func expected(_ string, made, sent map[[2]int32]float64) bool {
	for ends, bytes := range made {
		if math.Abs(bytes-sent[ends]) > 4*8*math.Sqrt(bytes/8) {
			return false
		}
	}
	return len(made) == len(sent)
}
