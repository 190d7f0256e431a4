package clock

import (
	"testing"
	"time"
)

// counted is a clock by a counter that a test drives: ticks of ns nanoseconds, off ticks
// away from what they would be.
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

// follow reads the clock for so long, beside the system's: no reading may be before the last,
// or farther from the system's than tolerance. It returns how many readings asked the system.
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

// The counter goes on from the system's clock, which is asked at the beginning and then a few
// times in a hundred milliseconds. Where others take the core between the two readings of an
// anchor the rate is learned anew: one try of ten is without that.
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

// A counter that jumps, either way, or changes its rate shifts no reading by more than twice
// what goes by the counter alone, and time still does not go back. One that does so again and
// again is not read any more.
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

// A counter that jumps before its rate is known stops no time.
func TestTicksThatJumpAtFirst(t *testing.T) {
	c := &counted{ns: 1}
	m := c.clock()
	c.off += 1 << 40
	follow(t, m, 20*time.Millisecond, 50*time.Microsecond)
}

// A counter that stands still is never believed.
func TestTicksThatStandStill(t *testing.T) {
	m := new(monotonic)
	m.ticks = func() uint64 { return 7 }
	m.begin()
	follow(t, m, 5*time.Millisecond, 0)
}

// Beginning anew makes the time zero.
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
