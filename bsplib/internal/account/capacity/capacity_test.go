package capacity

import (
	"testing"
	"time"

	"github.com/migbsp/migbsp/probe"
)

const ms = time.Millisecond

// fakeMachine counts what has kept a rank from running.
type fakeMachine struct {
	quota float64
	seen  *probe.Contention
}

func (m fakeMachine) Quota() float64               { return m.quota }
func (m fakeMachine) Cores() float64               { return 2 * m.quota }
func (m fakeMachine) Contention() probe.Contention { return *m.seen }

// A rank looks once a second, or once in lookShare of what that takes, and at the end.
func TestLooks(t *testing.T) {
	wall, took := time.Duration(0), ms
	m := fakeMachine{1, new(probe.Contention)}
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
