package laps

import (
	"testing"
	"time"
)

// The effect of a disturbance on short work is excluded. Long work, work with waits and growing
// work are unchanged.
func TestWorkWithoutDisturbances(t *testing.T) {
	const us = time.Microsecond
	lap := func(work, lost time.Duration) Lap { return Lap{Work: work, Span: work + lost} }
	for _, test := range []struct {
		name string
		laps []Lap
		want time.Duration // of the last lap
	}{
		{"nothing is known yet", []Lap{lap(100*us, 500*us)}, 100 * us},
		{"no disturbance", []Lap{lap(20*us, 0), lap(100*us, 5*us)}, 100 * us},
		{"a disturbance", []Lap{lap(20*us, 0), lap(100*us, 500*us)}, 20 * us},
		{"a disturbance of less work", []Lap{lap(20*us, 0), lap(15*us, 500*us)}, 15 * us},
		{"the last clear work counts", []Lap{lap(20*us, 0), lap(100*us, 500*us), lap(40*us, 0), lap(100*us, 500*us)}, 40 * us},
		{"more than caches take", []Lap{lap(20*us, 0), lap(300*us, 500*us)}, 300 * us},
		{"long work", []Lap{lap(10_000*us, 0), lap(10_050*us, 500*us)}, 10_000 * us},
		{"a wait", []Lap{lap(20*us, 0), {Work: 120 * us, Span: 600 * us, Waited: 100 * us}}, 120 * us},
	} {
		c, got := Clear{}, time.Duration(0)
		for _, l := range test.laps {
			got = c.Work(l, 7)
		}
		if got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Each site has its own estimate, up to a maximum number of sites.
func TestClearWorkBySite(t *testing.T) {
	c := Clear{}
	for site := range uintptr(1000) {
		c.Work(Lap{Work: time.Duration(site), Span: time.Duration(site)}, site)
	}
	if len(c) != mostSites {
		t.Errorf("%d sites are kept, want %d", len(c), mostSites)
	}
	for _, site := range []uintptr{3, 12} {
		if got := c.Work(Lap{Work: time.Microsecond, Span: time.Millisecond}, site); got != time.Duration(site) {
			t.Errorf("site %d: %v, want %v", site, got, time.Duration(site))
		}
	}
}

// Growing work is detected after some laps even if all laps are disturbed.
func TestClearWorkGrows(t *testing.T) {
	c := Clear{}
	c.Work(Lap{Work: 20 * time.Microsecond, Span: 20 * time.Microsecond}, 1)
	laps, work := 0, time.Duration(0)
	for ; work < 80*time.Microsecond && laps < 1000; laps++ {
		work = c.Work(Lap{Work: 80 * time.Microsecond, Span: time.Millisecond}, 1)
	}
	if laps < 10 || laps > 40 {
		t.Errorf("four times the work is seen after %d laps", laps)
	}
}
