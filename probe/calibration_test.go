package probe

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

func TestRelativeSpeeds(t *testing.T) {
	for _, c := range []struct {
		name            string
		measured, kinds []int64
		want            []float64
	}{
		{"equal", []int64{100, 100}, []int64{1, 2}, []float64{1, 1}},
		{"nearly equal", []int64{100, 95}, []int64{1, 2}, []float64{1, 1}},
		{"half", []int64{50, 100}, []int64{1, 2}, []float64{0.5, 1}},
		{"ranks disturbed", []int64{100, 30, 100, 50, 48, 10}, []int64{7, 7, 7, 8, 8, 8}, []float64{1, 1, 1, 0.48, 0.48, 0.48}},
		{"nothing measured", []int64{0, 0}, []int64{1, 2}, []float64{1, 1}},
	} {
		if got := relativeSpeeds(c.measured, c.kinds); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLinksAreCorrectedWhereTheyDifferMuch(t *testing.T) {
	known := Way{Latency: 1e-3, PerByte: 1e-8}
	for _, c := range []struct {
		name        string
		found, want Way
	}{
		{"the same", known, known},
		{"a little faster and slower", Way{Latency: 0.9e-3, PerByte: 1.2e-8}, known},
		{"throttled", Way{Latency: 1.1e-3, PerByte: 1e-6}, Way{Latency: 1e-3, PerByte: 1e-6}},
		{"farther", Way{Latency: 5e-3, PerByte: 1e-8}, Way{Latency: 5e-3, PerByte: 1e-8}},
		{"without a rate", Way{Latency: 1e-3}, known},
		{"freed", Way{Latency: 1e-3, PerByte: 1e-10}, Way{Latency: 1e-3, PerByte: 1e-10}},
	} {
		if got := corrected(known, c.found); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	fast := Way{Latency: 1e-6, PerByte: 1e-10}
	if got := corrected(fast, Way{Latency: 5e-6, PerByte: 0.7e-10}); got != fast {
		t.Errorf("differences of no account changed %+v to %+v", fast, got)
	}
}

// calibratedLinks is a Calibration of two Sets with links of a latency.
func calibratedLinks(latency float64) *Calibration {
	w := Way{Latency: latency, PerByte: 1e-8}
	return &Calibration{meter: new(LinkMeter), plan: Plan{Share: 0.005, Links: [][]Way{{w, w}, {w, w}}}}
}

// What measuring takes while the program runs stays below its share, and slow
// links are measured the more seldom.
func TestMeasuringKeepsToItsShare(t *testing.T) {
	times := map[float64]int{}
	for _, latency := range []float64{1e-5, 1e-2} {
		c := calibratedLinks(latency)
		spent := time.Duration(0)
		const calls, interval = 1000, 300 * time.Millisecond
		for range calls {
			c.CreditBudget(interval, 0)
			if c.budget > 0 {
				if least := leastBudget(c.Links()); c.budget < least {
					t.Fatalf("a budget of %v, less than %v", c.budget, least)
				}
				times[latency]++
				spent += c.budget
				c.budget = 0
			}
		}
		if spent > calls*interval/200+time.Millisecond {
			t.Errorf("latency %g: %v of %v", latency, spent, calls*interval)
		}
	}
	if !(times[1e-5] > 10*times[1e-2] && times[1e-2] > 0) {
		t.Errorf("times that links were measured, by latency: %v", times)
	}
	c := calibratedLinks(1e-2)
	if c.CreditBudget(time.Second, 1); c.budget != 0 {
		t.Errorf("after a surprise of little account the budget is %v", c.budget)
	}
	if c.CreditBudget(time.Second, 100); c.budget != leastBudget(c.Links()) {
		t.Errorf("after a surprise the budget is %v", c.budget)
	}
	for _, c := range []*Calibration{nil, {}} {
		c.CreditBudget(time.Hour, 1e9)
		if done, err := c.RemeasureLinks(); done || err != nil {
			t.Errorf("without links: %v, %v", done, err)
		}
	}
}

// apart are ranks that are each on a node of their own.
type apart struct{ mpi.Comm }

func (a apart) Node(rank int) int { return rank }

// slow is a link that none within a machine is like.
var slow = Way{Latency: 1, PerByte: 1e-3}

// calibrated is what in-process ranks on nodes of their own measure, each in a Set of
// its own.
func calibrated(n int, plan func(rank int) Plan) ([]*Calibration, []error) {
	all, failures := make([]*Calibration, n), make([]error, n)
	var group sync.WaitGroup
	for rank, comm := range mpi.InProcess(n) {
		p := plan(rank)
		p.Comm, p.Lane = apart{comm}, comm.Lane(1)
		for other := range n {
			p.Hosts = append(p.Hosts, fmt.Sprintf("host%d", other))
			p.Sets, p.Managers = append(p.Sets, other), append(p.Managers, other)
			p.Links = append(p.Links, slices.Repeat([]Way{slow}, n))
		}
		group.Go(func() { all[rank], failures[rank] = Calibrate(p) })
	}
	group.Wait()
	return all, failures
}

func TestCalibrate(t *testing.T) {
	all, failures := calibrated(3, func(int) Plan { return Plan{Share: 0.5} })
	for rank, c := range all {
		if failures[rank] != nil {
			t.Fatal(failures[rank])
		}
		if !(c.Barrier > 0) || !(c.Took > c.Barrier) || !c.HasLinks() || !reflect.DeepEqual(c.Links(), all[0].Links()) {
			t.Errorf("rank %d: %+v", rank, c)
		}
		if !slices.Equal(c.Speeds, []float64{1, 1, 1}) {
			t.Errorf("ranks with the same processor have the speeds %v", c.Speeds)
		}
	}
	for a, row := range all[0].Links() {
		for b, way := range row {
			if believed := way == slow; believed != (a == b) || !believed && way.Latency > slow.Latency/2 {
				t.Errorf("from Set %d to Set %d: %+v", a, b, way)
			}
		}
	}
}

func TestLinksAreRemeasuredWithinTheirBudget(t *testing.T) {
	all, failures := calibrated(2, func(int) Plan { return Plan{Share: 0.5} })
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
	remeasured := func(interval time.Duration) (count int) {
		var group sync.WaitGroup
		results := make([]bool, len(all))
		for rank, c := range all {
			group.Go(func() {
				c.CreditBudget(interval, 0)
				var err error
				if results[rank], err = c.RemeasureLinks(); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		for _, did := range results {
			if did {
				count++
			}
		}
		return count
	}
	if n := remeasured(time.Microsecond); n != 0 {
		t.Errorf("%d ranks have remeasured links without a budget", n)
	}
	for _, c := range all {
		c.plan.Links[0][1] = slow
	}
	if n := remeasured(time.Hour); n != 2 || all[0].Links()[0][1].Latency > slow.Latency/2 {
		t.Errorf("%d ranks have remeasured; the link that was believed to be slow is %+v", n, all[0].Links()[0][1])
	}
}

func TestWaitingForALinkEnds(t *testing.T) {
	comms := mpi.InProcess(2)
	told := make(chan string, 1)
	c := &Calibration{plan: Plan{
		Comm: apart{comms[0]}, Hosts: []string{"near", "far"}, Sets: []int{0, 1}, Managers: []int{0, 1}, Tolerance: 20 * time.Millisecond,
		Silent: func(err error) {
			told <- err.Error()
			comms[1].Abort(1)
		},
	}}
	c.watchdog.Introduce(c.plan.Hosts)
	c.meter = NewLinkMeter(c.plan.Comm, c.plan.Sets, c.plan.Managers, &c.watchdog, c.plan.Tolerance)
	if err := c.measureLinks(time.Millisecond); err == nil {
		t.Error("a link was measured without an answer")
	}
	want := "no answer for 20ms while links between hosts are measured; rank 0 on host near waits for rank 1 on host far"
	if text := <-told; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	want = "no answer for 20ms while links between hosts are measured; rank 0 on host near waits for the others"
	if err := c.unanswered(&SilentError{Rank: -1}); err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
