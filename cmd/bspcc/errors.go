package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError is an invalid command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, arguments ...any) error {
	return usageError(fmt.Sprintf(format, arguments...))
}

// end ends the program and prints err. A command that failed has printed its own error.
func end(name string, err error) {
	var failed *exec.ExitError
	var wrong usageError
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &failed):
		os.Exit(max(failed.ExitCode(), exitFailed))
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	if errors.As(err, &wrong) {
		os.Exit(exitUsage)
	}
	os.Exit(exitFailed)
}
