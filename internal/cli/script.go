package cli

import (
	"bytes"
	"strings"
)

// script is a text that grows by lines.
type script struct{ bytes.Buffer }

func (s *script) line(parts ...string) {
	for _, part := range parts {
		s.WriteString(part)
	}
	s.WriteByte('\n')
}

// quoted is text in single quotes as the Bourne shells read it.
func quoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
