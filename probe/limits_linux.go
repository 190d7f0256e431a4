package probe

import (
	"math"

	"golang.org/x/sys/unix"
)

// softLimits are this process's limits of address space and of locked memory, in
// bytes, or Unlimited.
func softLimits() (space, locked int64) {
	return softLimit(unix.RLIMIT_AS), softLimit(unix.RLIMIT_MEMLOCK)
}

func softLimit(resource int) int64 {
	var limit unix.Rlimit
	if unix.Getrlimit(resource, &limit) != nil || limit.Cur > math.MaxInt64 { // RLIM_INFINITY is 2^64-1
		return Unlimited
	}
	return int64(limit.Cur)
}
