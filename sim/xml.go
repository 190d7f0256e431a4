package sim

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// reader is the state of reading a platform.
type reader struct {
	name    string
	decoder *xml.Decoder
	p       *Platform
	third   bool  // it is of version 3, which has other names
	zone    *zone // that elements are in, nil outside of all
	points  map[string]*point
	links   map[string]wire
	traces  map[string]*Profile
	routes  []pending
	tracing []connection
	err     error // the first error: the reader stops after it
}

// wire is a link by its name: one for both directions, or one for each.
type wire struct{ up, down int }

// element is a start tag and its position.
type element struct {
	name       string
	line, col  int
	attributes map[string]string
	used       map[string]bool
}

func parseXML(name string, r io.Reader) (*Platform, error) {
	rd := &reader{
		name: name, decoder: xml.NewDecoder(r), p: &Platform{Name: name},
		points: make(map[string]*point), links: make(map[string]wire), traces: make(map[string]*Profile),
	}
	rd.decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	if rd.whole(); rd.err != nil {
		return nil, rd.err
	}
	return rd.p, nil
}

// whole reads the document.
func (rd *reader) whole() {
	root := rd.next("")
	if root == nil || root.name != "platform" {
		rd.fail(fmt.Errorf("%s: expected <platform version=\"4.1\">", rd.name))
		return
	}
	switch major, _, _ := strings.Cut(root.optional("version", "?"), "."); major {
	case "3", "4":
		rd.third = major == "3"
	default:
		rd.wrong(root, "version %q: expected 3 or 4.1", root.attributes["version"])
	}
	rd.children(root, rd.top)
	if rd.p.root == nil {
		rd.wrong(root, "there is no <zone> or <cluster> in it")
	}
	if len(rd.p.Hosts) == 0 {
		rd.wrong(root, "there are no hosts in it")
	}
	if rd.err != nil {
		return
	}
	rd.connect()
	connecting := rd.err
	rd.err = nil
	rd.join()
	rd.err = errors.Join(connecting, rd.err)
}

// top reads an element of the outermost level.
func (rd *reader) top(e *element) {
	switch e.name {
	case "zone", "AS", "cluster":
		switch {
		case rd.p.root != nil:
			rd.wrong(e, "a second outermost zone; expected one")
		case e.name == "cluster":
			rd.readCluster(e)
		default:
			rd.readZone(e)
		}
	case "trace":
		rd.readTrace(e)
	case "trace_connect":
		rd.readTraceConnect(e)
	case "config", "actor", "process": // other files describe the actors
		rd.skip()
	default:
		rd.unknown(e, "zone, cluster, trace, trace_connect, config and actor")
	}
}

// children passes each element within e to do, which reads it to its end.
func (rd *reader) children(e *element, do func(*element)) {
	rd.complete(e)
	for rd.err == nil {
		child := rd.next(e.name)
		if child == nil {
			return
		}
		do(child)
	}
}

// next returns the next start tag, nil at the end tag of the surrounding element and after an
// error.
func (rd *reader) next(around string) *element {
	for {
		line, col := rd.decoder.InputPos()
		token, err := rd.decoder.Token()
		if errors.Is(err, io.EOF) && around == "" {
			return nil
		}
		if err != nil {
			rd.failHere(err)
			return nil
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, line: line, col: col, attributes: make(map[string]string), used: make(map[string]bool)}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			return e
		case xml.EndElement:
			return nil
		}
	}
}

// skip reads an element that does not matter to its end.
func (rd *reader) skip() {
	if err := rd.decoder.Skip(); err != nil {
		rd.fail(err)
	}
}

// nothing reads an element that must be empty.
func (rd *reader) nothing(e *element) { rd.only(e, "nothing") }

// only reads an element within which only some may be, which do not matter.
func (rd *reader) only(e *element, expected string, skipped ...string) {
	rd.children(e, func(child *element) {
		if slices.Contains(skipped, child.name) {
			rd.skip()
		} else {
			rd.unknown(child, expected+" in <"+e.name+">")
		}
	})
}

func (rd *reader) fail(err error) {
	if rd.err == nil {
		rd.err = err
	}
}

// failHere fails with an error of the decoder, and replaces the error's line by the current position.
func (rd *reader) failHere(err error) {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		err = errors.New(syntax.Msg)
	}
	line, col := rd.decoder.InputPos()
	rd.fail(fmt.Errorf("%s:%d:%d: %w", rd.name, line, col, err))
}

func (rd *reader) wrong(e *element, format string, args ...any) {
	rd.fail(fmt.Errorf("%s:%d:%d: <%s>: %s", rd.name, e.line, e.col, e.name, fmt.Sprintf(format, args...)))
}

func (rd *reader) unknown(e *element, expected string) {
	rd.fail(fmt.Errorf("%s:%d:%d: <%s> is not supported here; expected %s", rd.name, e.line, e.col, e.name, expected))
}

// complete reports attributes that have not been asked for.
func (rd *reader) complete(e *element) {
	for name := range e.attributes {
		if !e.used[name] {
			rd.wrong(e, "attribute %s=%q is not supported", name, e.attributes[name])
		}
	}
}

// optional returns an attribute, or otherwise if it is missing.
func (e *element) optional(name, otherwise string) string {
	e.used[name] = true
	if value, ok := e.attributes[name]; ok {
		return value
	}
	return otherwise
}

// ignore accepts attributes that make no difference here.
func (e *element) ignore(names ...string) {
	for _, name := range names {
		e.used[name] = true
	}
}

// required returns an attribute that must be there.
func (rd *reader) required(e *element, name string) string {
	value := e.optional(name, "")
	if value == "" {
		rd.wrong(e, "it has no %s", name)
	}
	return value
}

// figure returns an attribute that is a number with a unit; it is required if otherwise is
// negative.
func (rd *reader) figure(e *element, name string, f figure, otherwise float64) float64 {
	text := e.optional(name, "")
	switch {
	case text == "" && otherwise < 0:
		rd.wrong(e, "it has no %s", name)
		return 0
	case text == "":
		return otherwise
	}
	x, err := f.parse(text)
	if err != nil {
		rd.wrong(e, "%s=%v", name, err)
	}
	return x
}

// profile reads a file that an attribute names, relative to the platform's; nil if it names
// none.
func (rd *reader) profile(e *element, attribute string) *Profile {
	file := e.optional(attribute, "")
	if file == "" {
		return nil
	}
	p, err := readProfile(file, rd.name)
	if err != nil {
		rd.wrong(e, "%v", err)
	}
	return p
}

// text returns the text of an element, and reads to its end.
func (rd *reader) text() string {
	var text strings.Builder
	for {
		token, err := rd.decoder.Token()
		if err != nil {
			rd.failHere(err)
			return ""
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			return text.String()
		case xml.StartElement:
			rd.failHere(fmt.Errorf("<%s> in a text", token.Name.Local))
			return ""
		}
	}
}
