// Package emulated runs programs of the tree on emulated platforms.
package emulated

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// Workload is a program of the tree with its command line.
type Workload struct {
	Name    string
	Program string // its package
	Args    []string
}

// Of is a workload with its arguments as one would type them.
func Of(name, program, args string) Workload {
	return Workload{Name: name, Program: program, Args: strings.Fields(args)}
}

// Outcome is what a run came to: the same work and messages with and without moves, and
// what the program says of its result.
type Outcome struct {
	ledger.Emulation
	Checksum string
}

// Build makes each program of the workloads once, in a directory.
func Build(ctx context.Context, dir string, workloads []Workload, stderr io.Writer) error {
	built := make(map[string]bool)
	for _, w := range workloads {
		if built[w.Program] {
			continue
		}
		built[w.Program] = true
		build := exec.CommandContext(ctx, "go", "build", "-o", dir+"/", w.Program)
		build.Stderr = stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building %s: %w", w.Program, err)
		}
	}
	return nil
}

// Platforms are the files that patterns with commas between them mean.
//
// Errors: a pattern that means none.
func Platforms(patterns string) ([]string, error) {
	var files []string
	for pattern := range strings.SplitSeq(patterns, ",") {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("-hosts %s: there is no such file here", pattern)
		}
		files = append(files, found...)
	}
	return files, nil
}

var checksums = regexp.MustCompile(`(?m)^checksum +([0-9a-f]+)|PASSED`)

// Launch runs a workload that Build has made in the directory, on a platform with a
// strategy.
func Launch(ctx context.Context, dir string, w Workload, hosts, balance string) (Outcome, error) {
	record, err := os.MkdirTemp(dir, "run")
	if err != nil {
		return Outcome{}, err
	}
	defer os.RemoveAll(record)
	args := append(slices.Clone(w.Args), "-hosts", hosts, "-balance", balance, "-run-dir", record)
	out, err := exec.CommandContext(ctx, filepath.Join(dir, filepath.Base(w.Program)), args...).CombinedOutput()
	if err != nil {
		return Outcome{}, fmt.Errorf("%w\n%s", err, out)
	}
	h, err := ledger.Read(record)
	if err != nil {
		return Outcome{}, err
	}
	if h.End == nil || h.End.Emulation == nil {
		return Outcome{}, fmt.Errorf("the record of the run does not tell of an emulated platform; the program said:\n%s", out)
	}
	return Outcome{*h.End.Emulation, strings.Join(checksums.FindStringSubmatch(string(out)), " ")}, nil
}
