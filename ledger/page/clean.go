package page

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// clean replaces what must not be in a page: bytes that are no UTF-8, control
// characters, and characters that change the direction of the text around them.
func clean(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return utf8.RuneError
		}
		return r
	}, text)
}
