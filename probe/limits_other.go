//go:build !linux

package probe

// softLimits are not known here.
func softLimits() (space, locked int64) { return Unlimited, Unlimited }
