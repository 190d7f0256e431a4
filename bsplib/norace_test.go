//go:build !race

package bsplib_test

const raceEnabled = false

func reads([]byte) {}
