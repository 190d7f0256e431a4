package clock

// ticksSource is the kernel's name for the counter.
const (
	hasTicks    = true
	ticksSource = "arch_sys_counter"
)

// readTicks reads the processor's counter, which may be a little ahead of the instructions
// before.
func readTicks() uint64
