package results

import "strconv"

// Micros prints a time in microseconds with three digits and a unit.
func Micros(us float64) string {
	x, unit := us*1000, "ns"
	for _, u := range []string{"us", "ms", "s"} {
		if x < 999.5 && x > -999.5 {
			break
		}
		x, unit = x/1000, u
	}
	return Digits(x) + " " + unit
}

// Digits prints a number with at least three digits.
func Digits(x float64) string {
	decimals := 0
	switch a := max(x, -x); {
	case a < 9.995:
		decimals = 2
	case a < 99.95:
		decimals = 1
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Large is the number of bytes from which a transfer is judged by bandwidth.
const Large = 1 << 20

// Rate returns the rate of a row's fastest batch: bandwidth or operations.
func (r Row) Rate() string {
	switch {
	case r.Bytes >= Large:
		return Digits(float64(r.Bytes)/r.MinUS/1e3) + " GB/s"
	case r.Ops > 0:
		return Digits(float64(r.Ops)/r.MinUS) + " M/s"
	default:
		return ""
	}
}
