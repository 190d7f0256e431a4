package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/migbsp/migbsp/hostfile"
)

// Needs are the files that each host must have.
type Needs struct {
	Program   string // a path
	Directory string // the programs' working directory
	Hosts     string // a file that the first host must have, "" for none
}

// Time limits of Reach.
const (
	connecting = "10"             // seconds, for ssh
	answering  = 20 * time.Second // for a host
	atOnce     = 64               // hosts
)

// A HostError is a host that cannot be used.
type HostError struct {
	Host    string
	Missing bool // it can be reached, but a need is not there
	err     error
}

func (e *HostError) Error() string { return e.Host + ": " + e.err.Error() }

// errMissing is the error of a need that is not there.
type errMissing struct{ error }

// Reach logs in to the hosts that have slots, as a launcher will, and checks that they have
// all needs. Its errors are HostErrors, in the order of the hosts. It does not log in to this machine,
// because launchers start programs there by themselves.
func Reach(ctx context.Context, ssh []string, hosts *hostfile.File, needs Needs) []error {
	errs := make([]error, len(hosts.Hosts))
	here := thisMachine()
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	first := true
	for i, h := range hosts.Hosts {
		if h.Slots == 0 {
			continue
		}
		asks := needs
		if !first {
			asks.Hosts = ""
		}
		first = false
		if here[strings.ToLower(h.Name)] {
			continue
		}
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if err := asks.of(ctx, ssh, h); err != nil {
				_, missing := errors.AsType[errMissing](err)
				errs[i] = &HostError{h.Name, missing, err}
			}
		})
	}
	all.Wait()
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// thisMachine are names and addresses of this machine, in lower case.
func thisMachine() map[string]bool {
	here := map[string]bool{"localhost": true}
	if name, err := os.Hostname(); err == nil {
		name = strings.ToLower(name)
		short, _, _ := strings.Cut(name, ".")
		here[name], here[short] = true, true
	}
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if network, ok := a.(*net.IPNet); ok {
			here[network.IP.String()] = true
		}
	}
	return here
}

// Away reports whether it is known that no rank runs on this machine.
func (j *Job) Away() bool {
	if j.Hosts == nil {
		return j.Getenv("SLURM_JOB_ID") != "" && j.Getenv("SLURMD_NODENAME") == ""
	}
	here := thisMachine()
	return !slices.ContainsFunc(j.Hosts.Hosts, func(h hostfile.Host) bool { return h.Slots > 0 && here[strings.ToLower(h.Name)] })
}

// Exit codes of the script on a host. Shells and ssh do not use them.
const (
	noDirectory = 71 + iota
	noProgram
	notExecutable
	noHosts
)

// script checks the needs.
func (n Needs) script() string {
	text := fmt.Sprintf("test -d %[1]s || exit %[2]d; test -f %[3]s || exit %[4]d; test -x %[3]s || exit %[5]d",
		plainQuote(n.Directory), noDirectory, plainQuote(n.Program), noProgram, notExecutable)
	if n.Hosts != "" {
		text += fmt.Sprintf("; test -r %s || exit %d", plainQuote(n.Hosts), noHosts)
	}
	return text
}

// plainQuote quotes for shells that are not bash.
func plainQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// of checks a host. It takes bounded time.
func (n Needs) of(ctx context.Context, ssh []string, h hostfile.Host) error {
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	words := append([]string{}, ssh...)
	if filepath.Base(ssh[0]) == "ssh" {
		words = append(words, "-o", "BatchMode=yes", "-o", "ConnectTimeout="+connecting)
	}
	target := h.Name
	if h.User != "" {
		target = h.User + "@" + h.Name
	}
	words = append(words, target, "/bin/sh -c "+plainQuote(n.script()))
	login := exec.CommandContext(ctx, words[0], words[1:]...)
	login.WaitDelay = time.Second
	var said bytes.Buffer
	login.Stderr = &said
	err := login.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s has not answered in %v", ssh[0], answering)
	case !errors.As(err, &ended):
		return err
	}
	switch ended.ExitCode() {
	case noDirectory:
		return errMissing{fmt.Errorf("there is no directory %s, in which the program is to start", n.Directory)}
	case noProgram:
		return errMissing{fmt.Errorf("there is no program %s", n.Program)}
	case notExecutable:
		return errMissing{fmt.Errorf("%s cannot be executed", n.Program)}
	case noHosts:
		return errMissing{fmt.Errorf("there is no file %s, which rank 0 reads there for the Sets", n.Hosts)}
	}
	if text := lastLine(said.String()); text != "" {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %w", ssh[0], err)
}

// lastLine returns the last line of a program's output: warnings and greetings come before
// it.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
}
