package sim

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Profile is a value that changes at given times, and may do so again and again.
type Profile struct {
	times  []float64 // ascending, from 0 on
	values []float64
	period float64 // after which the profile repeats; 0: never
	open   bool    // values[0] is not given: the last value of the period before holds
}

// NewProfile begins with a value.
func NewProfile(value float64) *Profile {
	return &Profile{times: []float64{0}, values: []float64{value}}
}

// Set makes the value another from a time on, which must not be before the last one.
func (p *Profile) Set(time, value float64) {
	last := len(p.times) - 1
	if time == p.times[last] {
		p.values[last], p.open = value, p.open && last > 0
		return
	}
	p.times, p.values = append(p.times, time), append(p.values, value)
}

// At returns the value at a time, and when it changes next: +Inf if never.
func (p *Profile) At(time float64) (value, until float64) {
	turn := 0.0
	if p.period > 0 {
		turn = math.Floor(time/p.period) * p.period
	}
	if p.period > 0 && turn+p.period <= time {
		turn += p.period // which rounding had kept below
	}
	i := max(0, sort.Search(len(p.times), func(i int) bool { return turn+p.times[i] > time })-1)
	switch {
	case i+1 < len(p.times):
		until = turn + p.times[i+1]
	case p.period > 0:
		until = turn + p.period
	default:
		until = math.Inf(1)
	}
	if i == 0 && p.open && turn > 0 {
		i = len(p.values) - 1
	}
	return p.values[i], until
}

// from returns the profile with another value before its first entry.
func (p *Profile) from(value float64) *Profile {
	other := *p
	if p.open {
		other.values = slices.Clone(p.values)
		other.values[0] = value
	}
	return &other
}

// over returns the profile with its values as parts of a whole; before the first given
// value it is the whole.
func (p *Profile) over(whole float64) *Profile {
	parts := *p.from(whole)
	parts.values = slices.Clone(parts.values)
	for i := range parts.values {
		parts.values[i] /= whole
	}
	return &parts
}

// Shares is profiles whose values multiply; without profiles the value is 1 at all times.
type Shares []*Profile

// At returns the value at a time, and when it may change next.
func (s Shares) At(time float64) (value, until float64) {
	value, until = 1, math.Inf(1)
	for _, p := range s {
		v, u := p.At(time)
		if v == 0 && math.IsInf(u, 1) {
			return v, u
		}
		value, until = value*v, min(until, u)
	}
	return value, until
}

// mostIdle is the number of consecutive changes with the value 0 after which the value counts as 0
// for ever.
const mostIdle = 10_000

// Next returns the first time at or after the given one with a value above 0, or +Inf.
func (s Shares) Next(time float64) float64 {
	for range mostIdle {
		value, until := s.At(time)
		if value > 0 || math.IsInf(time, 1) {
			return time
		}
		time = until
	}
	return math.Inf(1)
}

// Mean returns the mean value between two times.
func (s Shares) Mean(from, to float64) float64 {
	value, until := s.At(from)
	if until >= to {
		return value
	}
	sum := 0.0
	for at := from; at < to; {
		value, until := s.At(at)
		until = min(until, to)
		sum += value * (until - at)
		at = until
	}
	return sum / (to - from)
}

// End returns the time when an amount of work is done that begins at a time and is done at
// the rate of the value: +Inf if never.
func (s Shares) End(begin, amount float64) float64 {
	if len(s) == 0 {
		return begin + amount
	}
	for at := begin; ; {
		if at = s.Next(at); math.IsInf(at, 1) {
			return at
		}
		value, until := s.At(at)
		if at+amount/value <= until {
			return at + amount/value
		}
		amount -= value * (until - at)
		at = until
	}
}

// ParseProfile reads lines of a time and a value. PERIODICITY or LOOPAFTER gives the time
// after which the profile repeats: the first counts from the beginning, the second from the
// last line. # begins a comment. Before the first line the value is 1, and in a repetition
// the value of the last line.
func ParseProfile(name string, r io.Reader) (*Profile, error) {
	p := NewProfile(1)
	p.open = true
	loopAfter := -1.0
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		wrong := func(expected string) error {
			return fmt.Errorf("%s:%d: %q: expected %s", name, number, strings.TrimSpace(text), expected)
		}
		if len(words) != 2 {
			return nil, wrong("a time and a value, or PERIODICITY or LOOPAFTER and a time")
		}
		figure, err := strconv.ParseFloat(words[1], 64)
		if err != nil || !(figure >= 0) || math.IsInf(figure, 0) {
			return nil, wrong("a number from 0 on at the end")
		}
		switch words[0] {
		case "PERIODICITY":
			p.period = figure
			continue
		case "LOOPAFTER":
			loopAfter = figure
			continue
		}
		time, err := strconv.ParseFloat(words[0], 64)
		if err != nil || !(time >= p.times[len(p.times)-1]) || math.IsInf(time, 0) {
			return nil, wrong("a time not before that of the line above")
		}
		p.Set(time, figure)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	last := p.times[len(p.times)-1]
	if loopAfter >= 0 {
		p.period = last + loopAfter
	}
	if p.period > 0 && p.period < last {
		return nil, fmt.Errorf("%s: the period of %g s is over before the last line at %g s", name, p.period, last)
	}
	if !p.open && slices.Min(p.values) == slices.Max(p.values) {
		return NewProfile(p.values[0]), nil
	}
	return p, nil
}
