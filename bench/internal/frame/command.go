package frame

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Root returns the directory of this module's source. The program must be run within the module.
func Root(ctx context.Context) (string, error) {
	out, err := Output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/migbsp/migbsp")
	if err != nil {
		return "", fmt.Errorf("this program builds others from source: run it in a checkout, with go in PATH (%w)", err)
	}
	return strings.TrimSpace(out), nil
}

// Build makes packages of this module in the session's directory, each once.
func (s *Session) Build(ctx context.Context, packages ...string) error {
	return s.BuildTagged(ctx, "", packages...)
}

// BuildTagged is Build with a build tag; it keeps the programs of Build.
func (s *Session) BuildTagged(ctx context.Context, tag string, packages ...string) error {
	root, err := Root(ctx)
	if err != nil {
		return err
	}
	packages = slices.Compact(slices.Sorted(slices.Values(packages)))
	s.Progress("building %s", strings.Join(packages, " "))
	_, err = Output(ctx, root, "go", append([]string{"build", "-tags", tag, "-o", filepath.Join(s.Dir, tag) + "/"}, packages...)...)
	return err
}

// Built returns the path of the program that Build has made of a package, or BuildTagged
// with its tag.
func (s *Session) Built(program string, tag ...string) string {
	return filepath.Join(s.Dir, filepath.Join(tag...), filepath.Base(program))
}

// Output runs a program in a directory and returns its output. An error has the end of its
// output and errors.
func Output(ctx context.Context, dir, name string, args ...string) (string, error) {
	out, _, err := Timed(ctx, dir, name, args...)
	return out, err
}

// OutputWith is Output in the current directory and with an environment.
func OutputWith(ctx context.Context, env []string, name string, args ...string) (string, error) {
	out, _, err := timed(ctx, "", env, name, args...)
	return out, err
}

// Timed is Output with the processor time that the program took. When ctx ends, the
// program and all that it has started are ended.
func Timed(ctx context.Context, dir, name string, args ...string) (string, time.Duration, error) {
	return timed(ctx, dir, nil, name, args...)
}

func timed(ctx context.Context, dir string, env []string, name string, args ...string) (string, time.Duration, error) {
	var out, said bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, env, &out, &said
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
	c.WaitDelay = 5 * time.Second
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		return "", 0, context.Cause(ctx)
	case err != nil:
		return "", 0, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, tail(append(out.Bytes(), said.Bytes()...)))
	}
	return out.String(), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}

// tail returns the end of a program's output.
func tail(said []byte) []byte {
	const most = 2000
	said = bytes.TrimSpace(said)
	return said[max(0, len(said)-most):]
}

// Given reports whether a flag was given.
func Given(flags *flag.FlagSet, name string) (given bool) {
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// Numbers returns the value of a flag that takes numbers with commas between them, each in a
// range, into list.
func Numbers(list *[]int, least, most int) flag.Value { return &numbers{list, least, most} }

type numbers struct {
	list        *[]int
	least, most int
}

// String is also called on the zero value, by package flag.
func (n *numbers) String() string {
	if n.list == nil {
		return ""
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(*n.list), "[]"), " ", ",")
}

func (n *numbers) Set(text string) error {
	*n.list = nil
	for item := range strings.SplitSeq(text, ",") {
		x, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil || x < n.least || x > n.most {
			return fmt.Errorf("%q: expected %s", item, n.expected())
		}
		*n.list = append(*n.list, x)
	}
	return nil
}

func (n *numbers) expected() string {
	if n.most == math.MaxInt {
		return fmt.Sprintf("a number from %d on", n.least)
	}
	return fmt.Sprintf("a number from %d to %d", n.least, n.most)
}
