package settings

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// file is a configuration file with its entries in order. Positions in it are byte offsets; messages
// show them as line and column.
type file struct {
	name    string
	text    string
	entries []entry
	index   map[[2]string]int // of entries by table and key
}

// entry is a line that sets something.
type entry struct {
	table     string // "" for those before the first table
	key       string
	text      string // the value, for flag.Set
	source    string // the value as it stands there
	keyAt, at int    // of the key and of the value
}

// find returns the entry of a key in a table, or nil.
func (f *file) find(table, key string) *entry {
	i, ok := f.index[[2]string{table, key}]
	if !ok {
		return nil
	}
	return &f.entries[i]
}

// place returns the line and column of an offset, both from 1; columns count bytes.
func (f *file) place(at int) (line, column int) {
	before := f.text[:at]
	return 1 + strings.Count(before, "\n"), at - strings.LastIndexByte(before, '\n')
}

// written is an entry for messages, on one line.
func (f *file) written(e *entry) string {
	line, column := f.place(e.at)
	source, _, more := strings.Cut(e.source, "\n")
	if more {
		source += "..."
	}
	return fmt.Sprintf("%s:%d:%d: %s = %s", f.name, line, column, e.key, source)
}

// problem returns an error with the position in the file, the text at that position, and the reason.
func (f *file) problem(at int, read, why string) error {
	line, column := f.place(at)
	return fmt.Errorf("%s:%d:%d: %s, %s", f.name, line, column, read, why)
}

const (
	aName  = "expected a name: letters, digits, - and _, or any others in quotes"
	aValue = "expected a string in quotes, a number, true or false"
)

// read parses a file up to its first error.
//
// It uses the parser of go-toml without the decoder, because only the parser gives the positions of
// keys and values.
func read(name, text string) (*file, error) {
	// The added line end gives problems at the end of the text a position.
	r := reader{file: file{name: name, text: text + "\n", index: make(map[[2]string]int)}, tables: make(map[string]int)}
	r.Reset([]byte(r.file.text))
	for r.NextExpression() {
		var err error
		if e := r.Expression(); e.Kind == unstable.KeyValue {
			err = r.entry(e)
		} else {
			err = r.header(e)
		}
		if err != nil {
			return nil, err
		}
	}
	if wrong := (*unstable.ParserError)(nil); errors.As(r.Error(), &wrong) {
		return nil, r.refused(wrong)
	}
	return &r.file, nil
}

// reader is the state of reading a file.
type reader struct {
	file file
	unstable.Parser
	table  string
	tables map[string]int // where they begin
}

// header enters a table.
func (r *reader) header(e *unstable.Node) error {
	name, at, _, err := r.key(e.Key())
	if err != nil {
		return err
	}
	if e.Kind == unstable.ArrayTable {
		return r.file.problem(at, "[["+name+"]]", "expected one table, ["+name+"]")
	}
	if before, ok := r.tables[name]; ok {
		return r.again(at, "["+name+"]", before)
	}
	r.table, r.tables[name] = name, at
	return nil
}

// entry adds an entry.
func (r *reader) entry(e *unstable.Node) error {
	key, at, end, err := r.key(e.Key())
	if err != nil {
		return err
	}
	if before := r.file.find(r.table, key); before != nil {
		return r.again(at, Quote(key), before.keyAt)
	}
	for strings.IndexByte(" \t=", r.file.text[end]) >= 0 {
		end++
	}
	var text string
	switch value := e.Value(); value.Kind {
	case unstable.String, unstable.Bool:
		text = string(value.Data)
	case unstable.Integer, unstable.Float:
		text = strings.TrimPrefix(strings.ReplaceAll(string(value.Data), "_", ""), "+")
	default:
		return r.file.problem(end, r.word(end), aValue)
	}
	source := r.file.text[end : e.Raw.Offset+e.Raw.Length]
	r.file.index[[2]string{r.table, key}] = len(r.file.entries)
	r.file.entries = append(r.file.entries, entry{table: r.table, key: key, text: text, source: source, keyAt: at, at: end})
	return nil
}

// key returns a name of one part, and its begin and end.
func (r *reader) key(parts unstable.Iterator) (name string, at, end int, err error) {
	parts.Next()
	part := parts.Node()
	at = int(part.Raw.Offset)
	switch {
	case !parts.IsLast():
		err = r.file.problem(at, r.word(at), "expected a name without dots")
	case len(part.Data) == 0:
		err = r.file.problem(at, r.word(at), aName)
	}
	return string(part.Data), at, at + int(part.Raw.Length), err
}

// again is the problem of a name that was there before.
func (r *reader) again(at int, name string, before int) error {
	line, _ := r.file.place(before)
	return r.file.problem(at, fmt.Sprintf("%s again after line %d", name, line), "expected it once")
}

// refused rewords the parser's error.
func (r *reader) refused(wrong *unstable.ParserError) error {
	at := int(r.Range(wrong.Highlight).Offset)
	why, _, _ := strings.Cut(wrong.Message, " but got ") // the message repeats the text that was read
	switch {
	case strings.HasSuffix(why, "at start of value"):
		why = aValue
	case strings.Contains(why, "at start of key"):
		why = aName
	case why == "expected newline":
		why = "expected the end of the line or a comment"
	case strings.HasPrefix(why, "invalid escape"):
		why += "; between single quotes a backslash is itself"
	}
	return r.file.problem(at, r.word(at), why)
}

// word quotes the text from an offset up to a blank or comment.
func (r *reader) word(at int) string {
	line, _, _ := strings.Cut(r.file.text[at:], "\n")
	line = strings.TrimSuffix(line, "\r")
	if line == "" || line[0] == '#' {
		return "the end of the line"
	}
	if i := strings.IndexAny(line, " \t#"); i > 0 {
		line = line[:i]
	}
	return Quote(line)
}

// Quote quotes a text that was read, up to a length.
func Quote(text string) string {
	const length = 40
	if len(text) > length {
		text = strings.ToValidUTF8(text[:length], "") + "..."
	}
	return strconv.Quote(text)
}
