package launch

import (
	"bytes"
	"io"
	"regexp"
	"sync"
	"time"
)

// leaving is how long a launcher may take to end once a rank is lost.
const leaving = 15 * time.Second

// reported finds the line by which a program says that a rank is lost. The exit codes of
// ranks do not tell: launchers have codes of their own.
var reported = regexp.MustCompile(`^[^:]+: ranks? [-0-9,. ()a-z]+ on \S+ (is|are) lost: `)

// listener passes on what a launcher says, and notices that a rank is lost.
type listener struct {
	to io.Writer

	mu   sync.Mutex
	lost func() // called once
	line []byte // the last one, as far as it has come
	has  bool
}

// longLine is as much of a line as is looked at.
const longLine = 4096

func (l *listener) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := text; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		if room := longLine - len(l.line); room > 0 {
			l.line = append(l.line, part[:min(room, len(part))]...)
		}
		if rest = after; ended {
			if !l.has && reported.Match(l.line) {
				l.has = true
				if l.lost != nil {
					l.lost()
				}
			}
			l.line = l.line[:0]
		}
	}
	return l.to.Write(text)
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
