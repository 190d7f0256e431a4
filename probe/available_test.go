package probe

import (
	"context"
	"errors"
	"testing"
	"time"
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
