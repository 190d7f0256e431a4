package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// few is a workload of single supersteps with random work.
type few struct {
	work [][]float64 // by superstep, by process
}

func (f *few) Processes() int    { return len(f.work[0]) }
func (f *few) Steps() int        { return len(f.work) }
func (f *few) State(int) float64 { return 0 }
func (f *few) Fill(step int, s *Step) error {
	copy(s.Work, f.work[step])
	return nil
}

// island is a platform of hosts of some speeds and cores, in two districts.
func island(t *testing.T, speeds []float64, cores []int) *Platform {
	t.Helper()
	text := `<platform version="4.1"><zone id="all" routing="Full">`
	half := len(speeds) / 2
	for i := range speeds {
		switch i {
		case 0:
			text += `<zone id="a" routing="Full">`
		case half:
			text += `</zone><zone id="b" routing="Full">`
		}
		text += fmt.Sprintf(`<host id="h%d" speed="%gf" core="%d"/>`, i, speeds[i], cores[i])
	}
	text += `</zone>`
	return must.Get(parseXML("test.xml", strings.NewReader(text+`</zone></platform>`)))(t)
}

// No mapping of small cases is faster than the bound, and the search finds the best mapping. For
// equal work, the bound is the time of the best mapping.
func TestBoundAndBestStaticAgainstAll(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for round := range 60 {
		equal := round%3 == 0
		hosts, n := 2+random.IntN(2), 1+random.IntN(5)
		speeds, cores := make([]float64, hosts), make([]int, hosts)
		for i := range speeds {
			speeds[i], cores[i] = float64(1+random.IntN(4)), 1+random.IntN(2)
		}
		w := &few{work: make([][]float64, 1+random.IntN(2))}
		for k := range w.work {
			for range n {
				w.work[k] = append(w.work[k], float64(random.IntN(5)))
				if equal {
					w.work[k][len(w.work[k])-1] = 3
				}
			}
		}
		barrier := Barrier{}
		if round%2 == 0 {
			barrier = Barrier{Near: 0.1, Far: 0.1 + random.Float64()*2}
		}
		p := island(t, speeds, cores)
		c := &Config{Platform: p, Workload: w, Barrier: barrier}
		least := math.Inf(1)
		for where := range mappings(n, hosts) {
			c.Where = where
			r := must.Get(Run(context.Background(), c, Report{}))(t)
			least = min(least, r.Time)
		}
		bound := must.Get(Bound(p, w, barrier, 0))(t)
		if late, err := Bound(p, w, barrier, 1); err != nil || late > bound || w.Steps() == 1 && late != 0 {
			t.Errorf("round %d: bound %g, after the first superstep %g, %v", round, bound, late, err)
		}
		if bound > least*(1+1e-9) {
			t.Errorf("round %d: bound %g, but a mapping takes %g", round, bound, least)
		}
		if equal && !close(bound, least) {
			t.Errorf("round %d: bound %g of equal work, the best takes %g", round, bound, least)
		}
		_, best, err := BestStatic(context.Background(), c, [][]int32{make([]int32, n)}, 2000)
		if err != nil {
			t.Fatal(err)
		}
		if !close(best, least) {
			t.Errorf("round %d: best found %g, best of all %g", round, best, least)
		}
	}
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-7*max(a, b) }

// mappings iterates over all mappings of processes to hosts.
func mappings(n, hosts int) func(yield func([]int32) bool) {
	return func(yield func([]int32) bool) {
		where := make([]int32, n)
		for {
			if !yield(slices.Clone(where)) {
				return
			}
			at := 0
			for ; at < n; at++ {
				if where[at]++; int(where[at]) < hosts {
					break
				}
				where[at] = 0
			}
			if at == n {
				return
			}
		}
	}
}

// everyOther is work on one of two supersteps, of processes that all begin on one host.
type everyOther struct{ few }

func (w *everyOther) Fill(k int, s *Step) error {
	if k%2 == 0 {
		copy(s.Work, w.work[0])
	}
	return nil
}

func (w *everyOther) Steps() int { return 2 * staticSamples }

// Samples of a run include all kinds of its supersteps, and its hosts at the time of each; and the
// best mapping is never worse than a given one.
func TestBestStaticSeesTheWholeRun(t *testing.T) {
	w := &everyOther{few{work: [][]float64{{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}}}
	p := island(t, []float64{1, 1}, []int{1, 1})
	share := NewProfile(1)
	share.Set(4, 0.25)
	p.Hosts[1].Share = Shares{share}
	c := &Config{Platform: p, Workload: w, Where: make([]int32, 12)}
	where, time, err := BestStatic(t.Context(), c, [][]int32{c.Where}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	on := [2]int{}
	for _, host := range where {
		on[host]++
	}
	if on != [2]int{10, 2} || time > 11*staticSamples {
		t.Errorf("%v takes %g s, want 10 on the host that stays fast, in 10 s each time", where, time)
	}
}

// All processes on one host are faster where messages take longer than computing, and the host
// is the fastest; where computing counts they are slower than on all.
func TestBestHost(t *testing.T) {
	p := star(3, 1000, 0)
	p.Hosts[1].Speed = 2
	for _, load := range []Ring{{Size: 3, Length: 5, Flops: 1, Bytes: 1e6}, {Size: 3, Length: 5, Flops: 1e6, Bytes: 1}} {
		c := Config{Platform: p, Workload: &load, Where: []int32{0, 1, 2}}
		spread := must.Get(runWith(t.Context(), &c, c.Where))(t)
		host, time, err := BestHost(t.Context(), &c)
		if want := load.Flops * 5 * 3 / 2; err != nil || host != 1 || math.Abs(time/want-1) > 1e-9 {
			t.Errorf("host %d in %g s, %v; want host 1 in %g s", host, time, err, want)
		}
		if (time < spread) != (load.Bytes > 1) {
			t.Errorf("%g s on one host, %g s on three", time, spread)
		}
	}
}
