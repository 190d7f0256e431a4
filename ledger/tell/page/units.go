package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// seconds prints a time with three digits and a unit.
func seconds(s float64) string {
	if s == 0 {
		return "0"
	}
	ns := max(-1<<62, min(1<<62, s*float64(time.Second)))
	return ledger.Seconds(time.Duration(math.Round(ns)))
}

// share prints a part of a whole as a percentage.
func share(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// factor prints an efficiency or a ratio.
func factor(x float64) string { return ledger.Factor(x) }

// count prints a number of things.
func count(n int, what string) string {
	if n != 1 && strings.HasSuffix(what, "ss") {
		what += "e"
	}
	return ledger.Count(n, what)
}

// bandwidth prints the rate of a link, given the time of a byte.
func bandwidth(perByte float64) string {
	if !(perByte > 0) {
		return "unlimited"
	}
	rate, unit := 1/perByte, "B/s"
	for _, u := range []string{"kB/s", "MB/s", "GB/s", "TB/s"} {
		if rate < 999.5 {
			break
		}
		rate, unit = rate/1000, u
	}
	return fmt.Sprintf("%.3g %s", rate, unit)
}

// shorten cuts a name that has no room.
func shorten(name string, most int) string {
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}

// roundTo rounds to a number of significant digits.
func roundTo(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return y
}

// plain labels a tick with the number.
func plain(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e9)/1e9+0, 'g', 4, 64)
}

// inSeconds labels a tick of a time.
func inSeconds(x float64) string {
	a := math.Abs(x)
	for _, u := range []struct {
		size float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}} {
		if a >= u.size*0.9999 {
			return strconv.FormatFloat(x/u.size, 'g', 3, 64) + " " + u.name
		}
	}
	if a < 1e-15 {
		return "0"
	}
	return strconv.FormatFloat(x/1e-9, 'g', 3, 64) + " ns"
}
