package launch

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"sync"
	"time"
)

// How long a launcher may take to end once a rank is lost, until it is asked to, and then
// until it is killed. Ranks end within 3 s.
const (
	leaving   = 8 * time.Second
	insisting = 5 * time.Second
)

// reported matches the line by which a program reports a lost rank. Exit codes of ranks do
// not show it: launchers have their own codes.
var reported = regexp.MustCompile(`^[^:]+: ranks? [-0-9,. ()a-z]+ on \S+ (is|are) lost: `)

// listener passes on a launcher's output, and notices that a rank is lost. Later output is
// the launcher's own, often many lines about its inside: it goes into a file.
type listener struct {
	to io.Writer

	mu    sync.Mutex
	lost  func() // called once
	line  []byte // the last one, up to now
	has   bool
	words *os.File // nil while nothing has come
}

// longLine bounds the part of a line that is read.
const longLine = 4096

func (l *listener) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := text
	for len(rest) > 0 && !l.has {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		if room := longLine - len(l.line); room > 0 {
			l.line = append(l.line, part[:min(room, len(part))]...)
		}
		if rest = after; ended {
			if reported.Match(l.line) {
				l.has = true
				if l.lost != nil {
					l.lost()
				}
			}
			l.line = l.line[:0]
		}
	}
	if shown := text[:len(text)-len(rest)]; len(shown) > 0 {
		if n, err := l.to.Write(shown); err != nil {
			return n, err
		}
	}
	l.keep(rest)
	return len(text), nil
}

// keep puts last words into a file, and shows them if there can be none.
func (l *listener) keep(words []byte) {
	if len(words) == 0 {
		return
	}
	if l.words == nil {
		var err error
		if l.words, err = os.CreateTemp("", "migbsp-launcher-*.txt"); err != nil {
			l.words = nil
			l.to.Write(words)
			return
		}
	}
	l.words.Write(words)
}

// close returns where the last words are, "" if there are none.
func (l *listener) close() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.words == nil {
		return ""
	}
	l.words.Close()
	return l.words.Name()
}

// onLost has f called when a rank is lost, also if one is already.
func (l *listener) onLost(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost = f; l.has {
		f()
	}
}

func (l *listener) hasLost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.has
}
