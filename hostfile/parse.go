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
	(&reader{p: p}).lines(text)
	return p.finish()
}

// text reads all of r. A text that is too large or in another encoding is an error of the
// parser; its beginning is returned and can be read.
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
func (r *reader) lines(text string) {
	returns := false
	for number := 1; text != "" && !r.p.stopped; number++ {
		line, rest, ended := strings.Cut(text, "\n")
		text = rest
		if strings.HasSuffix(line, "\r") {
			line = line[:len(line)-1]
			if !returns && r.p.rules.Form == Launchers {
				r.p.warn(token{line: number, col: len(line) + 1}.problem(0, "lines that end with CR LF, which Open MPI does not read", ""))
			}
			returns = true
		}
		r.line(line, number, ended)
	}
	if r.comments.inside {
		r.p.fail(r.comments.opened.problem(0, "comment that nothing closes", "*/ after it"))
	}
}

// line reads one line; ended reports whether it has its line feed.
func (r *reader) line(line string, number int, ended bool) {
	if !r.comments.inside && strings.HasPrefix(line, "#@") {
		r.pragma(&cursor{text: stripPragma(line), line: number, at: len("#@")})
		if !ended {
			r.warnEnd(token{line: number, col: 1})
		}
		return
	}
	text, tail := r.comments.strip(line, number)
	c := &cursor{text: text, line: number}
	blank := !c.blank()
	r.tail = token{}
	if tail > 0 {
		r.tail = token{line: number, col: tail}
		r.warnTail(token{text: line[tail-1:], line: number, col: tail}, blank, ended)
	}
	if !blank {
		r.formLine(c)
	}
}

// warnTail warns of comments that look like something else.
func (r *reader) warnTail(comment token, blank, ended bool) {
	if strings.HasPrefix(comment.text, "#@") {
		r.p.warn(comment.problem(0, `"#@" within a line, which is read as a comment`, "it at the start of a line"))
	}
	if blank && !ended {
		r.warnEnd(comment)
	}
}

func (r *reader) warnEnd(comment token) {
	if r.p.rules.Form == Launchers {
		r.p.warn(comment.problem(0, "comment on a last line that does not end, which Open MPI does not read", "a line feed"))
	}
}
