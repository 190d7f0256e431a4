// Package settings finds the values of a program's settings and their sources: a flag on its command
// line, a variable of its environment, a configuration file, or its default. The first of these, in
// this order, that names a setting gives its value.
//
// A setting is a flag of a flag.FlagSet; all sources set it through flag.Set, as the command line
// does. Files are TOML with a table for each program: see docs/reference/configuration.md.
package settings

import (
	"flag"
	"strings"
)

// Origins of values besides variables, which are named, and files, whose name
// and line are given.
const (
	Flag    = "flag"
	Default = "default"
)

// Value is a setting, its value, and the source of the value.
type Value struct {
	Name   string
	Value  string
	Origin string   // Flag, Default, MIGBSP_NAME or file:line
	Given  []string // the texts that flag.Set was called with; none by default
	Chosen bool     // the program chooses: Value is the flag's zero, or Auto was given

	written string
}

// Written returns the setting as its source has it, for messages: -procs 4, MIGBSP_PROCS=4
// or migbsp.toml:3:9: procs = 4.
func (v Value) Written() string { return v.written }

// Choose sets the value chosen by a caller of Resolve, with the reason shown in messages.
func (v *Value) Choose(value, reason string) {
	v.Value, v.Given, v.Origin, v.Chosen = value, []string{value}, reason, false
	v.written = "-" + v.Name + " " + value + " (" + reason + ")"
}

// Shown returns the value for display. The displayed text is valid as input.
func (v Value) Shown() string {
	if v.Chosen {
		return Auto
	}
	return v.Value
}

// Apply sets a flag to the value resolved by another process. A default is set only if it differs
// from this process's.
func (v Value) Apply(flags *flag.FlagSet) error {
	if v.Origin == Default {
		if f := flags.Lookup(v.Name); f == nil || f.Value.String() == v.Value {
			return nil
		}
		return flags.Set(v.Name, v.Value)
	}
	for _, text := range v.Given {
		if f := flags.Lookup(v.Name); f != nil {
			text = meant(f, text)
		}
		if err := flags.Set(v.Name, text); err != nil {
			return err
		}
	}
	return nil
}

// Auto is the value of a setting that leaves the choice to the program and overrides later sources.
const Auto = "auto"

// chosen reports whether the program chooses the value of an unset flag: its default is the zero
// value, and its usage names the choice, as in "(default: one for each core)". Flags for file names
// are excluded.
func chosen(f *flag.Flag) bool {
	name, usage := flag.UnquoteUsage(f)
	return (f.DefValue == "" || f.DefValue == "0") && strings.Contains(usage, "(default: ") && !strings.Contains(name, "file")
}

// meant is the text that a flag is set to by another.
func meant(f *flag.Flag, text string) string {
	if text == Auto && chosen(f) {
		return f.DefValue
	}
	return text
}

// another is a flag that is a second name of one.
type another interface {
	flag.Value
	AliasOf() string
}

// aliasOf is the name of the flag that this is another name of, "" if it is none's.
func aliasOf(f *flag.Flag) string {
	if a, ok := f.Value.(another); ok {
		return a.AliasOf()
	}
	return ""
}

// aliases returns the other names of a flag.
func aliases(flags *flag.FlagSet, name string) []string {
	var all []string
	flags.VisitAll(func(f *flag.Flag) {
		if aliasOf(f) == name {
			all = append(all, f.Name)
		}
	})
	return all
}
