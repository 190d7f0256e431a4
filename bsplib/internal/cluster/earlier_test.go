package cluster

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// written returns a profile with three hosts in two Sets.
func written() *profile.Profile {
	at := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	return &profile.Profile{
		Key: profile.Key{Program: "lu", Procs: 1}, Written: at, Seconds: 100, Supersteps: 1,
		Hosts: []profile.Host{
			{Name: "a1", Set: "a", Speed: 1, Share: 1, Line: 1e-9}, {Name: "a2", Set: "a", Speed: 1, Share: 1}, {Name: "b1", Set: "b", Speed: 1, Share: 1},
		},
		Ranks: []int{0}, Mapping: []int{0}, Classes: []profile.Class{{Supersteps: 1, Work: []float64{1}}},
		Links: []profile.Link{
			{From: 0, To: 1, Latency: 1e-4, PerByte: 1e-9, Measured: at}, {From: 0, To: 2, Latency: 0.02, PerByte: 4e-7, Measured: at.Add(-time.Hour)},
			{From: 2, To: 0, Latency: 0.02, PerByte: 5e-7, Measured: at},
		},
	}
}

// Links and Sets of an earlier run are reused on the same hosts in any order until they are too
// old.
func TestLinksOfEarlierRuns(t *testing.T) {
	store := &profile.Store{Dir: t.TempDir()}
	hosts := []string{"b1", "a2", "a1", "a1"}
	s := Settings{MPI: true, Moves: true, Share: 0.005, Profiles: store}
	if p := lately(s, hosts); p != nil || setsOf(p, hosts) != nil {
		t.Errorf("an empty store has %v", p)
	}
	must.Do(t, store.Save(written()))
	p := lately(s, hosts)
	if near := setsOf(p, hosts); !slices.Equal(near, []int{0, 1, 1, 1}) {
		t.Errorf("groups are %v", near)
	}
	g := &grouping{Platform: rebalancer.Platform{Sets: []rebalancer.Set{{Name: "x"}, {Name: "y"}}, Ranks: []rebalancer.Rank{{Set: 0}, {Set: 1}, {Set: 1}, {Set: 1}}}}
	g.remember(p, hosts, 100, true)
	var plan probe.Plan
	g.Earlier.tell(&plan)
	known := [][]probe.Way{{{}, {Latency: 0.02, PerByte: 5e-7}}, {{Latency: 0.02, PerByte: 4e-7}, {Latency: 1e-4, PerByte: 1e-9}}}
	if !reflect.DeepEqual(plan.Known, known) || !slices.Equal(plan.KnownLines, []float64{0, 0, 1e-9, 1e-9}) || plan.Budget != time.Second || !plan.KnownAt.Equal(p.Written.Add(-time.Hour)) {
		t.Errorf("%+v", plan)
	}

	if p := lately(s, hosts[1:]); p != nil {
		t.Errorf("other hosts: %v", p)
	}
	off := s
	off.Moves = false
	if p := lately(off, hosts); p != nil {
		t.Errorf("processes that do not move: %v", p)
	}
	for _, age := range []time.Duration{2 * linkAge, -2 * time.Hour} {
		old := written()
		old.Links[0].Measured = time.Now().Add(-age)
		must.Do(t, store.Save(old))
		if p := lately(s, hosts); p != nil {
			t.Errorf("links that are %v old: %v", age, p)
		}
	}
	changed := written()
	changed.Hosts[1].Set = ""
	if near := setsOf(changed, hosts); near != nil {
		t.Errorf("groups that have changed: %v", near)
	}
	fresh := new(grouping)
	fresh.remember(nil, hosts, 0, false)
	if fresh.Earlier.Budget != leastMeasuring {
		t.Errorf("without a profile the budget is %v", fresh.Earlier.Budget)
	}
}

// A profile of other hosts with the same digest is not used.
func TestLinksOfHostsWithTheSameDigest(t *testing.T) {
	store := &profile.Store{Dir: t.TempDir()}
	of := func(host string) *profile.Profile {
		p := written()
		p.Hosts, p.Links = p.Hosts[:2], p.Links[:1]
		p.Hosts[0].Name = host
		return p
	}
	seen := make(map[string]string)
	for i := 0; ; i++ {
		host := fmt.Sprint("host", i)
		p := of(host)
		other, same := seen[p.ID()]
		if seen[p.ID()] = host; !same {
			continue
		}
		must.Do(t, store.Save(p))
		s := Settings{MPI: true, Moves: true, Share: 0.005, Profiles: store}
		if p := lately(s, []string{other, "a2"}); p != nil {
			t.Errorf("%s has the profile of %s", other, host)
		}
		return
	}
}

// If only the latency of a link is known, its rate is the lower bound for TCP, unless declared.
func TestRatesThatAreNotKnown(t *testing.T) {
	declared := rebalancer.Link{Latency: 1e-3, PerByte: 2e-8}
	p := &rebalancer.Platform{Links: [][]rebalancer.Link{{DefaultLink, DefaultLink}, {declared, DefaultLink}}}
	unknownRate(p, [][]rebalancer.Link{{{Latency: 1e-5}, {Latency: 0.02}}, {{Latency: 0.02}, {Latency: 0.02, PerByte: 1e-6}}})
	want := [][]rebalancer.Link{{DefaultLink, {Latency: DefaultLink.Latency, PerByte: 2 * 0.02 / window}}, {declared, DefaultLink}}
	if !reflect.DeepEqual(p.Links, want) {
		t.Errorf("%v, want %v", p.Links, want)
	}
}
