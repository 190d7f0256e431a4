package probe

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

func TestMeasureAvailable(t *testing.T) {
	const over = 5 * time.Millisecond
	a, err := MeasureAvailable(context.Background(), over)
	if errors.Is(err, ErrNoThreadClock) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil || !(a.Share > 0 && a.Share <= 1) || a.Over < over.Seconds() || a.Away < 0 || a.Away > a.Over {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestMeasuringAvailableEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if a, err := MeasureAvailable(ctx, time.Hour); err == nil || a.Share != 0 && a.Over > 3600 {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAvailableOf(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name              string
		passed, ran, away time.Duration
		want              Available
	}{
		{"a core", 100 * ms, 100 * ms, 0, Available{Share: 1, Over: 0.1}},
		{"a quarter", 100 * ms, 25 * ms, 50 * ms, Available{Share: 0.25, Away: 0.05, Over: 0.1}},
		{"the clocks differ", 100 * ms, 101 * ms, 0, Available{Share: 1, Over: 0.1}},
		{"nothing", 0, 0, 0, Available{}},
	} {
		if got := availableOf(c.passed, c.ran, c.away); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestWorkShowsWhatARankGets(t *testing.T) {
	s := CoreShare(1)
	near := func(want float64) {
		t.Helper()
		if got := s.Value(); math.Abs(got-want) > 1e-6 {
			t.Errorf("%g, want %g", got, want)
		}
	}
	s.Observe(believed/4, believed, false, false)
	near((1 + 0.25) / 2)
	s.Observe(250*time.Hour, 1000*time.Hour, false, false)
	near(0.25)
	s.Limit(0.5)
	near(0.25)
	s.Limit(0.125)
	near(0.125)
	s.Observe(0, 1000*time.Hour, false, false)
	near(leastShare)
}

// A rank whose share halves shows it within a superstep, before the new times outweigh the earlier
// ones. A rank with an unchanged share keeps it.
func TestAChangeIsNotAveragedWithTheTimeBefore(t *testing.T) {
	for _, quota := range []bool{false, true} {
		s := CoreShare(0.2)
		s.Observe(11*time.Millisecond, 110*time.Millisecond, true, quota)
		if got := s.Value(); got > 0.115 {
			t.Errorf("a rank that got a fifth and gets a tenth is believed to get %g", got)
		}
		s = 0.2
		s.Observe(9*time.Millisecond, 55*time.Millisecond, true, quota)
		if got := s.Value(); got < 0.19 {
			t.Errorf("a rank that got a fifth, and a sixth in one superstep, is believed to get %g", got)
		}
	}
}

// A rank with a quota that was idle for some milliseconds may have used it up: that is no change.
func TestAQuotaThatIsUsedUpIsNoChange(t *testing.T) {
	for _, c := range []struct {
		quota     bool
		at, least float64
	}{{true, 0.4, 0.36}, {false, 0.12, 0}} {
		s := CoreShare(0.4)
		s.Observe(300*time.Microsecond, 4*time.Millisecond, true, c.quota)
		if got := s.Value(); got > c.at || got < c.least {
			t.Errorf("quota %t: a rank that got 0.4 of its core, and 0.075 of it for 4 ms, is believed to get %g", c.quota, got)
		}
	}
	begin, s := time.Now(), CoreShare(0)
	if s.Burst(longestBurst, true); time.Since(begin) < QuotaPeriod/4 && s > 0.25 {
		t.Errorf("after a burst of milliseconds a rank that had nothing is believed to get %g", s)
	}
}

func TestABurstNeedsTime(t *testing.T) {
	s := CoreShare(0.123)
	if s.Burst(shortestBurst-1, false); s != 0.123 {
		t.Errorf("without time the share is %g, want what was known", s)
	}
	begin := time.Now()
	s.Burst(time.Hour, false)
	if _, ok := threadTime(); ok && (s == 0.123 || !(s > 0 && s <= 1)) {
		t.Errorf("after a burst of work: %g", s)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("a burst of %v", took)
	}
}

// Quota and free memory are looked up once a second.
func TestKnown(t *testing.T) {
	comm := mpi.InProcess(1)[0]
	var q KnownQuota
	want := RankQuota(comm)
	if got := q.Of(comm); got != want {
		t.Errorf("the quota is %v, want %v", got, want)
	}
	if q.known.value = -1; q.Of(comm) != -1 {
		t.Error("it is looked up twice within a second")
	}
	if q.known.at = q.known.at.Add(-2 * time.Second); q.Of(comm) != want {
		t.Errorf("after two seconds it is %v, want %v", q.known.value, want)
	}
	if free := new(FreeMemory).Bytes(); free == 0 {
		t.Error("free memory of 0 bytes: unknown is -1")
	}
}
