package spec

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
)

const (
	maxFile     = 1 << 20 // bytes
	maxHosts    = 64
	maxClusters = 16
	maxSlots    = 64 // of a host
	maxProblems = 10
)

// Read is Parse of a file on disk.
func Read(path string) (*Spec, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Parse reads the description of a testbed. The name is for messages. If anything
// is wrong the error is hostfile.Problems: all that is wrong, by line, but no more than 10.
func Parse(name, text string) (*Spec, error) {
	p := &parser{spec: &Spec{Name: name}, clusters: map[string]int{}}
	if len(text) > maxFile {
		p.fail(word{line: 1, col: 1}, "a file of more than 1 MiB", "the description of a testbed")
		text = ""
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		p.line(splitWords(line, number))
	}
	p.links()
	if len(p.spec.Clusters) == 0 && len(p.problems) == 0 {
		p.fail(word{line: 1, col: 1}, "a file without clusters", "a line such as: cluster alpha hosts=3 speed=30%")
	}
	if len(p.problems) > 0 {
		slices.SortStableFunc(p.problems, func(a, b hostfile.Problem) int { return a.Line - b.Line })
		return nil, p.problems[:min(len(p.problems), maxProblems)]
	}
	return p.spec, nil
}

// parser is the state of reading a file.
type parser struct {
	spec     *Spec
	clusters map[string]int // number by name
	waiting  [][]word       // lines of links, read when all clusters are known
	cores    int            // its line in the file
	hosts    int
	problems hostfile.Problems
}

func (p *parser) fail(at word, read, expected string) {
	p.problems = append(p.problems, hostfile.Problem{File: p.spec.Name, Line: at.line, Col: at.col, Read: read, Expected: expected})
}

// figure adds the problem of a figure, if err is one, and reports whether the figure can be
// used.
func (p *parser) figure(at word, err error) bool {
	if err == nil {
		return true
	}
	problem := err.(wrongFigure)
	p.fail(at, problem.read, problem.expected)
	return false
}

func (p *parser) line(words []word) {
	if len(words) == 0 {
		return
	}
	switch words[0].text {
	case "cores":
		p.coresLine(words)
	case "cluster":
		p.clusterLine(words)
	case "link":
		p.waiting = append(p.waiting, words)
	default:
		p.fail(words[0], quote(words[0].text), "cores, cluster or link")
	}
}

func (p *parser) coresLine(words []word) {
	if p.cores > 0 {
		p.fail(words[0], "cores again", fmt.Sprintf("them once, and line %d says them", p.cores))
		return
	}
	p.cores = words[0].line
	if len(words) != 2 {
		p.fail(words[min(2, len(words)-1)], fmt.Sprintf("%d words after cores", len(words)-1), "a number")
		return
	}
	p.spec.Cores = p.count(words[1], "cores", 1024)
}

// count reads a number from 1 to most; 0 if it is none.
func (p *parser) count(w word, what string, most int) int {
	n, err := strconv.Atoi(w.text)
	if err != nil || n < 1 || n > most || w.text[0] == '+' {
		p.fail(w, what+" "+quote(w.text), fmt.Sprintf("a number from 1 to %d", most))
		return 0
	}
	return n
}

// word is a piece of a line; lines and columns count from 1, columns are bytes.
type word struct {
	text      string
	line, col int
}

const blanks = " \t\r\n\v\f"

// splitWords cuts a line without its comment at white space.
func splitWords(line string, number int) []word {
	line, _, _ = strings.Cut(line, "#")
	var words []word
	for at := 0; ; {
		rest := strings.TrimLeft(line[at:], blanks)
		if rest == "" {
			return words
		}
		at = len(line) - len(rest)
		end := len(line)
		if n := strings.IndexAny(rest, blanks); n >= 0 {
			end = at + n
		}
		words = append(words, word{line[at:end], number, at + 1})
		at = end
	}
}

// attribute cuts "key=value".
func (w word) attribute() (key string, value word, ok bool) {
	key, text, ok := strings.Cut(w.text, "=")
	return key, word{text, w.line, w.col + len(key) + 1}, ok && text != ""
}

// list cuts a word at commas.
func (w word) list() []word {
	var parts []word
	col := w.col
	for _, text := range strings.Split(w.text, ",") {
		parts = append(parts, word{text, w.line, col})
		col += len(text) + 1
	}
	return parts
}
