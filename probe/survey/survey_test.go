package survey

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

const (
	testWatch = 10 * time.Millisecond
	testLinks = 40 * time.Millisecond
)

// groupedAs puts the ranks on the given hosts, whatever these are called.
func groupedAs(t *testing.T, text string, place, managers []int) func([]hostfile.Task) (*hostfile.Grouping, error) {
	t.Helper()
	f := must.Get(hostfile.Parse("test", strings.NewReader(text)))(t)
	return func(tasks []hostfile.Task) (*hostfile.Grouping, error) {
		if len(tasks) != len(place) {
			return nil, errors.New("not all ranks have said where they are")
		}
		return &hostfile.Grouping{File: f, Place: place, Managers: managers, Origin: "test", Warnings: []string{"look out"}}, nil
	}
}

// surveyed is what the ranks of comms return.
func surveyed(comms []mpi.Comm, plan Plan) ([]*Survey, []error) {
	surveys, failures := make([]*Survey, len(comms)), make([]error, len(comms))
	var all sync.WaitGroup
	for rank, comm := range comms {
		if comm == nil {
			continue
		}
		all.Go(func() {
			surveys[rank], failures[rank] = Take(context.Background(), comm, plan)
		})
	}
	all.Wait()
	return surveys, failures
}

const testHosts = "#@set near manager=a\na slots=2\nb\n#@set far\nc\n"

func TestSurvey(t *testing.T) {
	plan := Plan{Watch: testWatch, Links: testLinks, Tolerance: time.Hour, Group: groupedAs(t, testHosts, []int{0, 1, 0, 2}, []int{0, 3})}
	surveys, failures := surveyed(mpi.InProcess(4), plan)
	for rank, err := range failures {
		if err != nil || (surveys[rank] != nil) != (rank == 0) {
			t.Fatalf("rank %d: %v, %v", rank, surveys[rank], err)
		}
	}
	s := surveys[0]
	checkWho(t, s)
	checkFigures(t, s)
	text := must.Get(json.Marshal(s))(t)
	var again Survey
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(&again, s) {
		t.Errorf("%v, read back %+v\nwritten %+v", err, again, s)
	}
}

// checkWho looks at names and numbers of hosts, ranks and Sets.
func checkWho(t *testing.T, s *Survey) {
	t.Helper()
	if s.Schema != Schema || s.Engine == "" || s.Origin != "test" || len(s.Warnings) != 1 || len(s.Ranks) != 4 {
		t.Errorf("%+v", s)
	}
	want := []SetReport{{"near", "a", 0, 2, 3}, {"far", "c", 3, 1, 1}}
	if !reflect.DeepEqual(s.Sets, want) {
		t.Errorf("Sets %+v, want %+v", s.Sets, want)
	}
	for i, want := range []HostReport{
		{Set: "near", Ranks: []int{0, 2}, Machine: &Machine{Host: Host{Name: "a"}}},
		{Set: "near", Ranks: []int{1}, Machine: &Machine{Host: Host{Name: "b"}}},
		{Set: "far", Ranks: []int{3}, Machine: &Machine{Host: Host{Name: "c"}}},
	} {
		if h := s.Hosts[i]; h.Name != want.Name || h.Set != want.Set || !reflect.DeepEqual(h.Ranks, want.Ranks) {
			t.Errorf("host %d: %+v", i, h)
		}
	}
	for rank, r := range s.Ranks {
		if want := []string{"a", "b", "a", "c"}[rank]; r.Rank != rank || r.Host != want {
			t.Errorf("rank %d: %+v", rank, r)
		}
	}
}

// checkFigures looks at what was measured, as far as it must be so everywhere.
func checkFigures(t *testing.T, s *Survey) {
	t.Helper()
	fastest, best := 0.0, 0.0
	for _, h := range s.Hosts {
		if !(h.Usable > 0) || !(h.Share > 0 && h.Share <= 1) || !(h.Busy >= 0 && h.Busy <= 1) || h.Memory.Total <= 0 || h.Load.Over < testWatch.Seconds() {
			t.Errorf("%+v", h)
		}
		fastest, best = max(fastest, h.Relative), max(best, h.Effective)
	}
	if fastest != 1 || best != 1 {
		t.Errorf("the fastest host has %g, and ranks get at most %g of it", fastest, best)
	}
	for _, pair := range [][2]string{{"near", "near"}, {"near", "far"}, {"far", "near"}} {
		if l := s.Link(pair[0], pair[1]); l == nil || !(l.Latency > 0 && l.PerByte > 0 && l.Rate > 0) {
			t.Errorf("from %s to %s: %+v", pair[0], pair[1], l)
		}
	}
	if l := s.Link("far", "far"); l != nil {
		t.Errorf("a Set with one rank has a link: %+v", l)
	}
}

