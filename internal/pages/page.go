// Package pages keeps measured tables in Markdown pages: which command has made them, at
// which commit, when and on which machine, and whether the code has changed since.
//
// A part is the text between two comments:
//
//	<!-- generated: NAME
//	command: go run ./bench/arena papers -page docs/results/papers.md
//	commit: 795de57
//	date: 2026-11-22
//	machine: 2 cores of AMD EPYC, Linux 6.18, go1.26.8
//	from: ./bench/arena/papers examples/grid5000.xml
//	-->
//	...
//	<!-- end -->
//
// It begins with the same in words, for readers who do not see comments. Text around it is
// written by people. from names the sources of the figures: packages, with all packages of
// this module that they import, and files, patterns of files or directories of data.
package pages

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Origin is the source of figures.
type Origin struct {
	Command string
	Commit  string
	Date    string // as 2006-01-02
	Machine string
	From    []string // packages, which begin with ./, and paths
}

// Part is a part of a page that a command has written.
type Part struct {
	Name string
	Origin
	Stale bool   // it notes that the code has changed since
	Body  string // Markdown, without blank lines around it

	before string // the page's text since the part before
}

// Page is a Markdown file with parts.
type Page struct {
	Name  string
	Parts []*Part
	after string
}

const (
	opening = "<!-- generated: "
	closing = "\n<!-- end -->\n"
	changed = "the code has changed since."
)

// Read reads a page's file.
func Read(name string) (*Page, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, string(text))
}

// Parse reads a page. Its String is then the same text.
//
// Errors: a part that is not as String writes it.
func Parse(name, text string) (*Page, error) {
	p := &Page{Name: name}
	seen := 0 // bytes of the text
	for {
		before, rest, more := strings.Cut(text[seen:], opening)
		if !more {
			break
		}
		inner, _, ended := strings.Cut(rest, closing)
		at := fmt.Sprintf("%s:%d", name, 1+strings.Count(text[:seen+len(before)], "\n"))
		if !ended || strings.Contains(inner, opening) {
			return nil, fmt.Errorf("%s: a part has no end: expected a line <!-- end -->", at)
		}
		part, err := parsePart(inner)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		part.before = before
		if text[seen:seen+len(before)+len(opening)+len(inner)+len(closing)] != part.String() {
			return nil, fmt.Errorf("%s: part %s is not as its command writes it: expected\n%s", at, part.Name, strings.TrimPrefix(part.String(), before))
		}
		if p.Part(part.Name) != nil {
			return nil, fmt.Errorf("%s: part %s is there twice", at, part.Name)
		}
		p.Parts = append(p.Parts, part)
		seen += len(part.String())
	}
	p.after = text[seen:]
	return p, nil
}

// parsePart reads the text between the two comments' beginnings.
func parsePart(inner string) (*Part, error) {
	head, body, ok := strings.Cut(inner, "\n-->\n")
	if !ok {
		return nil, errors.New("the comment of a part has no end: expected a line -->")
	}
	name, fields, _ := strings.Cut(head, "\n")
	p := &Part{Name: name}
	for line := range strings.Lines(fields) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "command":
			p.Command = value
		case "commit":
			p.Commit = value
		case "date":
			p.Date = value
		case "machine":
			p.Machine = value
		case "from":
			p.From = strings.Fields(value)
		default:
			return nil, fmt.Errorf("part %s: read %q, expected command, commit, date, machine or from", name, key)
		}
	}
	if _, err := time.Parse(time.DateOnly, p.Date); err != nil || p.Command == "" || p.Commit == "" || p.Machine == "" || len(p.From) == 0 {
		return nil, fmt.Errorf("part %s: expected command, commit, date, machine and from", name)
	}
	p.Stale = strings.HasPrefix(body, p.staleness())
	body = strings.TrimPrefix(strings.TrimPrefix(body, p.staleness()), p.words())
	p.Body = strings.Trim(body, "\n")
	return p, nil
}

// staleness returns the note at the top of a part whose code has changed since.
func (p *Part) staleness() string {
	return fmt.Sprintf("> Measured at %s (%s); %s\n\n", p.Commit, p.Date, changed)
}

// words are the origin as people read it.
func (p *Part) words() string {
	return fmt.Sprintf("`%s`, at %s, %s, on %s:\n\n", p.Command, p.Commit, p.Date, p.Machine)
}

// String is the part with the text before it.
func (p *Part) String() string {
	stale := ""
	if p.Stale {
		stale = p.staleness()
	}
	return fmt.Sprintf("%s%s%s\ncommand: %s\ncommit: %s\ndate: %s\nmachine: %s\nfrom: %s\n-->\n%s%s%s\n%s",
		p.before, opening, p.Name, p.Command, p.Commit, p.Date, p.Machine, strings.Join(p.From, " "), stale, p.words(), p.Body, closing)
}

// String is the page's text.
func (p *Page) String() string {
	var b strings.Builder
	for _, part := range p.Parts {
		b.WriteString(part.String())
	}
	return b.String() + p.after
}

// Part is the part of a name, nil if the page has none.
func (p *Page) Part(name string) *Part {
	if i := slices.IndexFunc(p.Parts, func(part *Part) bool { return part.Name == name }); i >= 0 {
		return p.Parts[i]
	}
	return nil
}

// Outside is the page's text without its parts.
func (p *Page) Outside() string {
	var b strings.Builder
	for _, part := range p.Parts {
		b.WriteString(part.before)
	}
	return b.String() + p.after
}

// Write replaces the page's file, whole or not at all.
func (p *Page) Write() error {
	f, err := os.CreateTemp(filepath.Dir(p.Name), ".page-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(p.String())
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), p.Name)
}
