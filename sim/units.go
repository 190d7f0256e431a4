package sim

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// figure is a number with a unit, as platform files write it.
type figure struct {
	what  string             // for errors: "a speed such as 1.5Gf"
	units map[string]float64 // by name
}

var (
	decimal = map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
	binary  = map[string]float64{"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
	words   = map[string]float64{"": 1, "kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12, "peta": 1e15, "exa": 1e18}

	speeds = figure{"a speed such as 1.5Gf", units(named(decimal, "f", 1), named(words, "flops", 1))}
	rates  = figure{"a rate such as 125MBps or 1Gbps", units(named(decimal, "Bps", 1), named(binary, "Bps", 1),
		named(decimal, "bps", 1./8), named(binary, "bps", 1./8))} // in bytes
	times = figure{"a time such as 50us", units(map[string]float64{
		"w": 7 * 24 * 3600, "d": 24 * 3600, "h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12,
	})}
)

// units merges units; a number without a unit is multiplied by 1.
func units(all ...map[string]float64) map[string]float64 {
	whole := map[string]float64{"": 1}
	for _, some := range all {
		maps.Copy(whole, some)
	}
	return whole
}

// named returns the units with all prefixes, given the value of the unit without a prefix.
func named(prefixes map[string]float64, unit string, one float64) map[string]float64 {
	all := make(map[string]float64, len(prefixes))
	for prefix, factor := range prefixes {
		all[prefix+unit] = factor * one
	}
	return all
}

// parse reads a figure, which must not be negative.
func (f figure) parse(text string) (float64, error) {
	digits := strings.TrimRight(strings.TrimSpace(text), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit := strings.TrimSpace(text)[len(digits):]
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	factor, known := f.units[unit]
	if err != nil || !known || !(x >= 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q: expected %s", text, f.what)
	}
	if factor < 1 {
		return x / math.Round(1/factor), nil // so that 50us is 5e-5, not a neighbouring number
	}
	return x * factor, nil
}
