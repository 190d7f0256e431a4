// Slicesort sorts the numbers of apps/sort, uniformly distributed, with Go's
// slices.Sort on one core. It prints the time and the checksum of apps/sort.
//
//	slicesort NUMBERS
package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	n, err := strconv.Atoi(strings.Join(os.Args[1:], " "))
	if err != nil || n < 1 {
		fmt.Fprintln(os.Stderr, "slicesort: expected how many numbers to sort")
		os.Exit(2)
	}
	keys := keys(n)
	began := time.Now()
	slices.Sort(keys)
	fmt.Printf("time %.6g s\nchecksum %016x\n", time.Since(began).Seconds(), checksum(keys))
}

// keys returns whole numbers that sort like the keys of apps/sort -seed 1, which are in [0, 1).
func keys(n int) []uint64 {
	keys, seed := make([]uint64, n), mix(mix(1))
	for i := range keys {
		x := float64(mix(seed+2*uint64(i))>>11) / (1 << 53)
		keys[i] = math.Float64bits(x) | 1<<63
	}
	return keys
}

// checksum mixes all keys with their positions.
func checksum(keys []uint64) (sum uint64) {
	for i, k := range keys {
		sum += mix(k ^ mix(uint64(i)))
	}
	return sum
}

// mix is the same as in apps/.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
