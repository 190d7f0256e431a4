package clock

// ticksSource is the kernel's name for the counter.
const (
	hasTicks    = true
	ticksSource = "tsc"
)

// readTicks reads the processor's counter. Instructions before it may still be on their way:
// up to some tens of nanoseconds, which one process's work loses and the next one's gets.
func readTicks() uint64
