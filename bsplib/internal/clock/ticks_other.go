//go:build !amd64 && !arm64

package clock

const (
	hasTicks    = false
	ticksSource = ""
)

func readTicks() uint64 { return 0 }
