// Package numbers has small functions that several programs need.
package numbers

import "math"

// Mix is a bijection that changes about half the bits for each bit of x that changes:
// random numbers that depend on places alone, and checksums that notice where a number
// stands, are made of it.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Larger is max, but NaN if either is: what is not a number must not pass a check.
func Larger(a, b float64) float64 {
	if a > b || math.IsNaN(a) {
		return a
	}
	return b
}
