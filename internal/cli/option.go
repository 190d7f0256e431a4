package cli

import (
	"flag"
	"io"
	"strings"
)

// option describes a flag for help, completion and manual.
type option struct {
	name    string
	value   string // placeholder of its value, "" if it has none
	usage   string
	initial string // default value, "" if help does not show it
	values  Values
}

// flags returns the command's flags, sorted by name, without old names.
func (c *Command) flags() []option {
	set := newFlagSet(c.Name)
	c.Setup(set)
	var all []option
	set.VisitAll(func(f *flag.Flag) {
		if _, old := f.Value.(*renamed); !old {
			all = append(all, optionOf(f))
		}
	})
	return all
}

func newFlagSet(name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	return set
}

func optionOf(f *flag.Flag) option {
	o := option{name: f.Name, initial: f.DefValue}
	o.value, o.usage = flag.UnquoteUsage(f)
	if c, ok := f.Value.(completing); ok {
		o.values = c.completes()
	}
	if _, one := f.Value.(*choice); one {
		o.value = strings.Join(o.values.Words, "|")
	}
	if _, many := f.Value.(*list); many {
		o.value = "LIST"
		o.usage += "; a list between commas of " + strings.Join(o.values.Words, ", ")
	}
	if o.initial == "false" || o.initial == "0" { // which are not worth printing
		o.initial = ""
	}
	return o
}

// head returns the flag with a name for its value.
func (o option) head() string {
	if o.value == "" {
		return "-" + o.name
	}
	return "-" + o.name + " " + o.value
}

// text is the usage with the default.
func (o option) text() string {
	if o.initial == "" {
		return o.usage
	}
	return o.usage + " (default " + o.initial + ")"
}

// synopsis returns the usage line of the command.
func (c *Command) synopsis(tool string) string {
	line := tool + " " + c.Name
	if len(c.flags()) > 0 {
		line += " [flags]"
	}
	for _, a := range c.Args {
		line += " " + a.shown()
	}
	return line
}
