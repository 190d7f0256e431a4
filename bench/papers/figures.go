package main

import (
	"fmt"
	"math"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// seconds is a time in the digits in which times were published.
func seconds(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}

// percent is a part of a whole.
func percent(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return frame.Percent(x)
}

// signed is a deviation.
func signed(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%+.1f%%", 100*x)
}

// rms is the root of the mean square.
func rms(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(all)))
}

// mean is the arithmetic one.
func mean(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(len(all))
}
