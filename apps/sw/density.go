package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// load returns the instructions of synthetic work per process in a stage with computing: from first
// to last, in equal increments.
func (p *parameters) load(stage, stages int) int {
	if stages == 1 {
		return int(p.first)
	}
	return int(p.first + (p.last-p.first)*float64(stage)/float64(stages-1))
}

// perRound is the number of instructions in a round of synthetic work: it multiplies, adds, counts,
// compares and jumps.
const perRound = 5

// synthetic works for about the given number of instructions, and returns a number that
// depends on all of them.
func synthetic(x uint64, instructions int) uint64 {
	for range instructions / perRound {
		x = x*1664525 + 1013904223
	}
	return x
}

// density reads FIRST:LAST.
func density(text string) (first, last float64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	a, b, _ := strings.Cut(text, ":")
	first, err1 := strconv.ParseFloat(a, 64)
	last, err2 := strconv.ParseFloat(b, 64)
	if err1 != nil || err2 != nil || !(first >= 0) || !(last >= first) || last > 1e15 || math.IsInf(last, 0) {
		return 0, 0, fmt.Errorf("-density %s: expected instructions of the first and the last superstep, as 1e6:1e9", text)
	}
	return first, last, nil
}
