package placement

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/rebalancer"
)

// measured returns the profile of a run of lu in a ring, on one rank of each host, with the seconds that
// each process works in a superstep and the bytes that it sends to each neighbour.
func measured(steps int, bytes float64, hosts string, work ...float64) *Measured {
	p := &profile.Profile{
		Key:     profile.Key{Program: "lu", Parameters: []profile.Parameter{{Name: "n", Value: "1600"}}, Procs: len(work)},
		Written: time.Date(2026, 11, 28, 12, 0, 0, 0, time.Local), Classes: []profile.Class{{Supersteps: steps, Work: work, Recorded: 1}},
	}
	c := &p.Classes[0]
	for pid := range work {
		p.Mapping = append(p.Mapping, pid*len(hosts)/len(work))
		for _, to := range ring(len(work))(pid) {
			c.Traffic = append(c.Traffic, profile.Flow{From: pid, To: to, Bytes: bytes})
		}
	}
	for i, name := range hosts {
		p.Hosts, p.Ranks = append(p.Hosts, profile.Host{Name: string(name), Speed: 1, Share: 1}), append(p.Ranks, i)
	}
	return &Measured{p, true}
}

func equal(n int, work float64) []float64 { return slices.Repeat([]float64{work}, n) }

func TestByProfile(t *testing.T) {
	fast, slow := rebalancer.Link{Latency: 50e-6, PerByte: 8e-9}, rebalancer.Link{Latency: 20e-3, PerByte: 400e-9}
	p := clusters(fast, slow, []float64{0.5, 0.5, 0.5}, []float64{1, 0.5})
	const from = "from the profile of 28 Nov (lu -n 1600 -procs 16): "
	uneven := equal(16, 0.01)
	uneven[15] = 0.15 // as much as all others
	for _, c := range []struct {
		name    string
		profile *Measured
		want    string
	}{
		{"much work", measured(100, 8, "abcde", equal(16, 1)...), "3 processes on a, 3 on b, 3 on c, 4 on d, 3 on e"},
		{"many messages", measured(100, 1e6, "abcde", equal(16, 1e-4)...), "16 processes on d"},
		{"other hosts", measured(100, 1e6, "xyz", equal(16, 1e-4)...), "16 processes on d"},
		{"another load", measured(100, 8, "ab", uneven...), "15 processes on d, 1 on e"},
	} {
		got := (&Machine{Platform: p}).ByProfile(16, c.profile)
		if c.name == "another load" { // the process with most work has the fastest rank for itself, or nearly
			alone := counts(got.Where, 5)[got.Where[15]]
			if p.Ranks[got.Where[15]].Cores != 1 || alone > 4 || !strings.HasPrefix(got.Why, from) {
				t.Errorf("%s: %s", c.name, got.Why)
			}
			continue
		}
		if got.Why != from+c.want {
			t.Errorf("%s: %s, want %s", c.name, got.Why, c.want)
		}
	}
}

// A faster cluster, or a host that became slow since the profile, changes the start.
func TestByProfileOnTodaysHosts(t *testing.T) {
	link := rebalancer.Link{Latency: 1e-4, PerByte: 1e-8}
	m := measured(100, 8, "ab", equal(8, 1)...)
	for _, c := range []struct {
		shares []float64
		want   []int
	}{{[]float64{1, 1}, []int{4, 4}}, {[]float64{0.25, 0.75}, []int{2, 6}}, {[]float64{1, 1, 1, 1}, []int{2, 2, 2, 2}}} {
		got := (&Machine{Platform: clusters(link, link, c.shares)}).ByProfile(8, m)
		if n := counts(got.Where, len(c.shares)); !slices.Equal(n, c.want) {
			t.Errorf("shares %v: %v, want %v", c.shares, n, c.want)
		}
	}
}

// The states of the profile have to fit into the free memory of a host.
func TestByProfileFits(t *testing.T) {
	link := rebalancer.Link{Latency: 1e-2, PerByte: 1e-6}
	p := clusters(link, link, []float64{1, 1})
	m := measured(1000, 1e6, "ab", equal(8, 1e-3)...)
	m.States = slices.Repeat([]int64{1 << 20}, 8)
	for _, c := range []struct {
		free  int64
		alone bool
	}{{16 << 20, true}, {8 << 20, false}} {
		got := (&Machine{Platform: p, Room: Room{Free: []int64{c.free, c.free}}}).ByProfile(8, m)
		if alone := slices.Contains(counts(got.Where, 2), 8); alone != c.alone {
			t.Errorf("%d bytes are free: %s", c.free, got.Why)
		}
	}
}

// Requests choose between a profile, hints and speeds.
func TestDecide(t *testing.T) {
	link := rebalancer.Link{Latency: 1e-4, PerByte: 1e-8}
	m := &Machine{Platform: clusters(link, link, []float64{1, 0.5})}
	hints := &Work{Seconds: 1e-3, Supersteps: 1000, Sent: 1e6}
	exact, near := measured(100, 1e6, "ab", equal(8, 1e-4)...), measured(100, 1e6, "ab", equal(8, 1e-4)...)
	near.Exact = false
	short := measured(100, 8, "ab", equal(4, 1)...) // of fewer processes
	for _, c := range []struct {
		r     *Request
		links bool
		want  string
	}{
		{nil, true, "by speeds"}, {&Request{How: Speeds, Work: hints}, true, "by speeds"}, {&Request{Work: hints}, false, "by speeds"},
		{&Request{Work: hints, Profile: exact}, true, "from the profile"}, {&Request{Work: hints, Profile: near}, true, "by the program's hints"},
		{&Request{Profile: near}, true, "from the profile"}, {&Request{Profile: short}, true, "by speeds"}, {&Request{}, true, "by speeds"},
	} {
		if got := m.Decide(8, c.r, c.links); !strings.HasPrefix(got.Why, c.want) {
			t.Errorf("%+v with links %v: %s, want %s", c.r, c.links, got.Why, c.want)
		}
	}
}

// Process 0 of a program that has begun it stays on rank 0 in every start.
func TestDecideAnchored(t *testing.T) {
	link := rebalancer.Link{Latency: 1e-2, PerByte: 1e-6}
	m := &Machine{Platform: clusters(link, link, []float64{0.5, 1}), Anchored: true}
	got := m.ByProfile(8, measured(1000, 1e6, "ab", equal(8, 1e-3)...))
	if want := counts(got.Where, 2); got.Where[0] != 0 || !slices.Equal(want, []int{8, 0}) {
		t.Errorf("%v: all of the processes belong to process 0", got.Where)
	}
}
