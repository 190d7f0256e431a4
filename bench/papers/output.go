package main

import (
	"fmt"
	"io"
	"math"

	"github.com/migbsp/migbsp/ledger"
)

// output is where tables go; it keeps the first error.
type output struct {
	io.Writer
	progress io.Writer
	err      error
}

func (w *output) line(format string, args ...any) {
	if _, err := fmt.Fprintf(w, format+"\n", args...); err != nil && w.err == nil {
		w.err = err
	}
}

func (w *output) table(title string, header []string, rows [][]string, text ...int) {
	w.line("\n%s\n", title)
	if err := ledger.WriteRows(w, header, rows, text...); err != nil && w.err == nil {
		w.err = err
	}
}

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
	return fmt.Sprintf("%.1f%%", 100*x)
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
