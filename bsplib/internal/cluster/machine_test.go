package cluster

import (
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/mpi"
)

// A rank without processes measures its share of its core with a burst of work, if time allows.
// The share of a rank with processes follows from their work alone, and is unchanged if no work
// was timed.
func TestWhatARankGetsOfItsCore(t *testing.T) {
	const known = 0.123
	for _, c := range []struct {
		name string
		part float64 // limit for the burst, as a part of the time without processes
		idle time.Duration
		work clock.Window
		want float64 // 0 for any new share
	}{
		{"time for a burst of work", 0.005, time.Hour, clock.Window{}, 0},
		{"the last call was just now", 0.005, time.Millisecond, clock.Window{}, known},
		{"nothing may be measured", 0, time.Hour, clock.Window{}, known},
		{"processes without timed work", 0.005, 0, clock.Window{}, known},
		{"a tenth of its time", 0.005, 0, clock.Window{Wall: 1000 * time.Hour, CPU: 100 * time.Hour}, 0.1},
	} {
		m := &realMachine{comm: mpi.InProcess(1)[0], share: known, burst: known, idle: c.part}
		got, burst := m.Available(c.work, c.idle, false)
		if c.want == 0 && got == known || c.want != 0 && math.Abs(got-c.want) > 1e-6 || !(got > 0) || got > 1 {
			t.Errorf("%s: %g", c.name, got)
		}
		if worked := c.work.Wall > 0; burst != got && worked || burst != known && !worked {
			t.Errorf("%s: %g while its quota lasts, %g in the end", c.name, burst, got)
		}
	}
	if free := (&realMachine{}).Free(); free == 0 {
		t.Error("0 bytes are free: unknown is -1")
	}
}
