package clock

// ticksSource is the kernel's name for the counter.
const (
	hasTicks    = true
	ticksSource = "arch_sys_counter"
)

// readTicks reads the processor's counter, possibly before earlier instructions complete.
func readTicks() uint64
