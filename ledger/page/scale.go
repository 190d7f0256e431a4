package page

import (
	"math"
	"strconv"
)

// axis maps values to places in a chart.
type axis struct {
	low, high float64 // values
	from, to  float64 // where they are
	log       bool
}

// linear is an axis that begins at low and ends at or behind high, at a tick.
func linear(low, high, from, to float64) axis {
	if !(high > low) {
		high = low + 1
	}
	step := tickStep((high - low) / 4)
	return axis{low: math.Floor(low/step) * step, high: math.Ceil(high/step*(1-1e-12)) * step, from: from, to: to}
}

// logarithmic is an axis of powers of ten around low and high, which are more
// than 0.
func logarithmic(low, high, from, to float64) axis {
	a := axis{low: math.Pow(10, math.Floor(math.Log10(low))), high: math.Pow(10, math.Ceil(math.Log10(high))), from: from, to: to, log: true}
	if a.high <= a.low {
		a.high = 10 * a.low
	}
	return a
}

// at is the place of a value; what is outside of the axis stands at its end.
func (a axis) at(x float64) float64 {
	part := 0.0
	switch {
	case a.log:
		part = math.Log(max(x, a.low)/a.low) / math.Log(a.high/a.low)
	default:
		part = (x - a.low) / (a.high - a.low)
	}
	return a.from + max(0, min(1, part))*(a.to-a.from)
}

// ticks are values worth a label, at most about six.
func (a axis) ticks() []float64 {
	var all []float64
	if a.log {
		decades := int(math.Round(math.Log10(a.high / a.low)))
		every := 1 + (decades-1)/6
		for i := 0; i <= decades; i += every {
			all = append(all, a.low*math.Pow(10, float64(i)))
		}
		return all
	}
	step := tickStep((a.high - a.low) / 4)
	for i := math.Ceil(a.low/step - 1e-9); i*step <= a.high+step*1e-9; i++ {
		all = append(all, i*step)
	}
	return all
}

// tickStep is the 1, 2 or 5 times a power of ten that is nearest above about x.
func tickStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	switch m := x / power; {
	case m <= 1.0001:
		return power
	case m <= 2.0001:
		return 2 * power
	case m <= 5.0001:
		return 5 * power
	}
	return 10 * power
}

// plain labels a tick with the number.
func plain(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e9)/1e9, 'g', 4, 64)
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
