package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrNoHistory means that changes since a commit cannot be known here: there is no git, no
// checkout, or one without older commits.
var ErrNoHistory = errors.New("there is no history here")

// History is the one of a checkout.
type History struct {
	root    string
	shallow bool
	changes map[string][]string // files whose content or code has changed since a commit
	closure map[string][]string // directories of packages
}

// OpenHistory opens the history of the module's directory.
//
// Errors: ErrNoHistory.
func OpenHistory(ctx context.Context, root string) (*History, error) {
	h := &History{root: root, changes: make(map[string][]string), closure: make(map[string][]string)}
	out, err := h.git(ctx, "rev-parse", "--is-shallow-repository", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoHistory, err)
	}
	shallow, prefix, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if prefix != "" {
		return nil, fmt.Errorf("%w: this is a directory of another checkout", ErrNoHistory)
	}
	h.shallow = shallow == "true"
	return h, nil
}

func (h *History) git(ctx context.Context, args ...string) (string, error) {
	return output(ctx, h.root, "", "git", args...)
}

func output(ctx context.Context, dir, input, name string, args ...string) (string, error) {
	var out, said bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, strings.NewReader(input), &out, &said
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, strings.TrimSpace(said.String()))
	}
	return out.String(), nil
}

// Head is the commit that is checked out, short.
//
// Errors: figures measured now would not belong to that commit, because files differ from
// it.
func (h *History) Head(ctx context.Context, from []string) (string, error) {
	commit, err := h.git(ctx, "rev-parse", "--short", "HEAD")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoHistory, err)
	}
	status, err := h.git(ctx, "status", "--porcelain", "--no-renames", "--untracked-files=all")
	if err != nil {
		return "", err
	}
	var files []string
	for line := range strings.Lines(status) {
		files = append(files, strings.Trim(strings.TrimSpace(line)[2:], " \""))
	}
	changed, err := h.among(ctx, files, &Origin{From: from})
	if err == nil && len(changed) > 0 {
		err = fmt.Errorf("%s: not committed, so that no commit could be named in the page: commit first", strings.Join(changed, ", "))
	}
	return strings.TrimSpace(commit), err
}

// Changed lists the sources of a part's figures that have changed since its commit. Changes
// of comments or layout of Go files do not count.
//
// Errors: ErrNoHistory, also if only older commits are missing; another one if the commit
// is unknown, or a path in From does not exist any more.
func (h *History) Changed(ctx context.Context, p *Origin) ([]string, error) {
	files, known := h.changes[p.Commit]
	if !known {
		if _, err := h.git(ctx, "cat-file", "-e", p.Commit+"^{commit}"); err != nil {
			if h.shallow {
				return nil, fmt.Errorf("%w: it does not reach back to commit %s", ErrNoHistory, p.Commit)
			}
			return nil, fmt.Errorf("commit %s is unknown", p.Commit)
		}
		var err error
		if files, err = h.changedSince(ctx, p.Commit); err != nil {
			return nil, err
		}
		h.changes[p.Commit] = files
	}
	return h.among(ctx, files, p)
}

// changedSince lists the files that differ from a commit; Go files are compared by their
// code.
func (h *History) changedSince(ctx context.Context, commit string) (files []string, err error) {
	out, err := h.git(ctx, "diff", "--name-only", "--no-renames", commit, "HEAD")
	if err != nil {
		return nil, err
	}
	files = strings.Fields(out)
	var names strings.Builder
	for _, file := range files {
		fmt.Fprintf(&names, "%s:%s\nHEAD:%s\n", commit, file, file)
	}
	blobs, err := output(ctx, h.root, names.String(), "git", "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	next := func() (blob string, there bool) {
		head, rest, _ := strings.Cut(blobs, "\n")
		fields := strings.Fields(head)
		size, err := strconv.Atoi(fields[len(fields)-1])
		if err != nil { // the file is missing there
			blobs = rest
			return "", false
		}
		blobs = rest[size+1:]
		return rest[:size], true
	}
	return slices.DeleteFunc(files, func(file string) bool {
		was, before := next()
		is, now := next()
		return before && now && path.Ext(file) == ".go" && sameCode(was, is)
	}), nil
}

// among returns the files that the figures come from: no tests and no pages.
func (h *History) among(ctx context.Context, files []string, p *Origin) (found []string, err error) {
	code := func(file string) bool { return !strings.HasSuffix(file, "_test.go") && path.Ext(file) != ".md" }
	for _, from := range p.From {
		if !strings.HasPrefix(from, "./") {
			if there, err := filepath.Glob(filepath.Join(h.root, from)); err != nil || len(there) == 0 {
				return nil, fmt.Errorf("there is no %s", from)
			}
			for _, file := range files {
				if matched, _ := path.Match(from, file); code(file) && (matched || strings.HasPrefix(file, from+"/")) {
					found = append(found, file)
				}
			}
			continue
		}
		dirs, err := h.packages(ctx, from)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if code(file) && slices.Contains(dirs, path.Dir(file)) {
				found = append(found, file)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// packages are the directories of packages and of all that they import of this project.
func (h *History) packages(ctx context.Context, pattern string) ([]string, error) {
	if dirs, known := h.closure[pattern]; known {
		return dirs, nil
	}
	out, err := output(ctx, h.root, "", "go", "list", "-deps", "-f", "{{.Dir}}", pattern)
	if err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(h.root)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for dir := range strings.Lines(out) {
		for _, base := range []string{h.root, root} {
			if rel, err := filepath.Rel(base, strings.TrimSuffix(dir, "\n")); err == nil && filepath.IsLocal(rel) {
				dirs = append(dirs, filepath.ToSlash(rel))
			}
		}
	}
	h.closure[pattern] = dirs
	return dirs, nil
}
