//go:build !unix

package launch

import (
	"errors"
	"os"
	"os/exec"
)

// Replace runs a program, and ends this process as that has ended.
func Replace(path string, args []string) error {
	code, err := Launcher{}.Start(append([]string{path}, args...))
	if err == nil {
		os.Exit(code)
	}
	return err
}

// Start runs a launcher to its end and returns its exit code.
func (l Launcher) Start(line []string) (code int, err error) {
	c := exec.Command(line[0], line[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = c.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return 0, err
	}
	return c.ProcessState.ExitCode(), nil
}
