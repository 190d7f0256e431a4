package sim

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/internal/untrusted"
)

// connection is a trace that is for a host or a link which may come later.
type connection struct {
	element           *element
	kind, trace, what string
}

// readTrace reads values over time: from a file, or from the element's own text.
func (rd *reader) readTrace(e *element) {
	id := rd.required(e, "id")
	if rd.traces[id] != nil {
		rd.wrong(e, "there is another trace %q", id)
	}
	period := e.optional("periodicity", "")
	if rd.traces[id] = rd.profile(e, "file"); e.attributes["file"] != "" {
		rd.nothing(e)
		return
	}
	if rd.complete(e); rd.err != nil {
		return
	}
	text := rd.text()
	if period != "" {
		text = "PERIODICITY " + period + "\n" + text
	}
	var err error
	if rd.traces[id], err = ParseProfile("trace "+id, strings.NewReader(text)); err != nil {
		rd.wrong(e, "%v", err)
	}
}

func (rd *reader) readTraceConnect(e *element) {
	rd.tracing = append(rd.tracing, connection{e, e.optional("kind", "HOST_AVAIL"), rd.required(e, "trace"), rd.required(e, "element")})
	rd.nothing(e)
}

// connect assigns traces to hosts and links.
func (rd *reader) connect() {
	for _, c := range rd.tracing {
		profile := rd.traces[c.trace]
		if profile == nil {
			rd.wrong(c.element, "there is no trace %q", c.trace)
		}
		if rd.err != nil {
			return
		}
		host, w, known := (*Host)(nil), wire{}, false
		if at := rd.points[c.what]; at != nil && at.host >= 0 {
			host = &rd.p.Hosts[at.host]
		}
		w, known = rd.links[c.what]
		switch c.kind {
		case "HOST_AVAIL", "LINK_AVAIL":
			instead, there := `kind="SPEED"`, host != nil
			if c.kind == "LINK_AVAIL" {
				instead, there = `kind="BANDWIDTH"`, known
			}
			if !there {
				rd.wrong(c.element, "there is no host or link %q", c.what)
			}
			rd.checkState(c.element, profile, instead)
		case "POWER", "SPEED":
			switch {
			case c.kind == "POWER" && !rd.third:
				rd.wrong(c.element, "kind=%q is of version 3; expected SPEED", c.kind)
			case host == nil:
				rd.wrong(c.element, "there is no host %q", c.what)
			case len(host.Share) > 0 && !rd.third:
				rd.wrong(c.element, "host %s has a trace of its speed already", c.what)
			default:
				host.Share = append(host.Share, profile)
			}
		case "BANDWIDTH", "LATENCY":
			if !known {
				rd.wrong(c.element, "there is no link %q", c.what)
				return
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
			rd.wrong(c.element, "kind=%q is not supported; expected HOST_AVAIL, SPEED, LINK_AVAIL, BANDWIDTH or LATENCY", c.kind)
		}
	}
}

// readState reads when a host or a link is on.
func (rd *reader) readState(e *element, instead string) {
	if profile := rd.profile(e, "state_file"); profile != nil {
		rd.checkState(e, profile, instead)
	}
}

// checkState refuses a host or a link that is switched off: all that runs on it then fails,
// and does not go on.
func (rd *reader) checkState(e *element, p *Profile, instead string) {
	if slices.Contains(p.values, 0) {
		rd.wrong(e, "it is switched off, and what runs there would fail; expected %s with 0 where it stands still for a while", instead)
	}
}

// mostProfile is the maximum size of a file of shares in bytes, about 20 for each change.
const mostProfile = 64 << 20

// readProfile reads a file named in another file, relative to its directory. Because another user may
// have written the naming file, the profile must be a regular file.
func readProfile(path, in string) (*Profile, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(in), path)
	}
	text, err := untrusted.ReadFile(path, mostProfile)
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", path, of.Err)
	}
	if err != nil {
		return nil, err
	}
	return ParseProfile(path, bytes.NewReader(text))
}
