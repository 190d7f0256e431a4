package settings

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// file is what a configuration file says, in its order.
type file struct {
	name    string
	entries []entry
	index   map[[2]string]int // of entries by table and key
}

// entry is a line that sets something.
type entry struct {
	table       string // "" for those before the first table
	key         string
	text        string // the value, for flag.Set
	source      string // the value as it stands there
	line        int
	keyCol, col int // of the key and of the value
}

// find is the entry of a key in a table, nil if there is none.
func (f *file) find(table, key string) *entry {
	i, ok := f.index[[2]string{table, key}]
	if !ok {
		return nil
	}
	return &f.entries[i]
}

// written is an entry for messages.
func (f *file) written(e *entry) string {
	return fmt.Sprintf("%s:%d:%d: %s = %s", f.name, e.line, e.col, e.key, e.source)
}

// read reads a file up to the first thing that is wrong with it.
func read(name, text string) (*file, error) {
	p := parser{file: &file{name: name, index: make(map[[2]string]int)}, tables: make(map[string]int)}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		c := &cursor{text: strings.TrimSuffix(line, "\r"), line: number}
		problem := c.plain()
		if problem == nil {
			problem = p.line(c)
		}
		if problem != nil {
			problem.File = name
			return nil, problem
		}
	}
	return p.file, nil
}

// parser is a file on its way.
type parser struct {
	file   *file
	table  string
	tables map[string]int // and the lines where they begin
}

// line reads a line: a table, an entry, or nothing.
func (p *parser) line(c *cursor) *Problem {
	var problem *Problem
	c.space()
	switch {
	case c.over():
		return nil
	case c.take("["):
		problem = p.header(c)
	default:
		problem = p.entry(c)
	}
	if problem != nil {
		return problem
	}
	if c.space(); !c.over() {
		return c.problem("the end of the line or a comment")
	}
	return nil
}

// header reads what follows the bracket that opens a table.
func (p *parser) header(c *cursor) *Problem {
	c.space()
	at := c.at
	name, problem := c.name("the name of a program")
	if problem != nil {
		return problem
	}
	if !c.take("]") {
		return c.problem(`"]"`)
	}
	if before := p.tables[name]; before > 0 {
		return c.again(at, "["+name+"]", before)
	}
	p.table, p.tables[name] = name, c.line
	return nil
}

// entry reads a key and its value.
func (p *parser) entry(c *cursor) *Problem {
	e := entry{table: p.table, line: c.line, keyCol: c.at + 1}
	var problem *Problem
	if e.key, problem = c.name("the name of a setting, or [ and the name of a program"); problem != nil {
		return problem
	}
	if before := p.file.find(p.table, e.key); before != nil {
		return c.again(e.keyCol-1, quote(e.key), before.line)
	}
	if !c.take("=") {
		return c.problem(`"="`)
	}
	c.space()
	begin := c.at
	if e.text, problem = c.value(); problem != nil {
		return problem
	}
	e.col, e.source = begin+1, c.text[begin:c.at]
	p.file.index[[2]string{e.table, e.key}] = len(p.file.entries)
	p.file.entries = append(p.file.entries, e)
	return nil
}

// plain looks for what no line may contain.
func (c *cursor) plain() *Problem {
	for i, r := range c.text {
		if r == utf8.RuneError && !strings.HasPrefix(c.text[i:], string(utf8.RuneError)) {
			return &Problem{Line: c.line, Col: i + 1, Read: fmt.Sprintf("byte %#02x", c.text[i]), Expected: "text in UTF-8"}
		}
		if isControl(r) {
			return &Problem{Line: c.line, Col: i + 1, Read: fmt.Sprintf("control character %U", r), Expected: "text"}
		}
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
