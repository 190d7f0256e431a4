// Package flags is for command lines with parts that exclude each other.
package flags

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"

	"github.com/migbsp/migbsp/internal/settings"
)

// Unused returns an error if one of these flags was given, even with its default: a flag
// without a use in a run is a mistake. reason goes on after the flag and its value.
func Unused(reason string, names ...string) error {
	return unused(flag.CommandLine, reason, names)
}

func unused(set *flag.FlagSet, reason string, names []string) (err error) {
	set.Visit(func(f *flag.Flag) {
		if err == nil && slices.Contains(names, f.Name) {
			err = fmt.Errorf("-%s %s: %s", f.Name, f.Value, reason)
		}
	})
	return err
}

// Alias gives a flag an earlier or common name as its second name. Both names are one setting, which
// the configuration lists by its first name. The call follows the flag, in a declaration of
// variables, and its result is unused.
func Alias(other, name string) (none struct{}) {
	settings.Alias(flag.CommandLine, other, name)
	return none
}

// OptionalInt is a whole number that may be left out, with a default that is not always the
// same number.
type OptionalInt struct {
	given bool
	value int
}

// Int defines a flag for a number that may be left out; usage names the default.
func Int(name, usage string) *OptionalInt {
	x := new(OptionalInt)
	flag.Var(x, name, usage)
	return x
}

// Or returns the number if it is set, and usual otherwise.
func (x *OptionalInt) Or(usual int) int {
	if x.given {
		return x.value
	}
	return usual
}

// String returns "" if no number is set.
func (x *OptionalInt) String() string {
	if !x.given {
		return ""
	}
	return strconv.Itoa(x.value)
}

// Set reads a number; an empty text is none.
func (x *OptionalInt) Set(text string) error {
	if text == "" {
		*x = OptionalInt{}
		return nil
	}
	value, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("expected a whole number")
	}
	*x = OptionalInt{true, value}
	return nil
}
