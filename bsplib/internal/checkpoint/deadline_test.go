package checkpoint

import (
	"testing"
	"time"
)

// The last checkpoint begins early enough for the longest stage and the measured cost, and is tried
// again after a failure.
func TestDeadline(t *testing.T) {
	const s = time.Second
	d := deadline{at: 100 * s}
	for now := 2 * s; now <= 4*s; now += 2 * s {
		if d.stage(now); d.near(now) || d.trial(now) {
			t.Errorf("a checkpoint is due after %v", now)
		}
	}
	if !d.trial(6 * s) {
		t.Error("no checkpoint to measure")
	}
	d.attempt(9*s, 3*s)
	d.stage(19 * s) // 10 s
	if d.trial(19*s) || d.near(68*s) {
		t.Error("a checkpoint is due too early")
	}
	if !d.near(69*s) || d.near(70*s) {
		t.Error("the last checkpoint is not due, or twice")
	}
	if d.attempt(72*s, 3*s); !d.near(72 * s) {
		t.Error("it is not tried again")
	}
	if d = (deadline{}); d.near(time.Hour) || d.trial(time.Hour) {
		t.Error("a checkpoint is due without a deadline")
	}
}
