package hostfile

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// ReadSets reads a file of Sets: a topology.conf of Slurm or a host file; their contents
// differ. In a host file nodes= may name hosts that have no line of their own. A file
// without Sets is an error.
func ReadSets(path string) (*File, error) {
	text, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseSetsFile(path, text)
}

// ReadFile returns the text of a file of hosts, which may come from a pipe. Of a file that is
// too large it returns the beginning, which is still so long that Parse refuses it.
func ReadFile(path string) ([]byte, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return ReadText(r)
}

// ReadText is ReadFile of an open file.
func ReadText(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxFile+1)) }

// ParseSetsFile is ReadSets of a file that has been read already. The name is for
// messages.
func ParseSetsFile(name string, text []byte) (*File, error) {
	if IsTopology(string(text)) {
		return ParseTopology(name, bytes.NewReader(text))
	}
	f, err := Rules{SetsOnly: true}.Parse(name, bytes.NewReader(text))
	if err == nil && !f.Divided() {
		return nil, f.problem(1, "a file without Sets", "#@set SET nodes=HOSTS, or SwitchName=SET Nodes=HOSTS")
	}
	return f, err
}

// IsTopology reports whether the first line that is not a comment is one of a
// topology.conf.
func IsTopology(text string) bool {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			key, _, _ := strings.Cut(strings.ToLower(line), "=")
			key = strings.TrimSpace(key)
			return key == "switchname" || key == "blockname" || key == "blocksizes"
		}
	}
	return false
}

// SetsVariable is the variable of the environment that has Sets for ParseSets.
const SetsVariable = "MIGBSP_SETS"

// ParseSets reads Sets in one line: siteA=alpha[01-03];siteB=beta[1-2],gamma.
// Hosts are written as in ParseSlurmList; line feeds may stand for semicolons. The
// name is for messages. Errors are Problems.
func ParseSets(name, text string) (*File, error) {
	p := newParser(name, Rules{SetsOnly: true})
	number := 0
	for line := range strings.Lines(text) {
		number++
		whole := token{text: strings.TrimRight(line, "\r\n"), line: number, col: 1}
		for _, one := range whole.split(";") {
			if strings.Trim(one.text, blanks) != "" && !p.stopped {
				p.setOfLine(one)
			}
		}
	}
	if len(p.errors) == 0 && len(p.file.Sets) == 0 {
		p.fail(token{line: 1, col: 1}.problem(0, "no Set", "SET=HOSTS;SET=HOSTS"))
	}
	p.file.dividedBy = name
	return p.finish()
}
