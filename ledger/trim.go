package ledger

import (
	"bytes"
	"io"
)

// trimmer leaves out blanks at the ends of lines.
type trimmer struct {
	w      io.Writer
	blanks int // held back
}

// Write is io.Writer's.
func (t *trimmer) Write(b []byte) (int, error) {
	text := make([]byte, 0, len(b)+t.blanks)
	for _, c := range b {
		switch c {
		case ' ':
			t.blanks++
			continue
		case '\n':
		default:
			text = append(text, bytes.Repeat([]byte{' '}, t.blanks)...)
		}
		t.blanks = 0
		text = append(text, c)
	}
	if _, err := t.w.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}
