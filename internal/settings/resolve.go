package settings

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
)

// ConfigFlag is the flag that names the only file to read, in programs that define it.
const ConfigFlag = "config"

// Sources is the sources of a program's settings, besides its command line.
type Sources struct {
	Program   string   // whose table in files counts
	TableOnly bool     // settings above all tables of files do not apply
	Own       []string // flags of this program only: no variables but those below, and in files in its table only
	Actions   []string // flags that are no settings: on the command line only
	Variables []string // MIGBSP_ variables that are not for flags of all programs
	Environ   []string // in the form of os.Environ
	Files     []string // that are read if they exist and no other file is named; the first that has a setting gives it

	// Warn is called with a line for each variable that looks like a setting but is not
	// one.
	Warn func(text string)
}

// Resolve sets the values of all flags and returns them by name. The flags have flag.ContinueOnError.
//
// The error is the one of flags.Parse, or lines that name the origin of each mistake; with
// these the right settings have values.
func (s Sources) Resolve(flags *flag.FlagSet, args []string) ([]Value, error) {
	r := &resolver{sources: s, flags: flags, environ: environment(s.Environ)}
	var err error
	if r.given, err = parse(flags, args); err != nil {
		return nil, err
	}
	r.warnUnknown()
	if err := r.readFiles(); err != nil {
		return nil, err
	}
	var values []Value
	wrong := r.check()
	flags.VisitAll(func(f *flag.Flag) {
		if slices.Contains(s.Actions, f.Name) || aliasOf(f) != "" {
			return
		}
		v, err := r.settle(f)
		if err != nil {
			wrong = append(wrong, err)
		}
		values = append(values, v)
	})
	return values, errors.Join(wrong...)
}

// resolver is the state of a resolution.
type resolver struct {
	sources Sources
	flags   *flag.FlagSet
	environ map[string]string   // variables of ours that are not empty
	given   map[string][]string // by the command line
	files   []*file
}

// settle sets a flag's value, unless the command line has set it, and records the source.
func (r *resolver) settle(f *flag.Flag) (Value, error) {
	v := Value{Name: f.Name}
	if given := r.given[f.Name]; given != nil {
		v.Origin, v.Given = Flag, given
	} else if text, ok := r.variable(f.Name); ok {
		v.Origin, v.Given = Variable(f.Name), []string{text}
		v.written = v.Origin + "=" + text
	} else if e, in := r.entry(f.Name); e != nil {
		line, _ := in.place(e.at)
		v.Origin, v.Given = fmt.Sprintf("%s:%d", in.name, line), []string{e.text}
		v.written = in.written(e)
	} else {
		v.Origin = Default
	}
	if v.written != "" {
		if err := r.flags.Set(f.Name, meant(f, v.Given[0])); err != nil {
			return v, fmt.Errorf("%s: %s", v.written, wrong(f.Value, err))
		}
	}
	v.Value = f.Value.String()
	v.Chosen = chosen(f) && v.Value == f.DefValue
	v.Value = cmp.Or(v.Value, strings.Join(v.Given, " "))
	v.written = cmp.Or(v.written, onCommandLine(f, v.Value))
	return v, nil
}

// variable returns the environment's value of a setting.
func (r *resolver) variable(name string) (text string, given bool) {
	if slices.Contains(r.sources.Own, name) && !slices.Contains(r.sources.Variables, Variable(name)) {
		return "", false
	}
	text, given = r.environ[Variable(name)]
	return text, given
}

// entry finds a setting in the first file that has it, there in the program's table
// before the top; nil if no file does.
func (r *resolver) entry(name string) (*entry, *file) {
	names := append([]string{name}, aliases(r.flags, name)...)
	for _, in := range r.files {
		for _, name := range names {
			if e := in.find(r.sources.Program, name); e != nil {
				return e, in
			}
		}
		if e := in.find("", name); e != nil && !r.sources.TableOnly {
			return e, in
		}
	}
	return nil, nil
}

// onCommandLine is a flag as a user would write it.
func onCommandLine(f *flag.Flag, value string) string {
	if isBool(f.Value) && value == "true" {
		return "-" + f.Name
	}
	return "-" + f.Name + " " + value
}
