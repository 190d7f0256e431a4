package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed doc.go
var doc string

// about returns the text of the package comment.
func about() string {
	var text strings.Builder
	above, _, _ := strings.Cut(doc, "\npackage ")
	for line := range strings.Lines(above) {
		text.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
	}
	return text.String()
}

// help prints the description of a command, its usage, and its flags.
func help(about, usage, flags string) error {
	_, err := fmt.Printf("%s\n\nUsage: %s\n\nFlags:\n%s", about, usage, flags)
	return err
}
