package hostfile

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// Parse reads a host file. The name is for messages. If anything is wrong the
// error is a Problems, or the reader's own.
func Parse(name string, r io.Reader) (*File, error) { return Rules{}.Parse(name, r) }

// Read is Parse of a file on disk.
func Read(path string) (*File, error) { return Rules{}.Read(path) }

// Read is Parse of a file on disk.
func (rules Rules) Read(path string) (*File, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return rules.Parse(path, r)
}

// Parse reads a host file by these rules.
func (rules Rules) Parse(name string, r io.Reader) (*File, error) {
	p := newParser(name, rules)
	text, err := p.text(r)
	if err != nil {
		return nil, err
	}
	p.lines(text)
	return p.finish()
}

// text reads everything. A text that is too large or in another encoding is an
// error of the parser, and what is returned then can be read nevertheless.
func (p *parser) text(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.name, err)
	}
	if len(text) > maxFile {
		p.fail(token{line: 1, col: 1}.problem(0, "a file of more than 16 MiB", "a host file"))
		return "", nil
	}
	if !p.encoding(text) {
		return "", nil
	}
	return string(bytes.TrimPrefix(text, []byte(utf8Mark))), nil
}

const utf8Mark = "\xef\xbb\xbf"

// encoding reports whether the text can be read at all. A byte order mark is an
// error in any case.
func (p *parser) encoding(text []byte) bool {
	start := token{line: 1, col: 1}
	switch {
	case bytes.HasPrefix(text, []byte(utf8Mark)):
		p.fail(start.problem(0, "byte order mark of UTF-8", "text without it, for MPI does not read it"))
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		p.fail(start.problem(0, "byte order mark of UTF-16", "plain ASCII"))
		return false
	}
	return true
}

// lines reads all lines.
func (p *parser) lines(text string) {
	returns := false
	for number := 1; text != "" && !p.stopped; number++ {
		line, rest, ended := strings.Cut(text, "\n")
		text = rest
		if strings.HasSuffix(line, "\r") {
			line = line[:len(line)-1]
			if !returns && p.rules.Form == Launchers {
				p.warn(token{line: number, col: len(line) + 1}.problem(0, "lines that end with CR LF, which Open MPI does not read", ""))
			}
			returns = true
		}
		p.line(line, number, ended)
	}
	if p.comments.inside {
		p.fail(p.comments.opened.problem(0, "comment that nothing closes", "*/ after it"))
	}
}

// line reads one line; ended reports whether it has its line feed.
func (p *parser) line(line string, number int, ended bool) {
	if !p.comments.inside && strings.HasPrefix(line, "#@") {
		p.pragma(&cursor{text: stripPragma(line), line: number, at: len("#@")})
		if !ended {
			p.warnEnd(token{line: number, col: 1})
		}
		return
	}
	text, tail := p.comments.strip(line, number)
	c := &cursor{text: text, line: number}
	blank := !c.blank()
	p.tail = token{}
	if tail > 0 {
		p.tail = token{line: number, col: tail}
		p.warnTail(token{text: line[tail-1:], line: number, col: tail}, blank, ended)
	}
	if !blank {
		p.formLine(c)
	}
}

// warnTail warns of comments that do not mean what they seem to.
func (p *parser) warnTail(comment token, blank, ended bool) {
	if strings.HasPrefix(comment.text, "#@") {
		p.warn(comment.problem(0, `"#@" within a line, which is read as a comment`, "it at the start of a line"))
	}
	if blank && !ended {
		p.warnEnd(comment)
	}
}

func (p *parser) warnEnd(comment token) {
	if p.rules.Form == Launchers {
		p.warn(comment.problem(0, "comment on a last line that does not end, which Open MPI does not read", "a line feed"))
	}
}
