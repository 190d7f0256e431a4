package ledger

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
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

// SecondsOf is Seconds of a number of seconds.
func SecondsOf(x float64) string { return Seconds(seconds(x).duration()) }

// ExactSeconds prints a duration as a decimal number of seconds, exactly.
func ExactSeconds(d time.Duration) string { return string(appendSeconds(nil, d)) }

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

// Percent prints a share with one digit after the point.
func Percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// Share returns part over whole, 0 where the whole is 0.
func Share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// Ratio returns part over whole, 1 where the whole is 0: as without a loss.
func Ratio(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return part / whole
}

// finite replaces numbers that JSON cannot write.
func finite(x float64) float64 {
	if math.IsNaN(x) {
		return math.MaxFloat64
	}
	return max(-math.MaxFloat64, min(math.MaxFloat64, x))
}

// seconds is a time in a record.
type seconds float64

// duration returns the time in nanoseconds, cut off at the limits of a Duration.
func (s seconds) duration() time.Duration {
	ns := math.Round(float64(s) * 1e9)
	return time.Duration(max(-1<<62, min(1<<62, ns)))
}

// Count returns a number of things, in words.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "ss") {
		thing += "e"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Printable returns text of any origin, such as the name of a host or of a program, without
// characters that could steer a terminal or change the direction of the text around it.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// appendSeconds writes a duration as a decimal number of seconds, exactly.
func appendSeconds(b []byte, d time.Duration) []byte {
	if d < 0 {
		b = append(b, '-')
		d = -d
	}
	b = strconv.AppendInt(b, int64(d/time.Second), 10)
	part := int64(d % time.Second)
	if part == 0 {
		return b
	}
	var digits [10]byte
	digits[0] = '.'
	for i := 9; i > 0; i-- {
		digits[i] = byte('0' + part%10)
		part /= 10
	}
	n := 10
	for digits[n-1] == '0' {
		n--
	}
	return append(b, digits[:n]...)
}
