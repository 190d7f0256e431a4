package hostfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bounds of figures, wide enough for all machines and narrow enough to keep all results
// finite.
const (
	minSpeed, maxSpeed = 1e-6, 1e6
	minRate, maxRate   = 1.0 / 8, 1e18 / 8 // 1 b/s to 10^18 b/s
	maxDuration        = time.Hour
	maxMemory          = 1 << 60
)

// unit is a suffix of figures.
type unit struct {
	name  string
	scale float64
}

// Figures are written with the first unit that gives a short number.
var (
	rateUnits = []unit{
		{"Tb/s", 1e12 / 8}, {"Gb/s", 1e9 / 8}, {"Mb/s", 1e6 / 8}, {"kb/s", 1e3 / 8}, {"b/s", 1.0 / 8},
		{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1},
		{"TiB/s", 1 << 40}, {"GiB/s", 1 << 30}, {"MiB/s", 1 << 20}, {"KiB/s", 1 << 10},
		{"Tib/s", 1 << 37}, {"Gib/s", 1 << 27}, {"Mib/s", 1 << 17}, {"Kib/s", 1 << 7},
		{"Kb/s", 1e3 / 8}, {"KB/s", 1e3},
	}
	memoryUnits = []unit{
		{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1},
		{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3},
	}
)

// splitNumber cuts the decimal number off that text begins with.
func splitNumber(text string) (number, rest string) {
	digits := func(from int) int {
		for from < len(text) && '0' <= text[from] && text[from] <= '9' {
			from++
		}
		return from
	}
	end := 0
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		end = 1
	}
	end = digits(end)
	if end < len(text) && text[end] == '.' {
		end = digits(end + 1)
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		exponent := end + 1
		if exponent < len(text) && (text[exponent] == '-' || text[exponent] == '+') {
			exponent++
		}
		if after := digits(exponent); after > exponent {
			end = after
		}
	}
	return text[:end], text[end:]
}

// parseScaled reads a number with one of the units.
func parseScaled(text string, units []unit) (float64, bool) {
	number, rest := splitNumber(text)
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, false
	}
	for _, u := range units {
		if u.name == rest {
			return value * u.scale, true
		}
	}
	return 0, false
}

func parseSpeed(t token) (float64, *Problem) {
	speed, ok := parseScaled(t.text, []unit{{"", 1}})
	if !ok || !(speed >= minSpeed && speed <= maxSpeed) {
		return 0, t.problem(0, "speed "+quote(t.text), fmt.Sprintf("a number from %g to %g, 1 being a core of this machine", minSpeed, maxSpeed))
	}
	return speed, nil
}

func parseRate(t token) (float64, *Problem) {
	rate, ok := parseScaled(t.text, rateUnits)
	if !ok || !(rate >= minRate && rate <= maxRate) {
		return 0, t.problem(0, "rate "+quote(t.text), "a number from 1b/s up with b/s or B/s and a prefix k, M, G, T, Ki, Mi, Gi or Ti, such as 100Mb/s")
	}
	return rate, nil
}

func parseMemory(t token) (int64, *Problem) {
	if t.text == "0" {
		return 0, nil
	}
	bytes, ok := parseScaled(t.text, memoryUnits)
	if !ok || !(bytes >= 0 && bytes <= maxMemory) || bytes != math.Trunc(bytes) {
		return 0, t.problem(0, "memory "+quote(t.text), "whole bytes with a unit such as 512MB or 4GiB, or 0")
	}
	return int64(bytes), nil
}

func parseDuration(t token, what string) (time.Duration, *Problem) {
	d, err := time.ParseDuration(t.text)
	if err != nil || d < 0 || d > maxDuration {
		return 0, t.problem(0, what+" "+quote(t.text), "a duration from 0s to 1h, such as 50us or 1.5ms")
	}
	return d, nil
}

// parseShare reads the name of a file.
func parseShare(t token) (Share, *Problem) {
	if at := strings.IndexByte(t.text, '"'); at >= 0 {
		return Share{}, t.problem(at, "quotation mark in the name of a file", "none, or all of the name between two")
	}
	return Share{t.text, t.line, t.col}, nil
}

func parseLatency(t token) (time.Duration, *Problem) { return parseDuration(t, "latency") }

func parseBarrier(t token) (time.Duration, *Problem) { return parseDuration(t, "barrier") }
