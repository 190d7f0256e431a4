package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// connection is a trace that is for a host or a link which may come later.
type connection struct {
	element           *element
	kind, trace, what string
}

// readTrace reads values over time: from a file, or from the element's own text.
func (rd *reader) readTrace(e *element) error {
	id, err := rd.required(e, "id")
	if err != nil {
		return err
	}
	if rd.traces[id] != nil {
		return rd.wrong(e, "there is another trace %q", id)
	}
	period := e.optional("periodicity", "")
	if file := e.optional("file", ""); file != "" {
		if rd.traces[id], err = readProfile(rd.beside(file)); err != nil {
			return rd.wrong(e, "%v", err)
		}
		return rd.nothing(e)
	}
	if err := rd.complete(e); err != nil {
		return err
	}
	text, err := rd.text()
	if err != nil {
		return err
	}
	if period != "" {
		text = "PERIODICITY " + period + "\n" + text
	}
	if rd.traces[id], err = ParseProfile("trace "+id, strings.NewReader(text)); err != nil {
		return rd.wrong(e, "%v", err)
	}
	return nil
}

func (rd *reader) readTraceConnect(e *element) (err error) {
	c := connection{element: e, kind: e.optional("kind", "HOST_AVAIL")}
	if c.trace, err = rd.required(e, "trace"); err != nil {
		return err
	}
	if c.what, err = rd.required(e, "element"); err != nil {
		return err
	}
	rd.tracing = append(rd.tracing, c)
	return rd.nothing(e)
}

// connect gives traces to hosts and links.
func (rd *reader) connect() error {
	for _, c := range rd.tracing {
		profile := rd.traces[c.trace]
		if profile == nil {
			return rd.wrong(c.element, "there is no trace %q", c.trace)
		}
		switch c.kind {
		case "HOST_AVAIL", "LINK_AVAIL":
			instead := `kind="SPEED"`
			host := rd.points[c.what]
			known := host != nil && host.host >= 0
			if c.kind == "LINK_AVAIL" {
				instead = `kind="BANDWIDTH"`
				_, known = rd.links[c.what]
			}
			if !known {
				return rd.wrong(c.element, "there is no host or link %q", c.what)
			}
			if err := rd.checkState(c.element, profile, instead); err != nil {
				return err
			}
		case "POWER", "SPEED":
			if c.kind == "POWER" && !rd.third {
				return rd.wrong(c.element, "kind=%q is of version 3; expected SPEED", c.kind)
			}
			at := rd.points[c.what]
			if at == nil || at.host < 0 {
				return rd.wrong(c.element, "there is no host %q", c.what)
			}
			h := &rd.p.Hosts[at.host]
			if len(h.Share) > 0 && !rd.third {
				return rd.wrong(c.element, "host %s has a trace of its speed already", c.what)
			}
			h.Share = append(h.Share, profile)
		case "BANDWIDTH", "LATENCY":
			w, known := rd.links[c.what]
			if !known {
				return rd.wrong(c.element, "there is no link %q", c.what)
			}
			ends := []int{w.up, w.down}
			if w.up == w.down {
				ends = ends[:1]
			}
			for _, i := range ends {
				l := &rd.p.Links[i]
				if c.kind == "LATENCY" {
					l.Delay = profile.from(l.Latency)
				} else {
					l.Share = append(l.Share, profile.over(l.Rate))
				}
			}
		default:
			return rd.wrong(c.element, "kind=%q is not supported; expected HOST_AVAIL, SPEED, LINK_AVAIL, BANDWIDTH or LATENCY", c.kind)
		}
	}
	return nil
}

// readState reads when a host or a link is on.
func (rd *reader) readState(e *element, instead string) error {
	file := e.optional("state_file", "")
	if file == "" {
		return nil
	}
	profile, err := readProfile(rd.beside(file))
	if err != nil {
		return rd.wrong(e, "%v", err)
	}
	return rd.checkState(e, profile, instead)
}

// checkState refuses a host or a link that is switched off: all that runs on it then fails,
// and does not go on.
func (rd *reader) checkState(e *element, p *Profile, instead string) error {
	if slices.Contains(p.values, 0) {
		return rd.wrong(e, "it is switched off, and what runs there would fail; expected %s with 0 where it stands still for a while", instead)
	}
	return nil
}

func readProfile(path string) (*Profile, error) {
	f, err := os.Open(path)
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", path, of.Err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ParseProfile(path, f)
}
