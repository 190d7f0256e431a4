package sim

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
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
}

// wire is a link by its name: one for both directions, or one for each.
type wire struct{ up, down int }

// element is a start tag and where it stands.
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
	if err := rd.whole(); err != nil {
		return nil, err
	}
	return rd.p, nil
}

// whole reads the document.
func (rd *reader) whole() error {
	root, err := rd.next("")
	if err != nil {
		return err
	}
	if root == nil || root.name != "platform" {
		return fmt.Errorf("%s: expected <platform version=\"4.1\">", rd.name)
	}
	switch major, _, _ := strings.Cut(root.optional("version", "?"), "."); major {
	case "3", "4":
		rd.third = major == "3"
	default:
		return rd.wrong(root, "version %q: expected 3 or 4.1", root.attributes["version"])
	}
	if err := rd.children(root, rd.top); err != nil {
		return err
	}
	if rd.p.root == nil {
		return rd.wrong(root, "there is no <zone> or <cluster> in it")
	}
	if len(rd.p.Hosts) == 0 {
		return rd.wrong(root, "there are no hosts in it")
	}
	return errors.Join(rd.connect(), rd.join())
}

// top reads an element of the outermost level.
func (rd *reader) top(e *element) error {
	switch e.name {
	case "zone", "AS", "cluster":
		if rd.p.root != nil {
			return rd.wrong(e, "a second outermost zone; expected one")
		}
		if e.name == "cluster" {
			return rd.readCluster(e)
		}
		return rd.readZone(e)
	case "trace":
		return rd.readTrace(e)
	case "trace_connect":
		return rd.readTraceConnect(e)
	case "config", "actor", "process": // other files describe the actors
		return rd.skip(e)
	}
	return rd.unknown(e, "zone, cluster, trace, trace_connect, config and actor")
}

// children gives each element within e to do, which reads it to its end.
func (rd *reader) children(e *element, do func(*element) error) error {
	if err := rd.complete(e); err != nil {
		return err
	}
	for {
		child, err := rd.next(e.name)
		if err != nil || child == nil {
			return err
		}
		if err := do(child); err != nil {
			return err
		}
	}
}

// next returns the next start tag, nil at the end tag of the surrounding element.
func (rd *reader) next(around string) (*element, error) {
	for {
		line, col := rd.decoder.InputPos()
		token, err := rd.decoder.Token()
		if errors.Is(err, io.EOF) && around == "" {
			return nil, nil
		}
		if err != nil {
			line, col = rd.decoder.InputPos()
			return nil, fmt.Errorf("%s:%d:%d: %w", rd.name, line, col, unwrapped(err))
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, line: line, col: col, attributes: make(map[string]string), used: make(map[string]bool)}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			return e, nil
		case xml.EndElement:
			return nil, nil
		}
	}
}

// unwrapped returns the error without its own line number.
func unwrapped(err error) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return errors.New(syntax.Msg)
	}
	return err
}

// skip reads an element that does not matter to its end.
func (rd *reader) skip(*element) error { return rd.decoder.Skip() }

// nothing reads an element without elements in it.
func (rd *reader) nothing(e *element) error {
	return rd.children(e, func(child *element) error { return rd.unknown(child, "nothing in <"+e.name+">") })
}

// properties reads an element within which only properties may be.
func (rd *reader) properties(e *element) error {
	return rd.children(e, func(child *element) error {
		if child.name == "prop" {
			return rd.skip(child)
		}
		return rd.unknown(child, "prop in <"+e.name+">")
	})
}

func (rd *reader) wrong(e *element, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: <%s>: %s", rd.name, e.line, e.col, e.name, fmt.Sprintf(format, args...))
}

func (rd *reader) unknown(e *element, expected string) error {
	return fmt.Errorf("%s:%d:%d: <%s> is not supported here; expected %s", rd.name, e.line, e.col, e.name, expected)
}

// complete reports attributes that have not been asked for.
func (rd *reader) complete(e *element) error {
	for name := range e.attributes {
		if !e.used[name] {
			return rd.wrong(e, "attribute %s=%q is not supported", name, e.attributes[name])
		}
	}
	return nil
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
func (rd *reader) required(e *element, name string) (string, error) {
	value := e.optional(name, "")
	if value == "" {
		return "", rd.wrong(e, "it has no %s", name)
	}
	return value, nil
}

// figure returns an attribute that is a number with a unit.
func (rd *reader) figure(e *element, name string, f figure, otherwise float64) (float64, error) {
	text := e.optional(name, "")
	if text == "" {
		if otherwise < 0 {
			return 0, rd.wrong(e, "it has no %s", name)
		}
		return otherwise, nil
	}
	x, err := f.parse(text)
	if err != nil {
		return 0, rd.wrong(e, "%s=%v", name, err)
	}
	return x, nil
}

// beside returns a file that a platform names, relative to it.
func (rd *reader) beside(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(rd.name), file)
}

// text returns the text of an element, and reads to its end.
func (rd *reader) text() (string, error) {
	var text strings.Builder
	for {
		token, err := rd.decoder.Token()
		if err != nil {
			line, col := rd.decoder.InputPos()
			return "", fmt.Errorf("%s:%d:%d: %w", rd.name, line, col, unwrapped(err))
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			return text.String(), nil
		case xml.StartElement:
			line, col := rd.decoder.InputPos()
			return "", fmt.Errorf("%s:%d:%d: <%s> in a text", rd.name, line, col, token.Name.Local)
		}
	}
}
