package cli

import "strings"

// lineWidth is the width of help, in columns.
const lineWidth = 79

// Wrap breaks text between words into lines of at most width characters; a longer word has
// a line to itself.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// block is a paragraph, or lines that are not wrapped.
type block struct {
	lines []string
	kept  bool
}

// blocksOf splits the text of an About.
func blocksOf(text string) []block {
	var all []block
	ended := true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if line == "" {
			ended = true
			continue
		}
		kept := line[0] == ' ' || line[0] == '\t'
		if ended || all[len(all)-1].kept != kept {
			all = append(all, block{kept: kept})
		}
		last := &all[len(all)-1]
		last.lines = append(last.lines, line)
		ended = false
	}
	return all
}
