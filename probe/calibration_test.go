package probe

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
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
		fastest := 0.0
		for _, speed := range c.measured {
			fastest = max(fastest, float64(speed))
		}
		if got, most := relativeSpeeds(c.measured, c.kinds); !slices.Equal(got, c.want) || most != fastest {
			t.Errorf("%s: %v of %g, want %v of %g", c.name, got, most, c.want, fastest)
		}
	}
}

// nodes is a Comm whose nodes have a number of ranks each.
type nodes struct {
	mpi.Comm
	ranks int
}

func (n nodes) Engine() mpi.Engine {
	e := n.Comm.Engine()
	e.Nodes = make([]int, n.Size())
	for rank := range e.Nodes {
		e.Nodes[rank] = rank / n.ranks
	}
	return e
}

// calibrated returns the measurements of in-process ranks on nodes of their own, each in a Set of
// its own.
func calibrated(n int, plan func(rank int) Plan) ([]*Calibration, []error) {
	all, failures := make([]*Calibration, n), make([]error, n)
	var group sync.WaitGroup
	for rank, comm := range mpi.InProcess(n) {
		p := plan(rank)
		p.Comm, p.Lane = nodes{comm, 1}, comm.Lane(1)
		for other := range n {
			p.Hosts = append(p.Hosts, fmt.Sprintf("host%d", other))
			p.Sets, p.Managers = append(p.Sets, other), append(p.Managers, other)
		}
		group.Go(func() { all[rank], failures[rank] = Calibrate(p) })
	}
	group.Wait()
	return all, failures
}

func TestCalibrate(t *testing.T) {
	all, failures := calibrated(3, func(int) Plan { return Plan{} })
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
			if way.Measured() != (a != b) {
				t.Errorf("from Set %d to Set %d: %+v", a, b, way)
			}
		}
	}
}

// During the run the lines of nodes are measured too, if enough of them can be compared.
func TestLinesAreMeasuredDuringTheRun(t *testing.T) {
	rounds := func(nodes int) [][][2]int { return [][][2]int{{{0, 1}}, {{1, 2}}, {{2, 0}}} }
	all, failures := calibrated(3, func(int) Plan { return Plan{Neighbours: rounds} })
	must.Do(t, errors.Join(failures...))
	if all[0].Lines() != nil || all[0].Rounds() != 4+3 {
		t.Errorf("before the run there are lines %v, and %d rounds", all[0].Lines(), all[0].Rounds())
	}
	var group sync.WaitGroup
	for _, c := range all {
		group.Go(func() {
			if _, err := c.RemeasureLinks(20 * time.Millisecond); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for rank, c := range all {
		if len(c.Lines()) != 3 || !slices.Equal(c.Lines(), all[0].Lines()) || !reflect.DeepEqual(c.Links(), all[0].Links()) {
			t.Errorf("rank %d has found lines %v and links %v", rank, c.Lines(), c.Links())
		}
	}
}

func TestWaitingForALinkEnds(t *testing.T) {
	comms := mpi.InProcess(2)
	told := make(chan string, 1)
	c := &Calibration{plan: &Plan{
		Comm: nodes{comms[0], 1}, Hosts: []string{"near", "far"}, Sets: []int{0, 1}, Managers: []int{0, 1}, Tolerance: 20 * time.Millisecond,
		Silent: func(err error) {
			told <- err.Error()
			comms[1].Abort(1)
		},
	}}
	c.watchdog.Introduce(c.plan.Hosts)
	c.meter = NewLinkMeter(c.plan.Comm, c.plan.Sets, c.plan.Managers, &c.watchdog, c.plan.Tolerance)
	if err := c.measureLinks(time.Millisecond, false); err == nil {
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
