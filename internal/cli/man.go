package cli

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// man is the command that writes manual pages.
func (t *Tool) man() Command {
	c := Command{
		Name:    "man",
		Summary: "writes manual pages into a directory",
		Hidden:  true,
		About: "Writes " + t.Name + ".1 and a page for each command into a directory, which is made" +
			" if need be. scripts/install uses it.",
		Args: []Arg{{Name: "DIR", Values: Directory}},
		Examples: []Example{
			{t.Name + " man /tmp/man && man -l /tmp/man/" + t.Name + ".1", "reads the first page"},
		},
		Setup: func(*flag.FlagSet) Action {
			return func(ctx context.Context, _ Streams, args []string) error {
				return t.writePages(ctx, args[0], args[1:])
			}
		},
	}
	if t.Explain != nil {
		c.About += " Behind DIR stand the paths of other programs that get a page."
		c.Args = append(c.Args, Arg{Name: "PROGRAM", Values: File, Optional: true, Rest: true})
	}
	return c
}

func (t *Tool) writePages(ctx context.Context, dir string, programs []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	all := t.pages()
	for _, path := range programs {
		p, err := t.Explain(ctx, path)
		if err != nil {
			return err
		}
		all[p.Page+".1"] = t.programPage(p)
	}
	for name, page := range all {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pages returns the manual pages by file name.
func (t *Tool) pages() map[string]string {
	all := map[string]string{t.Name + ".1": t.page()}
	for i := range t.Commands {
		c := &t.Commands[i]
		all[t.pageName(c)+".1"] = t.commandPage(c)
	}
	return all
}

// exits are the exit codes of all commands.
var exits = []struct{ code, means string }{
	{"0", "all is well"},
	{"1", "the command has failed, or found what it looks for wanting"},
	{"2", "invalid command line"},
	{"128+n", "signal n has ended the command"},
}

// page is the manual page of the tool.
func (t *Tool) page() string {
	var r script
	r.begin(t, t.Name, t.Summary)
	r.line(".B ", t.Name)
	r.line(`.I CMD`)
	r.text("[flags] [arguments]")
	r.section("Description")
	r.about(t.About)
	r.section("Commands")
	for i := range t.Commands {
		c := &t.Commands[i]
		r.item(".BR "+escaped(t.pageName(c))+" (1)", c.Summary)
	}
	r.exits()
	return r.String()
}

// commandPage returns the page of a command.
func (t *Tool) commandPage(c *Command) string {
	var r script
	r.begin(t, t.pageName(c), c.Summary)
	r.line(bold(t.Name + " " + c.Name))
	if len(c.flags()) > 0 {
		r.text("[flags]")
	}
	for _, a := range c.Args {
		r.line(".I ", escaped(a.shown()))
	}
	r.section("Description")
	r.about(c.About)
	flags := c.flags()
	if len(flags) > 0 {
		r.section("Options")
	}
	for _, o := range flags {
		r.item(bold(o.head()), o.text())
	}
	if len(c.Examples) > 0 {
		r.section("Examples")
	}
	for _, e := range c.Examples {
		r.item(bold(e.Line), e.Does)
	}
	r.exits()
	r.section("See also")
	r.line(".BR ", t.Name, " (1)")
	return r.String()
}

func (r *script) exits() {
	r.section("Exit status")
	for _, e := range exits {
		r.item(bold(e.code), e.means)
	}
}

func (t *Tool) pageName(c *Command) string { return t.Name + "-" + c.Name }

var flagLine = regexp.MustCompile(`^  (-\S.*?)(?:(?:\t|    )\s*(.*))?$`)

// programPage is the manual page of another program.
func (t *Tool) programPage(p Program) string {
	var r script
	r.begin(t, p.Page, p.Summary)
	before, usage, _ := strings.Cut("\n"+p.Help, "\nUsage: ")
	usage, after, _ := strings.Cut(usage, "\n")
	for i, way := range strings.Split(usage, " or: ") {
		if i > 0 {
			r.line(".br")
		}
		r.text(escaped(way))
	}
	r.section("Description")
	r.about(before)
	r.groups(strings.Split(after, "\n"))
	r.section("See also")
	r.line(".BR ", t.Name, " (1)")
	return r.String()
}

// groups writes groups of flags, and the paragraphs that follow them.
func (r *script) groups(lines []string) {
	title, notes := "Options", ""
	for len(lines) > 0 {
		line := lines[0]
		lines = lines[1:]
		found := flagLine.FindStringSubmatch(line)
		switch {
		case found == nil && len(lines) > 0 && strings.HasSuffix(line, ":") && flagLine.MatchString(lines[0]):
			title = strings.TrimSuffix(line, ":")
			continue
		case found == nil:
			notes += line + "\n"
			continue
		}
		if title != "" {
			r.section(title)
			title = ""
		}
		text := found[2]
		for len(lines) > 0 && strings.HasPrefix(lines[0], "    ") {
			text += " " + lines[0]
			lines = lines[1:]
		}
		r.item(bold(found[1]), text)
	}
	if strings.TrimSpace(notes) != "" {
		r.section("Notes")
		r.about(notes)
	}
}

// begin begins a manual page in the macros of man(7), up to its synopsis.
func (r *script) begin(t *Tool, name, summary string) {
	r.line(".TH ", strings.ToUpper(name), " 1 ", t.Date.UTC().Format(time.DateOnly), ` "`, escaped(t.Name+" "+t.Version), `"`)
	r.section("Name")
	r.text(escaped(name) + ` \- ` + escaped(summary))
	r.section("Synopsis")
}

func (r *script) section(name string) {
	r.line(`.SH "`, strings.ToUpper(name), `"`)
}

// item writes a row of a list, whose head is a line with a macro.
func (r *script) item(head, text string) {
	r.line(".TP")
	r.line(head)
	r.text(escaped(text))
}

// bold is the line of a text in bold.
func bold(text string) string {
	return `.B "` + strings.ReplaceAll(escaped(text), `"`, `""`) + `"`
}

// text writes a paragraph in short lines. The text has been escaped.
func (r *script) text(text string) {
	for _, line := range Wrap(text, lineWidth) {
		r.line(protected(line))
	}
}

// about writes the blocks of an About.
func (r *script) about(text string) {
	for i, part := range blocksOf(text) {
		if i > 0 {
			r.line(".PP")
		}
		if !part.kept {
			r.text(escaped(strings.Join(part.lines, " ")))
			continue
		}
		r.line(".nf")
		for _, line := range part.lines {
			r.line(protected(escaped(line)))
		}
		r.line(".fi")
	}
}

// escaped returns text with roff's special characters escaped. It does not protect the first column
// of a line: see protected.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
}

// protected is a line that does not begin as requests do.
func protected(line string) string {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}
