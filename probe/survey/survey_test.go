package survey

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/internal/kernel/kerneltest"
)

const (
	testWatch = 10 * time.Millisecond
	testLinks = 40 * time.Millisecond
)

// groupedAs puts the ranks on the given hosts, regardless of their names.
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

// surveyed returns the results of the ranks of comms. A rank with a nil Comm does not run.
func surveyed(comms []mpi.Comm, take func(rank int, comm mpi.Comm) (*Survey, error)) ([]*Survey, []error) {
	surveys, failures := make([]*Survey, len(comms)), make([]error, len(comms))
	var all sync.WaitGroup
	for rank, comm := range comms {
		if comm == nil {
			continue
		}
		all.Go(func() { surveys[rank], failures[rank] = take(rank, comm) })
	}
	all.Wait()
	return surveys, failures
}

// with surveys as planned.
func with(plan Plan) func(int, mpi.Comm) (*Survey, error) {
	return func(_ int, comm mpi.Comm) (*Survey, error) { return Take(context.Background(), comm, plan) }
}

const testHosts = "#@set near manager=a\na slots=2\nb\n#@set far\nc\n"

func TestSurvey(t *testing.T) {
	plan := Plan{Watch: testWatch, Links: testLinks, Tolerance: time.Hour, Group: groupedAs(t, testHosts, []int{0, 1, 0, 2}, []int{0, 3})}
	surveys, failures := surveyed(mpi.InProcess(4), with(plan))
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

// checkFigures checks the measurements, within the limits that hold on every machine.
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
	surveys, failures := surveyed(mpi.InProcess(1), with(plan))
	if failures[0] != nil || len(surveys[0].Links) != 0 || surveys[0].Hosts[0].Route != nil {
		t.Errorf("%+v, %v", surveys[0], failures[0])
	}
}

// A refusal by rank 0 ends all ranks, and only rank 0 returns the reason.
func TestSurveyRefused(t *testing.T) {
	refusal := errors.New("no such host")
	plan := Plan{Watch: testWatch, Tolerance: time.Hour, Group: func([]hostfile.Task) (*hostfile.Grouping, error) { return nil, refusal }}
	surveys, failures := surveyed(mpi.InProcess(3), with(plan))
	for rank, want := range []error{refusal, ErrElsewhere, ErrElsewhere} {
		if surveys[rank] != nil || !errors.Is(failures[rank], want) {
			t.Errorf("rank %d: %v, want %v", rank, failures[rank], want)
		}
	}
}

