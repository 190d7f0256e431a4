package ledger

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Seconds prints a duration with three digits and a unit.
func Seconds(d time.Duration) string {
	x, unit := math.Abs(float64(d)), "ns"
	for _, u := range []string{"us", "ms", "s"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, u
	}
	if d < 0 {
		x = -x
	}
	return digits(x) + " " + unit
}

// secondsText is Seconds of a number of seconds.
func secondsText(x float64) string { return Seconds(seconds(x).duration()) }

// Bytes prints a number of bytes with three digits and a unit.
func Bytes(n int64) string {
	x, unit := float64(n), "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1024, u
	}
	return digits(x) + " " + unit
}

func digits(x float64) string {
	switch a := math.Abs(x); {
	case x == math.Trunc(x) && a < 1000:
		return strconv.Itoa(int(x))
	case a < 9.995:
		return fmt.Sprintf("%.2f", x)
	case a < 99.95:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}

// plainSeconds prints seconds without a unit, with four digits or more.
func plainSeconds(x float64) string {
	if math.Abs(x) >= 9999.5 && math.Abs(x) < 1e12 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// Factor prints an efficiency: two digits after the point, or where these are 0 the third.
func Factor(x float64) string {
	switch {
	case x <= 0 || x >= 0.00995:
		return fmt.Sprintf("%.2f", x)
	case x < 0.0005:
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", x)
}

// percent prints a share with one digit after the point.
func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
