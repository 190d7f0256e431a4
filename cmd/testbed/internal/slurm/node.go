//go:build linux

package slurm

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// NodeStates are the states for SetNode.
var NodeStates = []string{"down", "up", "drain", "resume"}

// errNotUp is the error where Slurm does not run.
var errNotUp = errors.New("Slurm is not up; start it by: testbed slurm up")

// Nodes lists the nodes as Slurm sees them: partition, state and reason.
func Nodes(s *spec.Spec) (table string, err error) {
	if !running() {
		return "", errNotUp
	}
	text, code, err := ask(s.Clusters[0].Hosts[0].Name, "sinfo", "--Node", "--format=%10N %10P %12T %E")
	if err == nil && code != 0 {
		err = errors.New(text)
	}
	return text, err
}

// SetNode changes the state of a node in Slurm. A drained node gets no new jobs, and keeps
// the ones that it has; a node that is down loses them, and they are queued again if they
// may be. Resume and up take both back; up also starts a daemon that has ended, as after a
// crash of the host, and waits until the node answers.
func SetNode(s *spec.Spec, name, state string) error {
	hosts := s.Hosts()
	if !slices.ContainsFunc(hosts, func(h spec.Host) bool { return h.Name == name }) {
		return fmt.Errorf("there is no host %q; there are %s", name, names(hosts))
	}
	if !running() {
		return errNotUp
	}
	front := s.Clusters[0].Hosts[0].Name
	if state != "up" {
		return update(front, name, state)
	}
	if err := restart(name); err != nil {
		return err
	}
	const patience = 30 * time.Second
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		now, err := stateOf(front, name)
		switch {
		case err != nil:
			return err
		case strings.Contains(now, "DOWN") || strings.Contains(now, "DRAIN"):
			// A node that has just come back is up by itself, and then this is no error.
			if err := update(front, name, "resume"); err != nil && !strings.Contains(err.Error(), "Invalid node state") {
				return err
			}
		case !strings.Contains(now, "*") && !strings.Contains(now, "NOT_RESPONDING"):
			return nil
		}
		if time.Since(begin) > patience {
			return fmt.Errorf("%s is %s after %v: %s", name, now, patience, lastLine(filepath.Join(control.SlurmDir, name+".log")))
		}
	}
}

// update has the controller change a node.
func update(front, name, state string) error {
	arguments := []string{"update", "NodeName=" + name, "State=" + state}
	if state == "down" || state == "drain" {
		arguments = append(arguments, "Reason=testbed")
	}
	text, code, err := ask(front, "scontrol", arguments...)
	if err == nil && code != 0 {
		err = fmt.Errorf("scontrol %s: %s", strings.Join(arguments, " "), strings.ReplaceAll(text, "\n", " "))
	}
	return err
}

// stateOf is the state of a node, as IDLE or DOWN*+DRAIN.
func stateOf(front, name string) (string, error) {
	text, code, err := ask(front, "scontrol", "--oneliner", "show", "node", name)
	if err != nil {
		return "", err
	}
	for field := range strings.FieldsSeq(text) {
		if state, is := strings.CutPrefix(field, "State="); is && code == 0 {
			return state, nil
		}
	}
	return "", fmt.Errorf("scontrol show node %s: %s", name, text)
}

// restart starts the daemon of a host that has none.
func restart(host string) error {
	log, err := openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	code, err := launch.On(host, log, nil, "/bin/sh", "-c", `kill -0 "$(cat "$0")"`, filepath.Join(control.SlurmDir, host+".pid"))
	if err != nil || code == 0 {
		return err
	}
	return startNode(host, log)
}
