//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Exit codes.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitSkipped = 77 // it cannot run here at all
)

// take checks the number of arguments.
func take(arguments []string, names ...string) error {
	if len(arguments) > len(names) {
		return usage("%q is one argument too many", arguments[len(names)])
	}
	if len(arguments) < len(names) {
		return usage("%s is missing", names[len(arguments)])
	}
	return nil
}

// exit is an error that ends the program with a code, silently if its text is empty.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func usage(format string, arguments ...any) error {
	return exit{exitUsage, fmt.Errorf(format, arguments...)}
}

// end ends the program with the text and code of err.
func end(err error) {
	if err == nil {
		os.Exit(0)
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(os.Stderr, "testbed:", strings.ReplaceAll(text, "\n", "\ntestbed: "))
	}
	var code exit
	if errors.As(err, &code) {
		os.Exit(code.code)
	}
	os.Exit(exitFailed)
}
