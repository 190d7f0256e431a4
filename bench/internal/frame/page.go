package frame

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/pages"
	"github.com/migbsp/migbsp/internal/shell"
)

// writer writes tables into a page's parts.
type writer struct {
	page   *pages.Page
	only   []string // parts to change, nil for all
	origin pages.Origin
	bodies map[string]string // new contents of the parts
}

// openPage reads the page of -page, before anything is measured.
//
// Errors: the page has no part of this program, or the sources differ from every commit.
func (s *Session) openPage(ctx context.Context, p *Program, file string, args []string) error {
	page, err := pages.Read(file)
	if err != nil {
		return err
	}
	command := cmp.Or(p.Command, "go run ./bench/"+p.Name)
	if !slices.ContainsFunc(page.Parts, func(part *pages.Part) bool {
		return part.Command == command || strings.HasPrefix(part.Command, command+" ")
	}) {
		return fmt.Errorf("-page %s: it has no part that begins with <!-- generated: and comes from %s", file, command)
	}
	root, err := Root(ctx)
	if err != nil {
		return err
	}
	history, err := pages.OpenHistory(ctx, root)
	if err != nil {
		return fmt.Errorf("-page %s: %w", file, err)
	}
	from := p.From
	if from == nil {
		_, own, _ := strings.Cut(command, "go run ")
		from = append([]string{strings.ReplaceAll(own, " ", "/")}, p.Uses...)
	}
	commit, err := history.Head(ctx, from)
	if err != nil {
		return fmt.Errorf("-page %s: %w", file, err)
	}
	for _, arg := range args {
		if arg != "-quiet" {
			command += " " + shell.Quote(arg)
		}
	}
	where := machine()
	if p.MPI {
		where += ", " + mpiVersion(ctx)
	}
	s.page = &writer{page: page, bodies: make(map[string]string), origin: pages.Origin{
		Command: command, Commit: commit, Date: time.Now().UTC().Format(time.DateOnly), Machine: where, From: from,
	}}
	if s.pageParts == "" {
		return nil
	}
	s.page.only = strings.Split(s.pageParts, ",")
	for _, name := range s.page.only {
		if page.Part(name) == nil {
			return noPart(page, name)
		}
	}
	return nil
}

// add puts a table at the end of a part.
func (w *writer) add(t *Table) {
	if w != nil && t.Part != "" && (w.only == nil || slices.Contains(w.only, t.Part)) {
		w.bodies[t.Part] += t.markdown()
	}
}

// write replaces the parts that have tables.
func (w *writer) write() error {
	if w == nil {
		return nil
	}
	if len(w.bodies) == 0 {
		return fmt.Errorf("%s: nothing was measured that stands in a page", w.page.Name)
	}
	for name, body := range w.bodies {
		part := w.page.Part(name)
		if part == nil {
			return noPart(w.page, name)
		}
		part.Origin, part.Stale, part.Body = w.origin, false, strings.Trim(body, "\n")
	}
	return w.page.Write()
}

func noPart(page *pages.Page, name string) error {
	all := Each(page.Parts, func(part *pages.Part) string { return part.Name })
	return fmt.Errorf("%s has no part %s, which begins with <!-- generated: %s; there are %s", page.Name, name, name, strings.Join(all, ", "))
}

// machine describes this machine: cores, processor, kernel and Go.
func machine() string {
	system := runtime.GOOS
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		system = "Linux " + strings.TrimSpace(string(release))
	}
	return fmt.Sprintf("%d cores of %s, %s, %s", runtime.NumCPU(), cmp.Or(processor(), runtime.GOARCH), system, runtime.Version())
}

// mpiVersion returns the first line of the launcher's version.
func mpiVersion(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "mpirun", "--version").CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || line == "" {
		return "no mpirun"
	}
	return strings.ReplaceAll(line, "mpirun (Open MPI)", "Open MPI")
}
