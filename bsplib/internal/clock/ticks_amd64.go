package clock

// ticksSource is the kernel's name for the counter.
const (
	hasTicks    = true
	ticksSource = "tsc"
)

// readTicks reads the processor's counter. Earlier instructions may still be in flight, which
// shifts up to some tens of nanoseconds from one process's work to the next.
func readTicks() uint64
