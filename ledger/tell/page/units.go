package page

import (
	"fmt"
	"math"
	"strconv"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// seconds prints a time with three digits and a unit.
func seconds(s float64) string {
	if s == 0 {
		return "0"
	}
	return ledger.SecondsOf(s)
}

// share prints a part of a whole as a percentage.
func share(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// factor prints an efficiency or a ratio.
func factor(x float64) string { return ledger.Factor(x) }

// bandwidth prints the rate of a link, given the time of a byte.
func bandwidth(perByte float64) string {
	if !(perByte > 0) {
		return "unlimited"
	}
	rate, prefix := tell.Scaled(1/perByte, 999.5)
	return fmt.Sprintf("%.3g %sB/s", rate, prefix)
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
