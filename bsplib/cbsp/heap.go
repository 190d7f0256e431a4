package cbsp

import (
	"errors"
	"flag"
	"math"
	"strconv"
	"strings"
)

// heapSize is the value of -heap: the limit of a process's memory from malloc. 0 means the default.
type heapSize uint64

const leastHeap = 1 << 20

// heapFlag defines -heap.
func heapFlag(flags *flag.FlagSet) *heapSize {
	h := new(heapSize)
	flags.Var(h, "heap", "limit what a process has from malloc and new to this `size`, as 512MiB or 16GiB (default: about 3.6GiB)")
	return h
}

var sizeUnits = []struct {
	name  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}}

// String returns "" for the default.
func (h *heapSize) String() string {
	if *h == 0 {
		return ""
	}
	n, unit := uint64(*h), "B"
	for _, u := range sizeUnits[:4] {
		if uint64(*h)%uint64(u.bytes) == 0 {
			n, unit = uint64(*h)/uint64(u.bytes), u.name
		}
	}
	return strconv.FormatUint(n, 10) + unit
}

func (h *heapSize) Set(text string) error {
	for _, u := range sizeUnits {
		number, is := strings.CutSuffix(text, u.name)
		if !is {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || x*u.bytes >= math.MaxInt64 {
			break
		}
		if !(x*u.bytes >= leastHeap) {
			return errors.New("expected 1MiB at least")
		}
		*h = heapSize(x * u.bytes)
		return nil
	}
	return errors.New("expected a size with a unit, such as 512MiB or 16GiB")
}
