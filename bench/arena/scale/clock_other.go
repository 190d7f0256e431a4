//go:build !linux

package scale

import "time"

var began = time.Now()

// clock is the time that passes: that of threads is not known here.
func clock() time.Duration { return time.Since(began) }
