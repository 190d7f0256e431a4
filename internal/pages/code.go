package pages

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// sameCode reports whether two texts of a Go file differ in comments and layout at most.
// Comments that the compiler reads are code: directives, and all of a file that imports C.
func sameCode(a, b string) bool { return a == b || slices.Equal(tokens(a), tokens(b)) }

// tokens returns the tokens of a Go file, without comments and layout.
func tokens(text string) (all []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), nil, scanner.ScanComments)
	cgo := strings.Contains(text, "import \"C\"")
	for {
		_, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return all
		case kind == token.SEMICOLON:
			literal = "" // written, or the end of a line
		case kind == token.COMMENT && !cgo && !directive(literal):
			continue
		}
		all = append(all, kind.String(), literal)
	}
}

// directive reports whether a comment is one for the compiler or the linker.
func directive(comment string) bool {
	prefixes := []string{"//go:", "//line ", "/*line ", "//export ", "// +build"}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(comment, prefix) })
}
