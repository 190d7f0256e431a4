package clock

import (
	"testing"
	"time"
)

// counted is a counter that a test controls: a tick takes ns nanoseconds, and the counter is
// off by off ticks.
type counted struct {
	ns  float64
	off uint64
}

func (c *counted) clock() *monotonic {
	m := new(monotonic)
	begun := time.Now()
	m.ticks = func() uint64 { return c.off + uint64(float64(time.Since(begun))/c.ns) }
	m.begin()
	return m
}

// follow reads the clock for d and compares it with the system's clock. No reading may be
// before the previous one, or differ from the system's by more than tolerance. It returns the
// numbers of readings from the system and of all readings.
func follow(t *testing.T, m *monotonic, d, tolerance time.Duration) (asked, readings int) {
	t.Helper()
	last := time.Duration(0)
	for begun := time.Now(); time.Since(begun) < d; readings++ {
		at := m.at
		before := time.Since(m.start)
		now := m.now()
		after := time.Since(m.start)
		if now < last || now < before-tolerance || now > after+tolerance {
			t.Fatalf("%v, after %v; by the system's clock between %v and %v", now, last, before, after)
		}
		if last = now; m.at != at || m.span == 0 {
			asked++
		}
	}
	return asked, readings
}

// The system's clock is read at the beginning and then a few times in a hundred milliseconds.
// If the two readings of an anchor are interrupted, the rate is measured again; at least one of
// ten attempts must succeed without that.
func TestTicksFollowTheSystem(t *testing.T) {
	for _, ns := range []float64{0.25, 1, 41.7} {
		for tries := 1; ; tries++ {
			m := (&counted{ns: ns}).clock()
			follow(t, m, 5*time.Millisecond, 20*time.Microsecond)
			asked, readings := follow(t, m, 100*time.Millisecond, 20*time.Microsecond)
			if m.rate >= ns*0.999 && m.rate <= ns*1.001 && asked <= 12 && asked > 0 {
				break
			}
			if tries == 10 {
				t.Errorf("a tick is %v ns, and is taken to be %v; the system was asked %d times in %d readings", ns, m.rate, asked, readings)
				break
			}
		}
	}
}

// If the counter jumps forward or back, or changes its rate, readings are off by at most twice
// anchorEvery, and the time never decreases. A counter that does so repeatedly is no longer
// used.
func TestTicksThatDoNotAgree(t *testing.T) {
	for name, change := range map[string]func(*counted){
		"back":    func(c *counted) { c.off -= 1 << 40 },
		"forward": func(c *counted) { c.off += 1 << 40 },
		"slower":  func(c *counted) { c.ns *= 1.5 },
	} {
		c := &counted{ns: 1, off: 1 << 50}
		m := c.clock()
		for n := 0; n < mostWrong && m.ticks != nil; n++ { // a jump makes one or two spans wrong
			follow(t, m, 3*time.Millisecond, 2*anchorEvery)
			if m.wrong > 2*n {
				t.Errorf("%s: wrong %d times in %d changes", name, m.wrong, n)
			}
			change(c)
			follow(t, m, 15*time.Millisecond, 2*anchorEvery)
		}
		if follow(t, m, 5*time.Millisecond, time.Microsecond); m.ticks != nil {
			t.Errorf("%s: the counter is read after it was wrong %d times", name, m.wrong)
		}
	}
}

// A jump of the counter before its rate is known does not stop the clock.
func TestTicksThatJumpAtFirst(t *testing.T) {
	c := &counted{ns: 1}
	m := c.clock()
	c.off += 1 << 40
	follow(t, m, 20*time.Millisecond, 50*time.Microsecond)
}

// A counter that stands still is never used.
func TestTicksThatStandStill(t *testing.T) {
	m := new(monotonic)
	m.ticks = func() uint64 { return 7 }
	m.begin()
	follow(t, m, 5*time.Millisecond, 0)
}

// A second begin resets the time to zero.
func TestTicksBeginAnew(t *testing.T) {
	m := newMonotonic()
	time.Sleep(3 * time.Millisecond)
	m.now()
	time.Sleep(3 * time.Millisecond)
	if now := m.now(); now < 6*time.Millisecond {
		t.Errorf("%v after 6 ms", now)
	}
	before := time.Now()
	m.begin()
	if now := m.now(); now > time.Since(before) {
		t.Errorf("%v at most %v after the beginning", now, time.Since(before))
	}
}
