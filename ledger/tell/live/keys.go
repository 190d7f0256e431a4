package live

import (
	"bytes"
	"slices"
	"strings"
)

// key is a pressed key: a character, or one of these.
type key rune

const (
	keyUp key = -1 - iota
	keyDown
	keyPageUp
	keyPageDown
	keyHome
	keyEnd
	keyOther

	interrupt key = 'C' & 0x1f // Ctrl-C
	redraw    key = 'L' & 0x1f
	suspend   key = 'Z' & 0x1f
)

// sequences are the bytes that terminals send for keys, after the escape.
var sequences = map[string]key{
	"[A": keyUp, "OA": keyUp, "[B": keyDown, "OB": keyDown, "[5~": keyPageUp, "[6~": keyPageDown,
	"[H": keyHome, "OH": keyHome, "[1~": keyHome, "[7~": keyHome, "[F": keyEnd, "OF": keyEnd, "[4~": keyEnd, "[8~": keyEnd,
}

// keyboard turns the bytes of a terminal into keys.
type keyboard struct{ rest []byte }

// keys takes bytes as they come: a sequence may be cut.
func (k *keyboard) keys(b []byte) []key {
	const escape, most = 0x1b, 32
	b = append(k.rest, b...)
	k.rest = nil
	var keys []key
	for len(b) > 0 {
		if b[0] != escape {
			keys = append(keys, key(b[0]))
			b = b[1:]
			continue
		}
		n := sequence(b[1:])
		if n < 0 && len(b) < most {
			k.rest = bytes.Clone(b)
			return keys
		}
		n = max(0, n)
		if is, known := sequences[string(b[1:1+n])]; known {
			keys = append(keys, is)
		} else {
			keys = append(keys, keyOther)
		}
		b = b[1+n:]
	}
	return keys
}

// sequence returns the length of an escape sequence, without the escape; -1 if it is
// not whole.
func sequence(b []byte) int {
	switch {
	case len(b) == 0:
		return -1
	case b[0] == 'O':
		if len(b) < 2 {
			return -1
		}
		return 2
	case b[0] != '[':
		return 0
	}
	end := slices.IndexFunc(b[1:], func(c byte) bool { return c >= 0x40 && c <= 0x7e })
	if end < 0 {
		return -1
	}
	return end + 2
}

// press changes the view; page is the number of rows of the table that are shown.
func (v *View) press(k key, page int) {
	step := map[key]int{'j': 1, keyDown: 1, 'k': -1, keyUp: -1, keyPageDown: max(1, page-1), ' ': max(1, page-1), keyPageUp: -max(1, page-1)}
	const all = 1 << 30
	switch {
	case k == '?':
		v.Help = !v.Help
	case v.Help:
		v.Help = false
	case k == 'p':
		v.Paused = !v.Paused
	case k == 'w':
		v.Whole = !v.Whole
	case step[k] != 0:
		v.Scroll = max(0, v.Scroll+step[k])
	case k == 'g' || k == keyHome:
		v.Scroll = 0
	case k == 'G' || k == keyEnd:
		v.Scroll = all
	case k > 0 && strings.ContainsRune("ersc", rune(k)):
		v.Table = map[key]string{'e': "sets", 'r': "ranks", 's': "sites", 'c': "calls"}[k]
		v.Scroll = 0
	}
}
