package svg

import "math"

// Axis maps values to positions in a chart.
type Axis struct {
	Low, High float64 // values
	From, To  float64 // where they are
	Log       bool
}

// Linear returns an axis that begins at low and ends at high or above, at a tick.
func Linear(low, high, from, to float64) Axis {
	if !(high > low) {
		high = low + 1
	}
	step := TickStep((high - low) / 4)
	return Axis{Low: math.Floor(low/step) * step, High: math.Ceil(high/step*(1-1e-12)) * step, From: from, To: to}
}

// Logarithmic is an axis of powers of ten around low and high, which are more
// than 0.
func Logarithmic(low, high, from, to float64) Axis {
	a := Axis{Low: math.Pow(10, math.Floor(math.Log10(low))), High: math.Pow(10, math.Ceil(math.Log10(high))), From: from, To: to, Log: true}
	if a.High <= a.Low {
		a.High = 10 * a.Low
	}
	return a
}

// At returns the position of a value; values outside of the axis are at its ends.
func (a Axis) At(x float64) float64 {
	part := 0.0
	switch {
	case a.Log:
		part = math.Log(max(x, a.Low)/a.Low) / math.Log(a.High/a.Low)
	default:
		part = (x - a.Low) / (a.High - a.Low)
	}
	return a.From + max(0, min(1, part))*(a.To-a.From)
}

// Beyond is At for values that may be outside of a linear axis.
func (a Axis) Beyond(x float64) float64 {
	return a.From + (x-a.Low)/(a.High-a.Low)*(a.To-a.From)
}

// Ticks returns values worth a label, at most about six.
func (a Axis) Ticks() []float64 {
	var all []float64
	if a.Log {
		decades := int(math.Round(math.Log10(a.High / a.Low)))
		every := 1 + (decades-1)/6
		for i := 0; i <= decades; i += every {
			all = append(all, a.Low*math.Pow(10, float64(i)))
		}
		return all
	}
	step := TickStep((a.High - a.Low) / 4)
	for i := math.Ceil(a.Low/step - 1e-9); i*step <= a.High+step*1e-9; i++ {
		all = append(all, i*step)
	}
	return all
}

// TickStep is the 1, 2 or 5 times a power of ten that is nearest above about x.
func TickStep(x float64) float64 {
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
