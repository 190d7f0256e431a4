// Package numbers has small functions that several programs need.
package numbers

import "math"

// Mix is a bijection that changes about half the bits for each changed bit of x: random
// numbers that depend on indices alone are made of it, and checksums that notice a number's
// index.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Larger is max, but NaN if either is NaN: NaN must not pass a check.
func Larger(a, b float64) float64 {
	if a > b || math.IsNaN(a) {
		return a
	}
	return b
}
