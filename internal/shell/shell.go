// Package shell writes words for bash and reads words as a shell does.
//
// Quote writes any bytes as one line of printable text with the same meaning in every locale.
// (mvdan.cc/sh/v3/syntax writes \u202e, which bash in the C locale takes for these six characters,
// and puts --nodes=4 in quotes.) Words keeps all text. (github.com/google/shlex drops text after a
// #.)
package shell

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain is the characters without a special meaning anywhere in a word.
const Plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%"

// Quote returns text as one word for bash, on one line. Characters that are not printable,
// or could change the look of the line, are written as numbers.
func Quote(text string) string {
	switch {
	case text != "" && strings.Trim(text, Plain) == "":
		return text
	case Printable(text):
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i, r := range text {
		size := utf8.RuneLen(r)
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(r)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			for _, c := range []byte(text[i : i+size]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// QuoteAll is a command line.
func QuoteAll(words []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = Quote(word)
	}
	return strings.Join(all, " ")
}

// Printable reports whether all of a text can be seen.
func Printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

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
