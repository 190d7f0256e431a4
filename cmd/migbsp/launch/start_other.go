//go:build !unix

package launch

import (
	"errors"
	"os"
	"os/exec"

	"github.com/migbsp/migbsp/internal/loss"
)

// Replace runs a program, and ends this process as that has ended.
func Replace(path string, args []string) error {
	o, err := Launcher{}.Start(append([]string{path}, args...), nil, false)
	if err == nil {
		os.Exit(o.Code)
	}
	return err
}

// Start runs a launcher to its end and returns the outcome of the run. On this system no watchers
// report a loss.
func (l Launcher) Start(line []string, _ *loss.Inbox, _ bool) (o Outcome, err error) {
	c := exec.Command(line[0], line[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = c.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return o, err
	}
	o.Code = c.ProcessState.ExitCode()
	return o, nil
}
