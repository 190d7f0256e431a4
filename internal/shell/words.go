package shell

import (
	"errors"
	"strings"
)

// Words splits text as a shell does, without expansions: at blanks and ends of lines,
// except between quotes and after a backslash. Between double quotes a backslash is itself
// unless a double quote or a backslash follows.
func Words(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\n':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		case '\\':
			if i++; i == len(text) {
				return nil, errors.New(`expected a character behind the last \`)
			}
			word.WriteByte(text[i])
			begun = true
		case '\'', '"':
			end := quote(text[i+1:], c, &word)
			if end < 0 {
				return nil, errors.New("expected a second " + string(c))
			}
			i += end + 1
			begun = true
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// quote reads up to the sign that ends a quoted text, and returns where that is,
// -1 if it is not there.
func quote(text string, sign byte, word *strings.Builder) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == sign:
			return i
		case sign == '"' && text[i] == '\\' && i+1 < len(text) && strings.IndexByte(`"\`, text[i+1]) >= 0:
			i++
		}
		word.WriteByte(text[i])
	}
	return -1
}
