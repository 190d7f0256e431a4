package cli

import (
	"regexp"
	"strings"
)

var flagLine = regexp.MustCompile(`^  (-\S.*?)(?:(?:\t|    )\s*(.*))?$`)

// programPage is the manual page of another program.
func (t *Tool) programPage(p Program) string {
	var r script
	r.title(p.Page, t.Date, t.Name+" "+t.Version)
	r.section("Name")
	r.text(escaped(p.Page) + ` \- ` + escaped(p.Summary))
	before, usage, _ := strings.Cut("\n"+p.Help, "\nUsage: ")
	usage, after, _ := strings.Cut(usage, "\n")
	r.section("Synopsis")
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
		r.line(".TP")
		r.line(`.B "`, strings.ReplaceAll(escaped(found[1]), `"`, `""`), `"`)
		r.text(escaped(text))
	}
	if strings.TrimSpace(notes) != "" {
		r.section("Notes")
		r.about(notes)
	}
}
