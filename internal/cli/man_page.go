package cli

import (
	"strings"
)

// exits are the codes that all commands end with.
var exits = []struct{ code, means string }{
	{"0", "all is well"},
	{"1", "the command has failed, or found what it looks for wanting"},
	{"2", "invalid command line"},
	{"128+n", "signal n has ended the command"},
}

// page is the manual page of the tool.
func (t *Tool) page() string {
	var r script
	r.title(t.Name, t.Date, t.Name+" "+t.Version)
	r.section("Name")
	r.text(t.Name + ` \- ` + escaped(t.Summary))
	r.section("Synopsis")
	r.line(".B ", t.Name)
	r.line(`.I CMD`)
	r.text("[flags] [arguments]")
	r.section("Description")
	r.about(t.About)
	r.section("Commands")
	for i := range t.Commands {
		c := &t.Commands[i]
		r.line(".TP")
		r.line(".BR ", escaped(t.pageName(c)), " (1)")
		r.text(escaped(c.Summary))
	}
	r.exits()
	return r.String()
}

// commandPage returns the page of a command.
func (t *Tool) commandPage(c *Command) string {
	var r script
	r.title(t.pageName(c), t.Date, t.Name+" "+t.Version)
	r.section("Name")
	r.text(escaped(t.pageName(c)) + ` \- ` + escaped(c.Summary))
	r.section("Synopsis")
	r.line(`.B "`, escaped(t.Name+" "+c.Name), `"`)
	if len(c.flags()) > 0 {
		r.text("[flags]")
	}
	for _, a := range c.Args {
		r.line(".I ", escaped(a.shown()))
	}
	r.section("Description")
	r.about(c.About)
	r.options(c.flags())
	if len(c.Examples) > 0 {
		r.section("Examples")
	}
	for _, e := range c.Examples {
		r.line(".TP")
		r.line(`.B "`, strings.ReplaceAll(escaped(e.Line), `"`, `""`), `"`)
		r.text(escaped(e.Does))
	}
	r.exits()
	r.section("See also")
	r.line(".BR ", t.Name, " (1)")
	return r.String()
}

func (r *script) options(flags []option) {
	if len(flags) == 0 {
		return
	}
	r.section("Options")
	for _, o := range flags {
		r.line(".TP")
		r.line(`.B "`, escaped(o.head()), `"`)
		r.text(escaped(o.text()))
	}
}

func (r *script) exits() {
	r.section("Exit status")
	for _, e := range exits {
		r.line(".TP")
		r.line(".B ", e.code)
		r.text(e.means)
	}
}

func (t *Tool) pageName(c *Command) string { return t.Name + "-" + c.Name }
