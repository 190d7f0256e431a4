// Package emulated runs programs of the tree on emulated platforms.
package emulated

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// Workload is a program of the tree with its command line.
type Workload struct {
	Name    string
	Program string // its package
	Args    []string
}

// Of returns a workload with its arguments as a user types them.
func Of(name, program, args string) Workload {
	return Workload{Name: name, Program: program, Args: strings.Fields(args)}
}

// Platforms is the value of the flag -hosts: files of platforms, by default the examples.
type Platforms struct{ patterns string }

// Flag defines -hosts.
func (p *Platforms) Flag(flags *flag.FlagSet, more string) {
	flags.StringVar(&p.patterns, "hosts", "examples/*.hosts", "`files` of platforms, a pattern or several with commas between"+more)
}

// Files returns the files that the patterns match; none without patterns.
//
// Errors: a pattern that matches no file.
func (p *Platforms) Files() (files []string, err error) {
	if p.patterns == "" {
		return nil, nil
	}
	for pattern := range strings.SplitSeq(p.patterns, ",") {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("-hosts %s: there is no such file here", pattern)
		}
		files = append(files, found...)
	}
	return files, nil
}

// Short returns the name of a platform in tables.
func Short(hosts string) string { return strings.TrimSuffix(filepath.Base(hosts), ".hosts") }

// Launch runs a workload that the session has built on a platform, with a strategy, and
// returns the times of the same work and messages with and without moves.
func Launch(ctx context.Context, s *frame.Session, w Workload, hosts, balance string) (e ledger.Emulation, err error) {
	record, done, err := s.RunDir(w.Name, Short(hosts), balance)
	if err != nil {
		return e, err
	}
	defer done()
	args := append(slices.Clone(w.Args), "-hosts", hosts, "-start", "blocks", "-balance", balance, "-run-dir", record)
	out, err := frame.Output(ctx, "", s.Built(w.Program), args...)
	if err != nil {
		return e, err
	}
	h, err := ledger.Read(record)
	if err != nil {
		return e, err
	}
	if h.End == nil || h.End.Emulation == nil {
		return e, fmt.Errorf("the record of the run does not tell of an emulated platform; the program said:\n%s", out)
	}
	return *h.End.Emulation, nil
}
