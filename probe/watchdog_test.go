package probe

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestWatchdog(t *testing.T) {
	var w Watchdog
	if err := w.overdue(); err != nil {
		t.Errorf("before any wait: %v", err)
	}
	w.Await(2, "name its host", time.Hour)
	if err := w.overdue(); err != nil {
		t.Error(err)
	}
	w.Introduce([]string{"a", "b", "c"})
	w.Await(2, "name its host", 0)
	var silent *SilentError
	if err := w.overdue(); !errors.As(err, &silent) || silent.Rank != 2 || silent.Host != "c" {
		t.Errorf("%+v", err)
	}
	w.excuse(time.Hour)
	if err := w.overdue(); err != nil {
		t.Errorf("after this process was stopped: %v", err)
	}
	w.Await(-1, "come", 0)
	if err := w.overdue(); err != nil {
		t.Errorf("a wait for several ranks ends before those for one: %v", err)
	}
	w.excuse(-gracePeriod)
	if err := w.overdue(); !errors.As(err, &silent) || silent.Rank != -1 {
		t.Errorf("%+v", err)
	}
	w.Await(2, "name its host", 0)
	w.Work()
	if err := w.overdue(); err != nil {
		t.Errorf("while it works: %v", err)
	}
}

func TestWatchEndsWithWhatItWatches(t *testing.T) {
	var w Watchdog
	done := make(chan struct{})
	close(done)
	if err := w.Watch(context.Background(), done); err != nil {
		t.Errorf("when all is done: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.Watch(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("when it is cancelled: %v", err)
	}
	w.Await(1, "answer", time.Millisecond)
	var silent *SilentError
	if err := w.Watch(context.Background(), nil); !errors.As(err, &silent) || silent.Rank != 1 || silent.Task != "answer" {
		t.Errorf("when a rank is silent: %v", err)
	}
}

func TestSilentErrorNamesTheRank(t *testing.T) {
	for want, e := range map[string]SilentError{
		"rank 2 on host beta1 has not answered for 1.5s, when it was to compute": {Rank: 2, Host: "beta1", Task: "compute", After: 1500 * time.Millisecond},
		"rank 0 has not answered for 2s, when it was to begin":                   {Task: "begin", After: 2 * time.Second},
		"a rank has not answered for 1m0s, when it was to measure links":         {Rank: -1, Host: "x", Task: "measure links", After: time.Minute},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
