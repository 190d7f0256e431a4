package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bsplib/cbsp"
)

// Headers whose functions have manual pages: those that end the program, and those that return codes.
const (
	primitivesHeader = "bsp.h"
	codedHeader      = "migbsp.h"
)

func header(name string) (string, error) {
	text, err := cbsp.Files.ReadFile("include/" + name)
	return string(text), err
}

// entry is a comment of a header and the functions below it.
type entry struct {
	summary, about   string
	names            []string
	lines, multicore []string // prototypes in both dialects
}

var prototype = regexp.MustCompile(`^[a-z][a-z_ ]*[ *]((?:mig)?bsp_[a-z_]+)\(.*\)`)

// entries reads a header. A function without a comment of its own belongs to the entry with the
// same name in the other dialect.
func entries(header string) (all []*entry) {
	named := map[string]*entry{}
	bsplib, multicore, _ := strings.Cut(header, "\n#else /* BSP_MULTICORE */")
	for i, part := range []string{bsplib, multicore} {
		for _, block := range strings.Split(part, "\n\n") {
			var own *entry
			if text, rest, found := strings.Cut(block, "*/\n"); found && strings.HasPrefix(text, "/* ") {
				own, block = &entry{}, rest
				text = strings.ReplaceAll(strings.TrimSpace(strings.TrimPrefix(text, "/* ")), "\n * ", "\n")
				own.summary, own.about, _ = strings.Cut(text, "\n")
			}
			for line := range strings.Lines(block) {
				m := prototype.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				e := own
				if e == nil {
					e = named[m[1]]
				}
				if e == nil {
					continue
				}
				line = strings.TrimPrefix(m[0][:strings.LastIndex(m[0], ")")+1], "static inline ")
				if at := strings.Index(line, ") BSP_"); at > 0 {
					line = line[:at+1]
				}
				if i == 0 {
					e.lines = append(e.lines, line+";")
				} else {
					e.multicore = append(e.multicore, line+";")
				}
				if !slices.Contains(e.names, m[1]) {
					e.names = append(e.names, m[1])
					named[m[1]] = e
				}
			}
			if own != nil && len(own.names) > 0 {
				all = append(all, own)
			}
		}
	}
	return all
}

// manual makes the pages of section 3 from the headers, by the functions' names.
func manual(version string) (map[string]string, error) {
	pages := map[string]string{}
	for _, name := range []string{primitivesHeader, codedHeader} {
		text, err := header(name)
		if err != nil {
			return nil, err
		}
		add(pages, name, entries(text), version)
	}
	return pages, nil
}

func add(pages map[string]string, header string, all []*entry, version string) {
	for _, e := range all {
		var also []string
		for _, other := range all {
			if other != e {
				also = append(also, other.names[0]+"(3)")
			}
		}
		for _, name := range e.names {
			pages[name] = e.page(name, header, version, append([]string{"bspcc(1)", "bsprun(1)"}, also...))
		}
	}
}

func (e *entry) page(name, header, version string, also []string) string {
	var page strings.Builder
	synopsis := func(lines []string) {
		fmt.Fprintf(&page, ".nf\n.B #include <%s>\n.PP\n", header)
		for _, line := range lines {
			fmt.Fprintf(&page, ".B %s\n", roff(line))
		}
		fmt.Fprintf(&page, ".fi\n")
	}
	fmt.Fprintf(&page, ".TH %s 3 \"\" \"migbsp %s\"\n", strings.ToUpper(name), roff(version))
	fmt.Fprintf(&page, ".SH NAME\n%s \\- %s\n", strings.Join(e.names, ", "), roff(strings.ToLower(e.summary[:1])+strings.TrimSuffix(e.summary[1:], ".")))
	fmt.Fprintf(&page, ".SH SYNOPSIS\n")
	if len(e.lines) > 0 {
		synopsis(e.lines)
	}
	if len(e.multicore) > 0 {
		fmt.Fprintf(&page, ".PP\nWith \\-DBSP_MULTICORE, the dialect of MulticoreBSP:\n.PP\n")
		synopsis(e.multicore)
	}
	if e.about != "" {
		fmt.Fprintf(&page, ".SH DESCRIPTION\n%s\n", roff(e.about))
	}
	errors := "Misuse ends the program on all processes, with superstep, process and line."
	if slices.ContainsFunc(e.lines, func(line string) bool { return strings.HasPrefix(line, "migbsp_code ") }) {
		errors = "Misuse has no effect, and is the result: MIGBSP_SUCCESS is 0, and migbsp_why says more of another one."
	}
	fmt.Fprintf(&page, ".SH ERRORS\n%s\n", errors)
	fmt.Fprintf(&page, ".SH \"SEE ALSO\"\n%s\n", strings.Join(also, ",\n"))
	return page.String()
}

// roff returns text with the commands of roff escaped.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
}
