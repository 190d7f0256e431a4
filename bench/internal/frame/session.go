package frame

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Session is one run of a Program. Callers need not check for errors of its output: the first error
// of writing is kept, and fails the program.
type Session struct {
	Rounds int    // value of -rounds
	Dir    string // a directory for the work's files, removed at the end

	name     string
	args     []string
	out, err io.Writer

	markdown, json, quiet       bool
	recordFile, csvFile, runDir string
	pageFile, pageParts         string

	began  time.Time
	runs   int // that have asked for a directory
	record record
	page   *writer // nil without -page
	failed error   // of writing
}

// NewSession returns a Session without a Program, for tests: it measures each quantity once, in a
// directory that the caller removes, prints tables as text and no progress.
func NewSession(dir string, out io.Writer) *Session {
	return &Session{Rounds: 1, Dir: dir, out: out, quiet: true}
}

// do calls work in a session that is open.
func (s *Session) do(ctx context.Context, p *Program, work Work) (err error) {
	s.began = time.Now()
	if s.Dir, err = os.MkdirTemp("", strings.ReplaceAll(s.name, " ", "-")); err != nil {
		return err
	}
	defer os.RemoveAll(s.Dir)
	if s.pageFile != "" {
		if err = s.openPage(ctx, p, s.pageFile, s.args); err != nil {
			return err
		}
	}
	if err = s.openRecord(); err == nil {
		err = work(ctx, s)
	}
	if err == nil {
		err = s.page.write()
	}
	for _, f := range s.record.files {
		s.keep(f.Close())
	}
	return errors.Join(err, s.failed)
}

// Progress prints a line on the present measurement, with the time since the start, unless
// -quiet is given.
func (s *Session) Progress(format string, args ...any) {
	if !s.quiet {
		fmt.Fprintf(s.err, "%6s  %s\n", time.Since(s.began).Round(time.Second), fmt.Sprintf(format, args...))
	}
}

// Print prints a line between tables, not with -json.
func (s *Session) Print(format string, args ...any) {
	if !s.json {
		_, err := fmt.Fprintf(s.out, format+"\n", args...)
		s.keep(err)
	}
}

// Table prints a table, not with -json, and puts it into the page of -page.
func (s *Session) Table(t Table) {
	s.page.add(&t)
	if !s.json {
		s.keep(t.Write(s.out, s.markdown))
	}
}

// Wants reports whether a part of the page of -page will be replaced.
func (s *Session) Wants(part string) bool {
	w := s.page
	return w != nil && w.page.Part(part) != nil && (w.only == nil || slices.Contains(w.only, part))
}

// Commit returns the commit that is measured, abbreviated: HEAD, which with -page has all
// sources of the figures.
func (s *Session) Commit(ctx context.Context) (string, error) {
	if s.page != nil {
		return s.page.origin.Commit, nil
	}
	root, err := Root(ctx)
	if err != nil {
		return "", err
	}
	commit, err := Output(ctx, root, "git", "rev-parse", "--short", "HEAD")
	return strings.TrimSpace(commit), err
}

func (s *Session) keep(err error) {
	if s.failed == nil {
		s.failed = err
	}
}

// RunDir makes the directory for the record of a program, named by its subject. done
// removes it, unless -run-dir keeps all of them.
func (s *Session) RunDir(about ...string) (dir string, done func(), err error) {
	s.runs++
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/ ;,=", r) {
			return '-'
		}
		return r
	}, strings.Join(about, " "))
	name := fmt.Sprintf("%04d-%s", s.runs, plain)
	if s.runDir != "" {
		dir = filepath.Join(s.runDir, name)
		return dir, func() {}, os.MkdirAll(dir, 0o777)
	}
	dir = filepath.Join(s.Dir, name)
	return dir, func() { os.RemoveAll(dir) }, os.Mkdir(dir, 0o777)
}
