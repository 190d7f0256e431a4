package hostfile

import "strings"

// comments takes comments out of lines.
type comments struct {
	inside bool  // a comment that began on a line before
	opened token // where
}

// strip replaces comments in a line by blanks, so that columns stay, and returns
// the column of the # or // that ends the line, or 0.
func (c *comments) strip(line string, number int) (text string, tail int) {
	if !c.inside && !strings.ContainsAny(line, "#/") {
		return line, 0
	}
	kept := []byte(line)
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch {
		case c.inside && strings.HasPrefix(rest, "*/"):
			c.inside = false
			kept[i], kept[i+1] = ' ', ' '
			i++
		case c.inside:
			kept[i] = ' '
		case rest[0] == '#', strings.HasPrefix(rest, "//"):
			return string(kept[:i]), i + 1
		case strings.HasPrefix(rest, "/*"):
			c.inside, c.opened = true, token{line: number, col: i + 1}
			kept[i], kept[i+1] = ' ', ' '
			i++
		}
	}
	return string(kept), 0
}

// stripPragma ends a pragma at a # that follows white space.
func stripPragma(line string) string {
	for i := 1; i < len(line); i++ {
		if line[i] == '#' && strings.IndexByte(blanks, line[i-1]) >= 0 {
			return line[:i]
		}
	}
	return line
}

// reader reads the lines of a file into its parser.
type reader struct {
	p         *parser
	comments  comments
	tail      token // comment that ends the line being read; line 0 if none
	slotsForm token // first attribute slots=
	countForm token // first host:n
}
