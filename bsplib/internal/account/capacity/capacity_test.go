package capacity

import (
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

const ms = time.Millisecond

// machineWith returns a machine that grants a rank part of a core.
func machineWith(quota float64, seen *probe.Contention) func() Look {
	return func() Look { return Look{Contention: *seen, Quota: quota, Shared: 2 * quota} }
}

// A rank samples its machine once a second, or in intervals of lookShare times the cost of a
// sample if that is longer, and at the end.
func TestLooks(t *testing.T) {
	wall, took := time.Duration(0), ms
	m := machineWith(1, new(probe.Contention))
	now := func() time.Duration {
		wall += took / 2
		return wall
	}
	l := NewLooker(m)
	looks := 0
	for wall < time.Minute {
		wall += 100 * ms
		looks += len(l.Look(now, false))
	}
	if looks < 50 || looks > 61 {
		t.Errorf("%d looks in a minute", looks)
	}
	took = 4 * ms
	if looks = 0; len(l.Look(now, true)) != 1 {
		t.Error("no look at the end")
	}
	for end := wall + time.Minute; wall < end; wall += 100 * ms {
		looks += len(l.Look(now, false))
	}
	if looks < 10 || looks > 16 {
		t.Errorf("%d looks in a minute where each takes 2 ms", looks)
	}
}

// The share follows the recent past, and never exceeds the quota, because a rank with little
// work gets the whole core until its quota is exhausted.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		name  string
		quota float64
		see   [][2]float64 // seconds of CPU time and of work
		want  float64
	}{
		{"nothing seen", 0.3, nil, 0.3},
		{"shared with another program", 1, [][2]float64{{5, 10}}, 0.5},
		{"bursts", 0.2, [][2]float64{{1, 1}, {1, 1}}, 0.2},
		{"a host that has become slow", 1, [][2]float64{{10, 10}, {2, 100}}, 0.02},
		{"a superstep without work", 1, [][2]float64{{5, 10}, {0, 0}}, 0.5},
		{"no time at all", 1, [][2]float64{{0, 1000}}, leastShare},
	} {
		r := Rank{quota: c.quota}
		for _, s := range c.see {
			r.Worked(time.Duration(s[1]*float64(time.Second)), time.Duration(s[0]*float64(time.Second)))
		}
		if got := r.share(); math.Abs(got-c.want) > 0.2*c.want {
			t.Errorf("%s: %.4f, want %.4f", c.name, got, c.want)
		}
	}
}

// Lost time is attributed by the kernel's counters. The parts never exceed the lost time.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		name  string
		lost  float64 // in addition to a second of CPU time
		quota float64
		seen  probe.Contention
		r     rivals
		want  ledger.Denied
	}{
		{name: "nothing is known", lost: 3, want: ledger.Denied{Other: 3}},
		{name: "nothing was lost", seen: probe.Contention{Delay: 5, Throttled: 5, Stolen: 1}},
		{name: "less than nothing", lost: -1},
		{name: "a quota", lost: 4, seen: probe.Contention{Delay: 4, Throttled: 4}, r: rivals{programs: 9}, want: ledger.Denied{Throttled: 4}},
		{name: "more than was lost", lost: 2, seen: probe.Contention{Delay: 6, Throttled: 3, Stolen: 1}, r: rivals{ranks: 2, programs: 1},
			want: ledger.Denied{Throttled: 6. / 7, Stolen: 2. / 7, Shared: 4. / 7, Foreign: 2. / 7}},
		{name: "less", lost: 10, seen: probe.Contention{Delay: 4}, r: rivals{ranks: 3, programs: 1}, want: ledger.Denied{Shared: 3, Foreign: 1, Other: 6}},
		{name: "of several ranks of a process", lost: 10, seen: probe.Contention{Delay: 8}, r: rivals{ranks: 1, together: 4}, want: ledger.Denied{Shared: 2, Other: 8}},
		{name: "a quota that is used up while others have the core", lost: 9, quota: 0.1, seen: probe.Contention{Delay: 9, Throttled: 2}, r: rivals{programs: 1},
			want: ledger.Denied{Throttled: 9}},
		{name: "others leave half of a quota", lost: 9, quota: 0.2, seen: probe.Contention{Delay: 9, Throttled: 1}, r: rivals{programs: 1},
			want: ledger.Denied{Throttled: 4, Foreign: 5}},
		{name: "a program that sleeps", lost: 9, quota: 0.5, seen: probe.Contention{Delay: 0.1}, want: ledger.Denied{Throttled: 0.1, Other: 8.9}},
		{name: "a quota that is far away", lost: 1, quota: 0.2, seen: probe.Contention{Delay: 1}, r: rivals{programs: 1}, want: ledger.Denied{Foreign: 1}},
	} {
		got := divide(1+c.lost, 1, c.quota, c.seen, c.r)
		for i, part := range got.Causes() {
			if want := c.want.Causes()[i].Seconds; math.Abs(part.Seconds-want) > 1e-12 {
				t.Errorf("%s: %s %g s, want %g", c.name, part.Name, part.Seconds, want)
			}
		}
	}
}