// aborting ends the run once a rank has waited too long, as a program does. Only
// one of them is impatient.
func aborting(comms []mpi.Comm, plan Plan, impatient int) []error {
	_, failures := surveyed(comms, func(rank int, comm mpi.Comm) (*Survey, error) {
		defer comm.Abort(1)
		own := plan
		if rank != impatient {
			own.Tolerance = time.Hour
		}
		return Take(context.Background(), comm, own)
	})
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

// noting closes aborted when its rank ends the run.
type noting struct {
	mpi.Comm
	aborted chan struct{}
}

func (n *noting) Abort(code int) {
	n.Comm.Abort(code)
	close(n.aborted)
}

// mute is a rank that stops sending after a while.
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

// platform returns a survey of three hosts in two Sets.
func platform() *Survey {
	way := func(latency, rate float64) (probe.Way, float64) {
		return probe.Way{Latency: latency, PerByte: 1 / rate}, rate
	}
	link := func(from, to string, latency, rate float64) LinkReport {
		w, r := way(latency, rate)
		return LinkReport{From: from, To: to, Way: w, Rate: r}
	}
	host := func(name, set string, effective float64, ranks ...int) HostReport {
		return HostReport{Machine: &Machine{Host: Host{Name: name}}, Set: set, Ranks: ranks, Effective: effective}
	}
	return &Survey{
		Sets:  []SetReport{{"near", "a", 0, 2, 3}, {"far", "c", 3, 1, 1}},
		Hosts: []HostReport{host("a", "near", 1, 0, 2), host("c", "far", 0.123456, 3), host("b", "near", 0.5, 1)},
		Links: []LinkReport{
			link("near", "near", 30.04e-6, 1.2345e9), link("near", "far", 5e-3, 12.5e6), link("far", "near", 6e-3, 92.91e6/8),
		},
	}
}

// The written host file can be read, is a platform to emulate, and contains the measurements.
func TestHostFileOfASurvey(t *testing.T) {
	var text strings.Builder
	must.Get(platform().HostFile().WriteTo(&text))(t)
	f, err := hostfile.Parse("measured", strings.NewReader(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	if !f.Emulated() || f.Ranks() != 4 || len(f.Warnings) > 0 {
		t.Errorf("emulated %v, %d ranks, %v\n%s", f.Emulated(), f.Ranks(), f.Warnings, text.String())
	}
	speeds := map[string]float64{}
	for _, h := range f.Hosts {
		speeds[h.Name+" in "+f.Sets[h.Set].Name] = h.Speed
	}
	if want := map[string]float64{"a in near": 1, "c in far": 0.123, "b in near": 0.5}; !reflect.DeepEqual(speeds, want) {
		t.Errorf("speeds %v, want %v", speeds, want)
	}
	must.Have(t, text.String(), "#@set near manager=a rate=9.88Gb/s latency=30us", "#@link near far rate=92.9Mb/s latency=5.5ms")
}

func TestRounding(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{rounded(1234.5), 1230}, {rounded(0.00098765), 0.000988}, {rounded(0), 0},
		{roundSpeed(0), 1e-3}, {roundSpeed(1.01), 1}, {roundSpeed(0.7777), 0.778},
		{roundRate(0), 1e15 / 8}, {roundRate(1e30), 1e15 / 8}, {roundRate(1e-9), 1.0 / 8}, {roundRate(125e6), 125e6}, {roundRate(92.91e6 / 8), 92.9e6 / 8},
		{roundLatency(-1).Seconds(), 0}, {roundLatency(1e9).Seconds(), 3600}, {roundLatency(12.3456e-6).Seconds(), 12.3e-6},
	} {
		if c.got != c.want {
			t.Errorf("%g, want %g", c.got, c.want)
		}
	}
}

func TestThisMachine(t *testing.T) {
	m := This(context.Background(), 20*time.Millisecond)
	for name, rate := range map[string]probe.Rate{"dependent": m.Speed.Dependent, "independent": m.Speed.Independent, "copy": m.Speed.Copy} {
		if !(rate.PerSecond > 1e6) || math.IsInf(rate.PerSecond, 0) || !(rate.Spread >= 0) {
			t.Errorf("%s: %+v", name, rate)
		}
	}
	if m.Speed.Independent.PerSecond < m.Speed.Dependent.PerSecond {
		t.Errorf("operations that wait are faster than those that do not: %+v", m.Speed)
	}
	if m.Name == "" || m.Cores.Allowed < 1 || m.Memory.Total < m.Memory.Available || m.Memory.Available <= 0 {
		t.Errorf("%+v", m)
	}
	if m.Load.Others < m.Load.Stolen || m.Load.Others > 1 {
		t.Errorf("load %+v", m.Load)
	}
	if _, err := json.Marshal(m); err != nil {
		t.Error(err)
	}
}

func TestHostFromFiles(t *testing.T) {
	h := ThisHost(kerneltest.Files("proc/cpuinfo", "processor : 0\nmodel name\t: Fast 9000\n", "proc/sys/kernel/osrelease", "6.1.0\n"))
	if h.Processor != "Fast 9000" || h.Kernel != "6.1.0" || h.Platform == "" {
		t.Errorf("%+v", h)
	}
}

// Unreadable files are reported, and the other figures are found nevertheless.
func TestMachineWithoutFiles(t *testing.T) {
	m := lookAt(kerneltest.Files(kerneltest.Status, "Cpus_allowed_list:\t0-3\n")).machine
	if m.Cores.Allowed != 4 || len(m.Missing) != 1 || !strings.HasPrefix(m.Missing[0], "control groups: ") {
		t.Errorf("%+v", m)
	}
	if m := lookAt(kerneltest.Files()).machine; m.Cores.Allowed < 1 || len(m.Missing) != 2 {
		t.Errorf("without any: %+v", m)
	}
}

// Both methods to ask for a route agree on their common fields.
func TestRouteToThisMachine(t *testing.T) {
	to := netip.MustParseAddr("127.0.0.1")
	plain, err := routeBySocket(net.IP(to.AsSlice()))
	if err != nil {
		t.Skip("SKIPPED: this machine has no loopback: ", err)
	}
	route, err := RouteTo(to)
	if err != nil {
		t.Log("SKIPPED: without netlink there is nothing to compare: ", err)
	}
	if route != plain || route.Interface == "" || route.MTU <= 0 {
		t.Errorf("%+v, by a socket %+v", route, plain)
	}
}

func TestRouteToNowhere(t *testing.T) {
	for _, to := range []netip.Addr{{}, netip.MustParseAddr("ff02::1%nowhere")} {
		if route, err := RouteTo(to); err == nil && to.IsValid() == false {
			t.Errorf("%v: %+v", to, route)
		}
	}
}

func TestAddressOf(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		host string
		told []string
		want string // "" for an error
	}{
		{"192.0.2.7", []string{"192.0.2.8"}, "192.0.2.7"},
		{"127.0.0.1", []string{"x", "192.0.2.8", "192.0.2.9"}, "192.0.2.8"},
		{"127.0.0.1", nil, ""},
		{"no host.invalid", []string{"2001:db8::1"}, "2001:db8::1"},
		{"no host.invalid", nil, ""},
	} {
		got, err := addressOf(ctx, c.host, c.told)
		if (err == nil) != (c.want != "") || err == nil && got.String() != c.want {
			t.Errorf("%s, told %v: %v, %v, want %q", c.host, c.told, got, err, c.want)
		}
	}
}

func TestThrottling(t *testing.T) {
	const (
		version1 = "nr_periods 10\nnr_throttled 4\nthrottled_time 2500000000\nnr_bursts 0\n"
		version2 = "usage_usec 77\nnr_periods 20\nnr_throttled 5\nthrottled_usec 1500000\n"
		noQuota  = "usage_usec 77\nuser_usec 7\n"
	)
	for _, c := range []struct {
		name string
		root fstest.MapFS
		want *Throttling
	}{
		{"no files", kerneltest.Files(), nil},
		{"version 1", kerneltest.Files(kerneltest.Group, "1:cpu,cpuacct:/j\n", "sys/fs/cgroup/cpu/j/cpu.stat", version1), &Throttling{10, 4, 2.5}},
		{"version 2", kerneltest.Files(kerneltest.Group, "0::/j\n", "sys/fs/cgroup/j/cpu.stat", version2), &Throttling{20, 5, 1.5}},
		{"version 2, no quota can be set", kerneltest.Files(kerneltest.Group, "0::/\n", "sys/fs/cgroup/cpu.stat", noQuota), nil},
		{
			"the group above waits for longer",
			kerneltest.Files(kerneltest.Group, "1:cpu:/a/b\n", "sys/fs/cgroup/cpu/a/b/cpu.stat", "nr_periods 30\nnr_throttled 0\nthrottled_time 0\n", "sys/fs/cgroup/cpu/a/cpu.stat", version1),
			&Throttling{10, 4, 2.5},
		},
		{"numbers that are none", kerneltest.Files(kerneltest.Group, "0::/\n", "sys/fs/cgroup/cpu.stat", "nr_periods x\nnr_throttled -3\nthrottled_usec\n"), nil},
	} {
		got := throttledGroups(c.root).worst(nil)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestThrottlingBetweenLooks(t *testing.T) {
	before := throttled{"a": {Periods: 10, Throttled: 4, Time: 2}, "b": {Periods: 10, Throttled: 9, Time: 9}}
	after := throttled{"a": {Periods: 14, Throttled: 6, Time: 2.5}, "b": {Periods: 11, Throttled: 9, Time: 9}}
	if got := after.worst(before); *got != (Throttling{4, 2, 0.5}) {
		t.Errorf("%+v", got)
	}
	// A group that was removed and made again under its name counts from 0.
	if got := (throttled{"b": {Periods: 1}}).worst(before); *got != (Throttling{}) {
		t.Errorf("made anew: %+v", got)
	}
}

func FuzzThrottling(f *testing.F) {
	f.Add("nr_periods 10\nnr_throttled 4\nthrottled_time 2500000000\n")
	f.Add("nr_periods 9223372036854775807\nthrottled_usec 9223372036854775807")
	f.Add(" nr_periods\n\n x y z\nnr_periods -1")
	f.Fuzz(func(t *testing.T, text string) {
		got := throttledGroups(kerneltest.Files(kerneltest.Group, "0::/\n", "sys/fs/cgroup/cpu.stat", text)).worst(nil)
		if got != nil && !(got.Periods >= 0 && got.Throttled >= 0 && got.Time >= 0 && !math.IsInf(got.Time, 0)) {
			t.Errorf("%+v", got)
		}
	})
}

func TestUsedOn(t *testing.T) {
	single := []cpu.TimesStat{
		{CPU: "cpu0", User: 1, System: 1, Idle: 2},
		{CPU: "cpu2", User: 3, Steal: 1, Iowait: 4},
		{CPU: "cpu10", User: 50},
	}
	for _, c := range []struct {
		name  string
		cores []int
		want  used
		fails bool
	}{
		{"one", []int{0}, used{all: 4, busy: 2}, false},
		{"two", []int{0, 2}, used{all: 12, busy: 6, stolen: 1}, false},
		{"one that is not there", []int{0, 1}, used{}, true},
		{"not known", nil, used{}, true},
	} {
		got, err := usedOn(single, c.cores)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestWatchingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := WatchLoad(ctx, time.Hour); err == nil {
		t.Error("no error")
	}
}

func TestOthers(t *testing.T) {
	for _, c := range []struct {
		name         string
		change       used
		busy, stolen float64
	}{
		{"idle", used{all: 8}, 0, 0},
		{"only this process", used{all: 8, busy: 4, own: 4}, 0, 0},
		{"both", used{all: 8, busy: 4, own: 2}, 0.25, 0},
		{"stolen", used{all: 8, busy: 4, own: 2, stolen: 1}, 0.25, 0.125},
		{"own time runs ahead", used{all: 8, busy: 2, own: 3}, 0, 0},
		{"more is stolen than is left", used{all: 8, busy: 2, own: 2, stolen: 1}, 0.125, 0.125},
		{"no time has passed", used{busy: 2}, 0, 0},
	} {
		before := used{all: 100, busy: 50, own: 10, stolen: 5}
		after := used{all: 100 + c.change.all, busy: 50 + c.change.busy, own: 10 + c.change.own, stolen: 5 + c.change.stolen}
		if busy, stolen := others(before, after); busy != c.busy || stolen != c.stolen {
			t.Errorf("%s: %g, %g, want %g, %g", c.name, busy, stolen, c.busy, c.stolen)
		}
	}
}
