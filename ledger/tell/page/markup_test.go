package page

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
)

// element is one of a page's, with its attributes.
type element struct {
	name       string
	attributes map[string]string
	text       string // directly in it
}

var rawText = regexp.MustCompile(`(?s)(<(?:script|style)[^>]*>)(.*?)(</(?:script|style)>)`)

// elementsOf reads a page, in which all elements that need an end must have it.
func elementsOf(t testing.TB, page string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(rawText.ReplaceAllString(page, "$1$3")))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var all []element
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page cannot be read: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			made := element{name: e.Name.Local, attributes: make(map[string]string)}
			for _, a := range e.Attr {
				made.attributes[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, made)
		case xml.EndElement:
			if last := all[open[len(open)-1]].name; last != e.Name.Local {
				t.Fatalf("%s ends within %s", e.Name.Local, last)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(e)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("%s has no end", all[open[0]].name)
	}
	return all
}

// faults are what is wrong with a page's markup.
func faults(all []element) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	ids, landmarks := make(map[string]bool), make(map[string]int)
	for _, e := range all {
		if id, has := e.attributes["id"]; has {
			if ids[id] {
				say("id %q is there twice", id)
			}
			ids[id] = true
		}
		landmarks[e.name]++
	}
	level := 0
	for i, e := range all {
		for _, name := range []string{"aria-labelledby", "for"} {
			for _, id := range strings.Fields(e.attributes[name]) {
				if !ids[id] {
					say("%s %s: there is no id %q", e.name, name, id)
				}
			}
		}
		for name, value := range e.attributes {
			switch {
			case name == "href" && strings.HasPrefix(value, "#"):
				if !ids[value[1:]] {
					say("a link to %q, which there is not", value)
				}
			case (name == "href" || name == "src" || name == "srcset" || name == "action") && !strings.HasPrefix(value, "data:image/png;base64,"):
				say("%s %s=%.60q leads elsewhere", e.name, name, value)
			case strings.HasPrefix(name, "on") || name == "style":
				say("%s has %s", e.name, name)
			}
		}
		switch {
		case e.name == "th" && e.attributes["scope"] == "":
			say("a heading of a table without scope: %q", e.text)
		case e.name == "svg" && e.attributes["role"] == "img" && (all[i+1].name != "title" || all[i+1].text == "" || all[i+2].name != "desc" || all[i+2].text == ""):
			say("picture %s has no title and description", e.attributes["id"])
		case e.name == "svg" && e.attributes["role"] != "img" && e.attributes["aria-hidden"] != "true":
			say("a picture is neither hidden nor named")
		case len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6':
			if next := int(e.name[1] - '0'); next > level+1 {
				say("%s %q follows h%d", e.name, e.text, level)
			} else {
				level = next
			}
		}
	}
	for _, name := range []string{"header", "nav", "main", "footer", "h1", "title"} {
		if landmarks[name] < 1 || name != "title" && landmarks[name] > 1 {
			say("there are %d of %s", landmarks[name], name)
		}
	}
	return wrong
}

// words is all text of a page that a reader can see.
func words(all []element) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.text)
		b.WriteByte(' ')
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
