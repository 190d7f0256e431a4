package sbatch

import (
	"errors"
	"strings"
)

// Array is which tasks an array of jobs has. The zero value is no array.
type Array struct {
	Spec string // as Slurm reads it
	Last int    // the largest number
}

// String is the text.
func (a Array) String() string { return a.Spec }

const (
	mostTasks = 4_000_000 // the largest that Slurm can be set up for
	anArray   = "expected numbers and ranges such as 0-11, 0-30:10 or 1,3,5-7, and %4 behind it to run 4 at a time"
)

// ParseArray reads the argument of sbatch -array.
func ParseArray(text string) (Array, error) {
	spec, atOnce, limited := strings.Cut(text, "%")
	if limited {
		if n, err := number(atOnce, mostTasks); err != nil || n == 0 {
			return Array{}, errors.New(anArray)
		}
	}
	a := Array{Spec: text}
	for part := range strings.SplitSeq(spec, ",") {
		last, ok := lastOf(part)
		if !ok {
			return Array{}, errors.New(anArray)
		}
		a.Last = max(a.Last, last)
	}
	return a, nil
}

// lastOf is the last number of a range.
func lastOf(part string) (last int, ok bool) {
	from, to, isRange := strings.Cut(part, "-")
	first, err := number(from, mostTasks)
	if err != nil || !isRange {
		return first, err == nil
	}
	to, by, stepped := strings.Cut(to, ":")
	last, err = number(to, mostTasks)
	if err != nil || last < first {
		return 0, false
	}
	if !stepped {
		return last, true
	}
	step, err := number(by, mostTasks)
	if err != nil || step == 0 {
		return 0, false
	}
	return last - (last-first)%step, true
}
