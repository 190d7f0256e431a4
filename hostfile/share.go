package hostfile

import (
	"slices"
	"strings"
)

// Share names a file that says what part of its figures something gives over time, and
// where that is said. Package sim has the form of such files. Nothing here reads them,
// and programs that run leave them out.
type Share struct {
	File      string // "" if there is none
	Line, Col int
}

// Shared tells whether a host or a link has a Share.
func (f *File) Shared() bool {
	return slices.ContainsFunc(f.Hosts, func(h Host) bool { return h.Share.File != "" }) ||
		slices.ContainsFunc(f.Links, func(l Link) bool { return l.Share.File != "" })
}

// parseShare reads the name of a file.
func parseShare(t token) (Share, *Problem) {
	if at := strings.IndexByte(t.text, '"'); at >= 0 {
		return Share{}, t.problem(at, "quotation mark in the name of a file", "none, or all of the name between two")
	}
	return Share{t.text, t.line, t.col}, nil
}

// written is an attribute with a blank before it, or nothing.
func (s Share) written() string {
	switch {
	case s.File == "":
		return ""
	case strings.ContainsAny(s.File, blanks):
		return ` share="` + s.File + `"`
	}
	return " share=" + s.File
}