func TestSurveyWithoutLinks(t *testing.T) {
	plan := Plan{Watch: testWatch, Tolerance: time.Hour, Group: groupedAs(t, "a\n", []int{0}, []int{0})}
	surveys, failures := surveyed(mpi.InProcess(1), plan)
	if failures[0] != nil || len(surveys[0].Links) != 0 || surveys[0].Hosts[0].Route != nil {
		t.Errorf("%+v, %v", surveys[0], failures[0])
	}
}

// What rank 0 refuses ends all ranks, and only it says why.
func TestSurveyRefused(t *testing.T) {
	refusal := errors.New("no such host")
	plan := Plan{Watch: testWatch, Tolerance: time.Hour, Group: func([]hostfile.Task) (*hostfile.Grouping, error) { return nil, refusal }}
	surveys, failures := surveyed(mpi.InProcess(3), plan)
	for rank, want := range []error{refusal, ErrElsewhere, ErrElsewhere} {
		if surveys[rank] != nil || !errors.Is(failures[rank], want) {
			t.Errorf("rank %d: %v, want %v", rank, failures[rank], want)
		}
	}
}

// aborting ends the run once a rank has waited too long, as a program does. Only
// one of them is impatient.
func aborting(comms []mpi.Comm, plan Plan, impatient int) []error {
	failures := make([]error, len(comms))
	var all sync.WaitGroup
	for rank, comm := range comms {
		if comm == nil {
			continue
		}
		all.Go(func() {
			own := plan
			if rank != impatient {
				own.Tolerance = time.Hour
			}
			_, failures[rank] = Take(context.Background(), comm, own)
			comm.Abort(1)
		})
	}
	all.Wait()
	return failures
}

func TestSurveyNamesARankThatIsNotThere(t *testing.T) {
	for _, c := range []struct{ absent, impatient int }{{1, 0}, {2, 0}, {0, 2}} {
		comms := mpi.InProcess(3)
		comms[c.absent] = nil
		plan := Plan{Watch: testWatch, Tolerance: 20 * time.Millisecond, Group: groupedAs(t, "a slots=3\n", []int{0, 0, 0}, []int{0})}
		failure := aborting(comms, plan, c.impatient)[c.impatient]
		var silent *probe.SilentError
		if !errors.As(failure, &silent) || silent.Rank != c.absent {
			t.Errorf("without rank %d: %v", c.absent, failure)
		}
	}
}

// noting tells when its rank ends the run.
type noting struct {
	mpi.Comm
	aborted chan struct{}
}

func (n *noting) Abort(code int) {
	n.Comm.Abort(code)
	close(n.aborted)
}

// mute is a rank that sends nothing more after a while.
type mute struct {
	mpi.Comm
	left  int
	until chan struct{}
}

func (m *mute) Give(to int, on mpi.Channel, data []byte, copied bool) error {
	if m.left--; m.left < 0 {
		<-m.until
		return mpi.ErrAborted
	}
	return m.Comm.Give(to, on, data, copied)
}

func TestSurveyNamesARankThatFallsSilent(t *testing.T) {
	for _, c := range []struct {
		sends int
		what  string
	}{{0, "name its host"}, {2, "look at its files"}, {4, "watch load and network"}, {8, "measure their link"}} {
		comms := mpi.InProcess(3)
		until := make(chan struct{})
		comms[0] = &noting{comms[0], make(chan struct{})}
		comms[2] = &mute{Comm: comms[2], left: c.sends, until: until}
		plan := Plan{
			Watch: testWatch, Links: testLinks, Tolerance: 20 * time.Millisecond,
			Group: groupedAs(t, "#@set near\na slots=2\n#@set far\nb\n", []int{0, 0, 1}, []int{0, 2}),
		}
		var failures []error
		ended := make(chan struct{})
		go func() {
			failures = aborting(comms, plan, 0)
			close(ended)
		}()
		<-comms[0].(*noting).aborted
		close(until)
		<-ended
		var silent *probe.SilentError
		if !errors.As(failures[0], &silent) || silent.Rank != 2 || silent.Task != c.what || c.sends > 0 && silent.Host == "" {
			t.Errorf("after %d sends: %v", c.sends, failures[0])
		}
	}
}
