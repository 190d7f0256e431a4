package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Speed is a part of one processor, from MinSpeed to MaxSpeed.
type Speed float64

// Rate is in bits per second; 0 is no limit.
type Rate float64

// Bounds of figures, beyond which the testbed cannot emulate.
const (
	MinSpeed Speed = 0.01
	MaxSpeed Speed = 0.90

	minRate, maxRate Rate = 64e3, 40e9
	maxLatency            = time.Second
)

// String is a percentage, such as "30%".
func (s Speed) String() string {
	return strconv.FormatFloat(math.Round(float64(s)*1e6)/1e4, 'f', -1, 64) + "%"
}

// ParseSpeed reads a percentage with its sign, such as 30% or 12.5%.
func ParseSpeed(text string) (Speed, error) {
	number, found := strings.CutSuffix(text, "%")
	value, ok := decimal(number)
	if speed := Speed(value / 100); found && ok && speed >= MinSpeed && speed <= MaxSpeed {
		return speed, nil
	}
	return 0, wrong("speed", text, fmt.Sprintf("a part of a processor from %v to %v, such as 30%%", MinSpeed, MaxSpeed))
}

// ParsePart reads a percentage from above 0 to 100%.
func ParsePart(text string) (Speed, error) {
	number, found := strings.CutSuffix(text, "%")
	value, ok := decimal(number)
	if found && ok && value > 0 && value <= 100 {
		return Speed(value / 100), nil
	}
	return 0, wrong("part", text, "a part of a host from above 0% to 100%")
}

// Rates are written with the first unit that gives a number of at least 1.
var rateUnits = []struct {
	name string
	bits float64
}{
	{"Gb/s", 1e9}, {"Mb/s", 1e6}, {"kb/s", 1e3}, {"b/s", 1},
	{"GB/s", 8e9}, {"MB/s", 8e6}, {"kB/s", 8e3}, {"B/s", 8},
}

// String is a rate as ParseRate reads it, or "-" for no limit.
func (r Rate) String() string {
	if r == 0 {
		return "-"
	}
	for _, unit := range rateUnits {
		if float64(r) >= unit.bits {
			return strconv.FormatFloat(float64(r)/unit.bits, 'f', -1, 64) + unit.name
		}
	}
	return strconv.FormatFloat(float64(r), 'f', -1, 64) + "b/s"
}

// ParseRate reads bits or bytes per second, such as 100Mb/s.
func ParseRate(text string) (Rate, error) {
	for _, unit := range rateUnits {
		number, found := strings.CutSuffix(text, unit.name)
		if !found {
			continue
		}
		value, ok := decimal(number)
		if rate := Rate(value * unit.bits); ok && rate >= minRate && rate <= maxRate {
			return rate, nil
		}
	}
	return 0, wrong("rate", text, fmt.Sprintf("bits or bytes per second from %v to %v, such as 100Mb/s or 10MB/s", minRate, maxRate))
}

func parseLatency(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && d >= 0 && d <= maxLatency {
		return d, nil
	}
	return 0, wrong("latency", text, fmt.Sprintf("a duration from 0s to %v, such as 5ms", maxLatency))
}

// decimal reads digits with at most one point.
func decimal(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

// wrongFigure is a figure that cannot be read.
type wrongFigure struct{ read, expected string }

func wrong(what, text, expected string) wrongFigure {
	return wrongFigure{read: what + " " + quote(text), expected: expected}
}

// Error returns the text that was read and the expected text.
func (w wrongFigure) Error() string { return w.read + ", expected " + w.expected }

// quote quotes text, up to a length.
func quote(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strconv.Quote(text)
}
