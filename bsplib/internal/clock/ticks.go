package clock

import (
	"os"
	"strings"
	"sync"
	"time"
)

// monotonic is this machine's monotonic time, for one goroutine.
//
// Asking the system takes 25 to 50 ns, which is as long as all else that is measured of a
// short superstep, and there is a reading for each process. The processor's own counter is
// read in 8. The system's clock says what the counter's ticks are worth: both are read
// together every anchorEvery, and in between time goes on by the counter at the rate of the
// last such span. So what is read is the system's time to within some tens of nanoseconds,
// also where that is slewed.
//
// The counter is used where the kernel takes it for its own clock, on all cores alike: then
// it does not stop, change its frequency or differ between cores. Elsewhere, and where the
// two do not agree all the same (a virtual machine that has come from another host), every
// reading asks the system.
//
// Invariant: what is read never decreases.
type monotonic struct {
	start time.Time
	ticks func() uint64 // nil: every reading asks the system

	at    anchor
	rate  float64 // nanoseconds of a tick in the span that ended at it, 0 for none
	scale uint64  // rate, times 1 << scaleBits
	span  uint64  // ticks after at in which that holds, 0 if the span before had another rate
	last  time.Duration
	wrong int // how often the counter has not agreed
}

// anchor is one moment by both clocks.
type anchor struct {
	time  time.Duration
	ticks uint64
}

const (
	// anchorEvery bounds how far time goes by the counter alone. Reading both takes 0.1 us: a
	// hundred-thousandth of that.
	anchorEvery = 10 * time.Millisecond
	// firstSpan is how long each of the two spans is that must agree before the counter is
	// believed.
	firstSpan = time.Millisecond
	// The two readings of an anchor may be apart by one part in anchorWidth of the time since
	// the last; otherwise something came between, and the next reading tries again.
	anchorWidth = 4096
	// The rates of two spans agree to one part in rateAgrees. After mostWrong that do not,
	// the counter is not read any more.
	rateAgrees = 1000
	mostWrong  = 8
	// anchorEvery in ticks, times scale, is less than 1 << 56.
	scaleBits = 32
)

// newMonotonic is time since now.
func newMonotonic() *monotonic {
	m := new(monotonic)
	if hasTicks && kernelUsesTicks() {
		m.ticks = readTicks
	}
	m.begin()
	return m
}

// begin makes it zero.
func (m *monotonic) begin() {
	m.start, m.last = time.Now(), 0
	m.rate, m.span = 0, 0
	if m.ticks != nil {
		m.at, _ = m.both()
	}
}

// now is the time since begin.
func (m *monotonic) now() time.Duration {
	if m.ticks == nil {
		return time.Since(m.start)
	}
	t := m.ticks() - m.at.ticks // far more than span if the counter went back
	if t >= m.span {
		return m.ask()
	}
	m.last = max(m.last, m.at.time+time.Duration(t*m.scale>>scaleBits))
	return m.last
}

// both reads both clocks; width is how many ticks that took.
func (m *monotonic) both() (a anchor, width uint64) {
	width = ^uint64(0)
	for range 3 {
		before := m.ticks()
		now := time.Since(m.start)
		if w := m.ticks() - before; w < width {
			a, width = anchor{now, before + w/2}, w
		}
	}
	return a, width
}

// ask asks the system, and learns from that what ticks are worth.
func (m *monotonic) ask() time.Duration {
	a, width := m.both()
	m.last = max(m.last, a.time)
	elapsed, ticks := a.time-m.at.time, a.ticks-m.at.ticks
	if m.span == 0 && elapsed < firstSpan || width >= ticks/anchorWidth {
		return m.last
	}
	rate, old := float64(elapsed)/float64(ticks), m.rate
	m.at, m.rate, m.span = a, rate, 0
	if d := (rate - old) * rateAgrees; -old < d && d < old {
		m.scale, m.span = uint64(rate*(1<<scaleBits)), uint64(float64(anchorEvery)/rate)
	} else if old > 0 {
		if m.wrong++; m.wrong == mostWrong {
			m.ticks = nil
		}
	}
	return m.last
}

// kernelUsesTicks reports whether the counter is the kernel's own clock.
var kernelUsesTicks = sync.OnceValue(func() bool {
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	return err == nil && strings.TrimSpace(string(source)) == ticksSource
})
