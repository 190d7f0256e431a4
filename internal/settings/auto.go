package settings

import (
	"flag"
	"strings"
)

// Auto is the value of a setting that leaves the choice to the program, whatever later
// sources say.
const Auto = "auto"

// chosen reports whether the program chooses the value of an unset flag: its zero stands
// for that, and its usage names the choice, as in "(default: one for each core)". Names of
// files are no such flags.
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
