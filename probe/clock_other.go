//go:build !linux

package probe

import "time"

// threadTime is not known here.
func threadTime() (time.Duration, bool) { return 0, false }
