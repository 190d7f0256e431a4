package probe

import (
	"errors"
	"testing"
	"time"
)

func TestVigil(t *testing.T) {
	var v vigil
	v.await(2, "name its host", time.Hour)
	if err := v.overdue(); err != nil {
		t.Error(err)
	}
	v.introduce([]string{"a", "b", "c"})
	v.await(2, "name its host", 0)
	var silent *SilentError
	if err := v.overdue(); !errors.As(err, &silent) || silent.Rank != 2 || silent.Host != "c" {
		t.Errorf("%+v", err)
	}
	v.forgive(time.Hour)
	if err := v.overdue(); err != nil {
		t.Errorf("after this process was stopped: %v", err)
	}
	v.await(2, "name its host", 0)
	v.work()
	if err := v.overdue(); err != nil {
		t.Errorf("while it works: %v", err)
	}
}

func TestSilentErrorNamesTheRank(t *testing.T) {
	for want, e := range map[string]SilentError{
		"rank 2 on host beta1 has not answered for 1.5s, when it was to compute": {Rank: 2, Host: "beta1", What: "compute", After: 1500 * time.Millisecond},
		"rank 0 has not answered for 2s, when it was to begin":                   {What: "begin", After: 2 * time.Second},
		"a rank has not answered for 1m0s, when it was to measure links":         {Rank: -1, Host: "x", What: "measure links", After: time.Minute},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
