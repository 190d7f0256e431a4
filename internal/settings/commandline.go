package settings

import (
	"cmp"
	"errors"
	"flag"
	"strings"
	"time"
)

// parse reads the command line and returns the values of each flag, in order and under any
// of its names.
func parse(flags *flag.FlagSet, args []string) (map[string][]string, error) {
	given := make(map[string][]string)
	flags.VisitAll(func(f *flag.Flag) {
		name := cmp.Or(aliasOf(f), f.Name)
		plain := *f
		f.Value = &recorder{f.Value, func(text string) string {
			given[name] = append(given[name], text)
			return meant(&plain, text)
		}}
	})
	defer flags.VisitAll(func(f *flag.Flag) { f.Value = f.Value.(*recorder).Value })
	return given, Unknown(flags, flags.Parse(args))
}

// Unknown replaces package flag's error for an unknown flag by an error that also names a similar
// flag. Other errors stay unchanged.
func Unknown(flags *flag.FlagSet, err error) error {
	if err == nil {
		return nil
	}
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return err
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return errors.New("there is no flag -" + name + DidYouMean(strings.TrimLeft(name, "-"), "-", names))
}

// recorder wraps a flag's value and records the texts that it is set to.
type recorder struct {
	flag.Value
	note func(text string) string // the text that is meant
}

// Set notes the text and hands it on.
func (r *recorder) Set(text string) error {
	if err := r.Value.Set(r.note(text)); err != nil {
		return errors.New(wrong(r.Value, err))
	}
	return nil
}

// IsBoolFlag reports whether the flag may be given without a value.
func (r *recorder) IsBoolFlag() bool { return isBool(r.Value) }

func isBool(v flag.Value) bool {
	b, ok := v.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// wrong returns the reason why a flag rejects a value. It replaces package flag's text where a better
// one exists.
func wrong(v flag.Value, err error) string {
	getter, ok := v.(flag.Getter)
	if !ok || err.Error() != "parse error" {
		return err.Error()
	}
	switch getter.Get().(type) {
	case bool:
		return "expected true or false"
	case int, int64:
		return "expected a whole number"
	case uint, uint64:
		return "expected a whole number that is not negative"
	case float64:
		return "expected a number"
	case time.Duration:
		return "expected a duration such as 90s or 1h30m"
	}
	return err.Error()
}

// DidYouMean proposes the most similar name, prefixed by before. It returns "" if no name is similar.
func DidYouMean(read, before string, names []string) string {
	if name := nearest(read, names); name != "" {
		return "; did you mean " + before + name + "?"
	}
	return ""
}

// nearest returns the most similar name, "" if none is similar.
func nearest(read string, names []string) string {
	best, least := "", 1+max(1, len(read)/3)
	for _, name := range names {
		d := distance(read, name)
		if len(read) > 1 && strings.HasPrefix(name, read) {
			d = 0
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// distance returns the number of letters that must be inserted, removed, replaced or exchanged with
// the next to turn a into b.
func distance(a, b string) int {
	d := make([][]int, len(a)+1) // by lengths of beginnings of a and b
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-2] == b[j-1] && a[i-1] == b[j-2] {
				d[i][j] = min(d[i][j], 1+d[i-2][j-2])
			}
		}
	}
	return d[len(a)][len(b)]
}
