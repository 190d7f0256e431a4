package sbatch

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Limit is how long a job may take. The zero value leaves it to the partition.
type Limit struct {
	Text    string // as Slurm reads it
	Seconds int    // 0: not limited, or not known
}

// String is the text.
func (l Limit) String() string { return l.Text }

var errLimit = errors.New("expected minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds or UNLIMITED")

// ParseLimit reads a time in one of Slurm's forms. Only the first number may be
// larger than its unit allows.
func ParseLimit(text string) (Limit, error) {
	switch strings.ToUpper(text) {
	case "UNLIMITED", "INFINITE":
		return Limit{Text: strings.ToUpper(text)}, nil
	}
	days, clock, withDays := strings.Cut(text, "-")
	units := []int{60}
	parts := strings.Split(text, ":")
	switch {
	case withDays:
		units, parts = []int{86400, 3600, 60, 1}, append([]string{days}, strings.Split(clock, ":")...)
	case len(parts) == 2:
		units = []int{60, 1}
	case len(parts) == 3:
		units = []int{3600, 60, 1}
	}
	if len(parts) > len(units) {
		return Limit{}, errLimit
	}
	seconds := 0
	for i, part := range parts {
		most := math.MaxInt32 / units[i]
		if i > 0 {
			most = units[i-1]/units[i] - 1
		}
		n, err := number(part, most)
		if err != nil {
			return Limit{}, errLimit
		}
		seconds += n * units[i]
	}
	if seconds == 0 {
		return Limit{}, errors.New("expected some time; UNLIMITED is without a limit")
	}
	if seconds > math.MaxInt32 {
		return Limit{}, errLimit
	}
	return Limit{Text: text, Seconds: seconds}, nil
}

// number reads digits only.
func number(text string, most int) (int, error) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.Atoi(text)
	if err == nil && n > most {
		err = strconv.ErrRange
	}
	return n, err
}
