//go:build !linux

package scale

import "time"

var began = time.Now()

// clock returns elapsed time, because the CPU time of threads is not available on this system.
func clock() time.Duration { return time.Since(began) }
