package clock

import (
	"os"
	"strings"
	"sync"
	"time"
)

// monotonic is this machine's monotonic clock, for one goroutine.
//
// Reading the system's clock takes 25 to 50 ns, which doubles the cost of measuring a short
// superstep, and each process needs a reading. Reading the processor's counter takes 8 ns. The
// counter is calibrated with the system's clock: both are read together every anchorEvery, and
// between these readings the time follows the counter at the rate of the last such span. The
// result differs from the system's time by some tens of nanoseconds, even if the system's clock
// is slewed.
//
// The counter is used if the kernel uses it for its own clock. Then it does not stop, change
// its frequency or differ between cores. Otherwise, or if the two clocks disagree nevertheless,
// as in a virtual machine that has migrated from another host, every reading is the system's.
//
// Invariant: readings never decrease.
type monotonic struct {
	start time.Time
	ticks func() uint64 // nil if every reading is the system's

	at    anchor
	rate  float64 // nanoseconds per tick in the span that ended at at, 0 if unknown
	scale uint64  // rate, times 1 << scaleBits
	span  uint64  // ticks after at for which scale is valid, 0 if the last two spans differ in rate
	last  time.Duration
	wrong int // number of disagreements of the counter
}

// anchor is a simultaneous reading of both clocks.
type anchor struct {
	time  time.Duration
	ticks uint64
}

const (
	// anchorEvery is the maximum time between readings of both clocks. Reading both takes
	// 0.1 us, a hundred-thousandth of it.
	anchorEvery = 10 * time.Millisecond
	// firstSpan is the length of each of the first two spans. The counter is used after both
	// agree.
	firstSpan = time.Millisecond
	// The two readings of an anchor may be apart by 1/anchorWidth of the time since the last
	// anchor. Otherwise they were interrupted, and the next reading tries again.
	anchorWidth = 4096
	// The rates of two consecutive spans must agree to 1/rateAgrees. After mostWrong
	// disagreements the counter is no longer used.
	rateAgrees = 1000
	mostWrong  = 8
	// anchorEvery in ticks, times scale, is less than 1 << 56.
	scaleBits = 32
)

// newMonotonic returns a clock that starts now.
func newMonotonic() *monotonic {
	m := new(monotonic)
	if hasTicks && kernelUsesTicks() {
		m.ticks = readTicks
	}
	m.begin()
	return m
}

// begin resets the time to zero.
func (m *monotonic) begin() {
	m.start, m.last = time.Now(), 0
	m.rate, m.span = 0, 0
	if m.ticks != nil {
		m.at, _ = m.both()
	}
}

// now returns the time since begin.
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

// both reads both clocks. width is the duration of the reading in ticks.
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

// ask reads the system's clock and calibrates the counter.
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
