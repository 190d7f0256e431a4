package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// fieldsOf are the fields of a line; the text of a site may have commas.
func fieldsOf(text string) []string {
	if strings.HasPrefix(text, "site") {
		return strings.SplitN(text, ",", 3)
	}
	return strings.Split(text, ",")
}

// count is a whole number: a superstep from 1 on, or a process from 0 on.
func (t *tableReader) count(field, most int) (int, error) {
	least := 1
	name := strings.Split(forms[t.fields[0]], ",")[field]
	if name == "p" || name == "src" || name == "dst" {
		least = 0
	}
	n, err := strconv.Atoi(t.fields[field])
	if err != nil || n < least || n > most {
		return 0, t.wrong(field, fmt.Sprintf("a whole number from %d to %d", least, most))
	}
	return n, nil
}

// amount is a number from 0 on.
func (t *tableReader) amount(field int) (float64, error) {
	x, err := strconv.ParseFloat(t.fields[field], 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, t.wrong(field, "a number from 0 on")
	}
	return x, nil
}

func (t *tableReader) host(field int) (int, error) {
	host, known := t.hosts[t.fields[field]]
	if !known {
		return 0, t.wrong(field, "a host of the platform")
	}
	return host, nil
}

func (t *tableReader) wrong(field int, expected string) error {
	col := 1
	for _, before := range t.fields[:field] {
		col += len(before) + 1
	}
	return fmt.Errorf("%s:%d:%d: %q: expected %s", t.name, t.number, col, t.fields[field], expected)
}
