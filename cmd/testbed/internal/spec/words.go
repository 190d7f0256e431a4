package spec

import "strings"

// word is a piece of a line; lines and columns count from 1, columns are bytes.
type word struct {
	text      string
	line, col int
}

const blanks = " \t\r\n\v\f"

// splitWords cuts a line without its comment at white space.
func splitWords(line string, number int) []word {
	line, _, _ = strings.Cut(line, "#")
	var words []word
	for at := 0; ; {
		rest := strings.TrimLeft(line[at:], blanks)
		if rest == "" {
			return words
		}
		at = len(line) - len(rest)
		end := len(line)
		if n := strings.IndexAny(rest, blanks); n >= 0 {
			end = at + n
		}
		words = append(words, word{line[at:end], number, at + 1})
		at = end
	}
}

// attribute cuts "key=value".
func (w word) attribute() (key string, value word, ok bool) {
	key, text, ok := strings.Cut(w.text, "=")
	return key, word{text, w.line, w.col + len(key) + 1}, ok && text != ""
}

// list cuts a word at commas.
func (w word) list() []word {
	var parts []word
	col := w.col
	for _, text := range strings.Split(w.text, ",") {
		parts = append(parts, word{text, w.line, col})
		col += len(text) + 1
	}
	return parts
}
