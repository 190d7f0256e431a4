package sbatch

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain are the characters that mean nothing to a shell anywhere in a word.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%"

// Quote is text as one word for bash, on one line. What is not printable, and
// what could change the look of the line, is written in numbers.
func Quote(text string) string {
	switch {
	case text != "" && strings.Trim(text, plain) == "":
		return text
	case printable(text):
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

// directive is an option as sbatch reads it in a script: with a value that is no
// plain word, between double quotes. Neither has a backslash or a double quote.
func directive(option string) string {
	if strings.Trim(option, plain+"[]*") != "" {
		option = `"` + option + `"`
	}
	return "#SBATCH " + option
}
