package settings

import "flag"

// Alias gives a flag another name. Both are one setting; files may use either name, and the
// environment the first.
func Alias(flags *flag.FlagSet, other, name string) {
	flags.Var(&alias{flags.Lookup(name).Value, name}, other, "another `name` of -"+name)
}

// alias is the value of such a flag.
type alias struct {
	flag.Value
	of string
}

// AliasOf is the first name of the flag.
func (a *alias) AliasOf() string { return a.of }

// String returns the flag's text, and "" if package flag asks for the zero value.
func (a *alias) String() string {
	if a.Value == nil {
		return ""
	}
	return a.Value.String()
}
