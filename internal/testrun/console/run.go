package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// long is the limit on the duration of a command. Longer commands are shown and not run.
const long = 2 * time.Minute

// Bench contains the programs that commands run, and replacements of other commands.
type Bench struct {
	lane   string
	root   string
	prefix string // programs in bin and libexec/migbsp, stand-ins in shims
	copy   string // of the tree
	env    []string
}

// always are the programs that pages name without go run: the tool and the programs of the
// tree. Commands that need MPI or a testbed build their own.
var always = []string{"./cmd/migbsp", "./apps/..."}

var goRun = regexp.MustCompile(`\bgo run (\./[\w./-]+)`)

// NewBench builds the programs that commands of a lane need, once for all pages. standIns
// are shell commands that replace other programs of pages: sudo, a launcher.
func NewBench(t *testing.T, lane string, pages []*Page, standIns map[string]string) *Bench {
	t.Helper()
	packages := slices.Clone(always)
	if lane != "" {
		packages = packages[:1] // the pages of other lanes build programs themselves
	}
	for _, p := range pages {
		for _, b := range p.Blocks {
			if b.Shown != "" || b.Lane() != lane {
				continue
			}
			for _, c := range b.Commands {
				for _, found := range goRun.FindAllStringSubmatch(c.Text, -1) {
					packages = append(packages, found[1])
				}
			}
		}
	}
	bench := &Bench{lane: lane, root: testrun.Root(t), prefix: t.TempDir(), copy: t.TempDir()}
	if len(packages) > 0 {
		bench.install(t, testrun.Build(t, "", slices.Compact(slices.Sorted(slices.Values(packages)))...))
	}
	shims := filepath.Join(bench.prefix, "shims")
	for name, text := range standIns {
		must.Do(t, os.MkdirAll(shims, 0o777))
		must.Do(t, os.WriteFile(filepath.Join(shims, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777))
	}
	bench.environment(t)
	return bench
}

// install copies programs to the directories used by scripts/install.
func (bench *Bench) install(t *testing.T, built string) {
	t.Helper()
	for _, entry := range must.Get(os.ReadDir(built))(t) {
		dir := filepath.Join(bench.prefix, "libexec", "migbsp")
		if name := entry.Name(); name == "migbsp" || name == "stagevet" {
			dir = filepath.Join(bench.prefix, "bin")
		}
		must.Do(t, os.MkdirAll(dir, 0o777))
		must.Do(t, os.Rename(filepath.Join(built, entry.Name()), filepath.Join(dir, entry.Name())))
	}
}

// program returns the path of an installed program.
func (bench *Bench) program(name string) string {
	if at := filepath.Join(bench.prefix, "bin", name); exists(at) {
		return at
	}
	return filepath.Join(bench.prefix, "libexec", "migbsp", name)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// environment sets the environment of commands: a user on two cores without configuration and outside
// of jobs. Programs come last in PATH, because one of them is called sort.
func (bench *Bench) environment(t *testing.T) {
	t.Helper()
	under := func(names ...string) string { return filepath.Join(append([]string{bench.prefix}, names...)...) }
	set := map[string]string{
		"PATH": strings.Join([]string{under("shims"), under("bin"), os.Getenv("PATH"), under("libexec", "migbsp")}, ":"),
		"HOME": under("home"), "XDG_CONFIG_HOME": under("home", ".config"), "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1",
		"GOFLAGS": "-trimpath", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
	}
	if bench.lane == "" {
		set["GOMAXPROCS"] = "2"
	}
	must.Do(t, os.MkdirAll(set["XDG_CONFIG_HOME"], 0o777))
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // HOME would give other paths
		set[name] = strings.TrimSpace(string(must.Get(exec.Command("go", "env", name).Output())(t)))
	}
	foreign := regexp.MustCompile(`^((MIGBSP|SLURM|PBS|LSB|OMPI|PMI|PMIX)_|CGO_ENABLED$)`)
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if _, ours := set[name]; !ours && !foreign.MatchString(name) {
			bench.env = append(bench.env, variable)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		bench.env = append(bench.env, name+"="+set[name])
	}
}

// Tally counts blocks.
type Tally struct{ Exact, Measured, Elsewhere, Missing, Shown int }

// Add adds the counts of another page.
func (n *Tally) Add(more Tally) {
	n.Exact += more.Exact
	n.Measured += more.Measured
	n.Elsewhere += more.Elsewhere
	n.Missing += more.Missing
	n.Shown += more.Shown
}

func (n Tally) String() string {
	return fmt.Sprintf("%d blocks compared to the letter, %d by their form, %d left to other lanes, %d without what they need, %d only shown",
		n.Exact, n.Measured, n.Elsewhere, n.Missing, n.Shown)
}

// attempts bounds the runs of a page whose measured blocks do not match: while other
// programs use the machine, a run may decide differently.
const attempts = 3

// Run runs a page's blocks of the lane. With update, it writes the outputs of commands into
// the page's file where they do not match.
func (bench *Bench) Run(t *testing.T, p *Page, update bool) Tally {
	t.Helper()
	for attempt := 1; ; attempt++ {
		a := &run{bench: bench, page: p, update: update, outputs: make(map[*Shown][]string)}
		a.all(t)
		if len(a.outputs) > 0 {
			p.replace(a.outputs)
			must.Do(t, os.WriteFile(filepath.Join(bench.root, filepath.FromSlash(p.Name)), []byte(p.String()), 0o666))
		}
		if !a.again || update || attempt == attempts {
			for _, failure := range a.failures {
				t.Error(failure)
			}
			return a.tally
		}
		t.Logf("once more, as measured blocks differ:\n%s", strings.Join(a.failures, "\n"))
	}
}

// run is one of a page.
type run struct {
	bench    *Bench
	page     *Page
	update   bool
	dir      string // of the commands, "" before the first
	tally    Tally
	failures []string
	again    bool                // another run may be better
	outputs  map[*Shown][]string // that the page is to show
}

// all runs all blocks.
func (a *run) all(t *testing.T) {
	t.Helper()
	for _, b := range a.page.Blocks {
		if wrong := b.misstated(); len(wrong) > 0 && !a.update {
			a.failures = append(a.failures, fmt.Sprintf("%s:%d: the block claims %s: run this test with -update, or claim less", a.page.Name, b.Line, strings.Join(wrong, "; ")))
		}
		switch missing := b.missing(); {
		case b.Shown != "":
			a.tally.Shown++
			continue
		case b.Lane() != a.bench.lane:
			a.tally.Elsewhere++
			continue
		case missing != "":
			t.Logf("SKIPPED: %s:%d needs %s", a.page.Name, b.Line, missing)
			a.tally.Missing++
			continue
		case b.Measured:
			a.tally.Measured++
		default:
			a.tally.Exact++
		}
		if a.dir == "" {
			a.dir = a.bench.scratch(t, a.page)
		}
		a.block(t, b)
	}
}

// missing is a program that the block needs and that is not here.
func (b *Block) missing() string {
	for _, name := range b.Needs {
		if name == "mpi" || name == "testbed" {
			continue
		}
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

// block runs the commands of a block.
func (a *run) block(t *testing.T, b *Block) {
	t.Helper()
	stale := len(b.misstated()) > 0
	var all []string // lines that the commands printed
	outputs := make(map[*Shown][]string)
	for i, c := range b.Commands {
		want := b.code(i)
		printed, code, took := a.bench.command(t, a.page, c, a.dir)
		all = append(all, split(printed)...)
		if took > time.Second {
			t.Logf("%.1f s of a processor for %s", took.Seconds(), c.Text)
		}
		fail := func(format string, args ...any) {
			a.failures = append(a.failures, fmt.Sprintf("%s:%d: $ %s\n", a.page.Name, c.Line, c.Text)+fmt.Sprintf(format, args...))
		}
		switch {
		case code != want:
			fail("ends with code %d, want %d, and prints\n%s", code, want, printed)
		case len(c.Output) == 0 || b.Matches(c.Output, printed) && !(a.update && stale):
		case !a.update:
			a.again = a.again || b.Measured
			fail("prints\n%s\nand the page shows\n%s", printed, strings.Join(c.Output, "\n"))
		default:
			lines, ok := b.updated(c.Output, printed)
			if !ok {
				fail("prints\n%s\nof which the lines that the page shows cannot be found; mend it by hand", printed)
				continue
			}
			outputs[c] = lines
		}
	}
	if broken := b.broken(all); len(broken) > 0 { // the page keeps its text
		a.again = true
		a.failures = append(a.failures, fmt.Sprintf("%s:%d: %s, of\n%s", a.page.Name, b.Line, strings.Join(broken, "; "), strings.Join(all, "\n")))
		return
	}
	maps.Copy(a.outputs, outputs)
}

// code returns the expected exit code of the i-th command.
func (b *Block) code(i int) int {
	if i == len(b.Commands)-1 {
		return b.Code
	}
	return 0
}

// command runs one and returns all that it prints, with names of files as the page has them,
// its code, and the time that it took of processors.
func (bench *Bench) command(t *testing.T, p *Page, c *Shown, dir string) (printed string, code int, took time.Duration) {
	t.Helper()
	text := goRun.ReplaceAllStringFunc(c.Text, func(found string) string { return bench.program(filepath.Base(found)) })
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -o pipefail; "+text)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, bench.env, &out, &out
	if _, own := p.files["migbsp.toml"]; !own {
		cmd.Env = append(cmd.Environ(), "MIGBSP_CONFIG="+os.DevNull)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited || ctx.Err() != nil {
		t.Fatalf("%s:%d: $ %s: %v, %v\n%s", p.Name, c.Line, c.Text, err, ctx.Err(), &out)
	}
	state := cmd.ProcessState
	return strings.ReplaceAll(out.String(), dir+"/", ""), state.ExitCode(), state.UserTime() + state.SystemTime()
}

// scratch returns a copy of the tree with the page's files. Commands cannot change the tree itself
// through it. All pages use the same directory, and each page starts with the original files.
func (bench *Bench) scratch(t *testing.T, p *Page) (dir string) {
	t.Helper()
	ours := make(map[string]bool)
	must.Do(t, filepath.WalkDir(bench.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(bench.root, name)
		if err != nil {
			return err
		}
		switch hidden := rel != "." && strings.HasPrefix(d.Name(), "."); {
		case d.IsDir() && (hidden || rel == "runs"): // the user's own runs
			return fs.SkipDir
		case hidden || !d.IsDir() && !d.Type().IsRegular():
			return nil
		}
		ours[rel] = true
		info, err := d.Info()
		if err != nil {
			return err
		}
		return bring(name, info, filepath.Join(bench.copy, rel))
	}))
	must.Do(t, filepath.WalkDir(bench.copy, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(bench.copy, name)
		switch {
		case err != nil || ours[rel]:
			return err
		case !d.IsDir():
			return os.Remove(name)
		}
		if err := os.RemoveAll(name); err != nil {
			return err
		}
		return fs.SkipDir
	}))
	for name, content := range p.files {
		must.Do(t, os.WriteFile(filepath.Join(bench.copy, name), []byte(content), 0o666))
	}
	return bench.copy
}

// bring copies a file or directory. It skips a file of the same size, mode and time.
func bring(name string, info fs.FileInfo, at string) error {
	if info.IsDir() {
		return os.MkdirAll(at, 0o777)
	}
	if old, err := os.Lstat(at); err == nil {
		if old.Size() == info.Size() && old.Mode() == info.Mode() && old.ModTime().Equal(info.ModTime()) {
			return nil
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(at, content, info.Mode()), os.Chmod(at, info.Mode()), os.Chtimes(at, info.ModTime(), info.ModTime()))
}
