// Package gallery runs programs of the tree on emulated platforms and writes their reports, each
// with a picture, and the page that leads to them: all of docs/gallery.
//
//	go run ./bench/compare gallery
//	go run ./bench/compare gallery -only heat -out .
package gallery

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// exhibit is a run of the gallery.
type exhibit struct {
	emulated.Workload
	platform string // of examples/
	see      string // description of its features
}

// command returns the exhibit's command line as a user types it.
func (e *exhibit) command() string {
	return strings.Join(append([]string{e.Name}, e.Args...), " ") + " -hosts examples/" + e.platform + ".hosts"
}

// exhibits have few supersteps: most of a report is its details on each.
var exhibits = []exhibit{
	{emulated.Of("lu", "./apps/lu", "-n 1600 -procs 16 -grid 1x16"), "two-sets",
		"LU decomposition on four fast hosts and four slow ones. The rest of the matrix shrinks, and so does the work of a step; in each, all others wait for the process that has the panel. Moves bring columns from the slow hosts to the fast ones."},
	{emulated.Of("heat", "./apps/heat", "-dim 3 -n 160 -steps 84 -procs 16"), "two-sets",
		"Heat in a cube on the same hosts. All processes have the same work, so the slow four (r4 to r7) hold up the others until processes leave them. The first steps, which touch new memory, take longest."},
	{emulated.Of("lbm", "./apps/lbm", "-n 600x240 -steps 120 -procs 16"), "busy-node",
		"A fluid in a channel on eight equal hosts, one of which has a quarter of its speed left. In the heat map r5 is dark, and all others wait for it, until processes leave it."},
	{emulated.Of("fractal", "./apps/fractal", "-size 1024 -procs 16"), "two-sets",
		"Compression of a picture. The first stage takes longest; then a call evens out the ranks. In the long superstep at the end process 0 checks the file alone."},
	{emulated.Of("fft", "./apps/fft", "-n 262144 -procs 16 -iterations 11"), "clusters-of-clusters",
		"Fourier transforms on five clusters behind three routers. Each transform passes all numbers on once, which takes most of the time and is no work. The run is short: some runs give up whole clusters, in others nothing moves."},
}

// settings holds the parsed command line.
type settings struct {
	exhibits []exhibit
	out      string
}

// Program is the one of the package.
var Program = frame.Program{
	Name: "compare gallery", Flags: define,
	About: "Runs programs on emulated platforms and writes their reports with pictures, and the\n" +
		"page that leads to them. Pictures need chromium.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	out := flags.String("out", "docs/gallery", "write into this `directory`")
	only := flags.String("only", "", "only this `program`, and no page that leads to it")
	return func() (frame.Work, error) {
		s := settings{exhibits: exhibits, out: *out}
		if is, err := os.Stat(*out); err != nil || !is.IsDir() {
			return nil, fmt.Errorf("-out %s: there is no such directory", *out)
		}
		var err error
		s.exhibits, err = frame.Only(exhibits, *only, func(e exhibit) string { return e.Name })
		return s.run, err
	}
}

// shown is the result of an exhibit.
type shown struct {
	exhibit  *exhibit
	sentence string // the report's
	checksum string
}

func (s settings) run(ctx context.Context, session *frame.Session) error {
	root, err := frame.Root(ctx)
	if err != nil {
		return err
	}
	browser, err := findBrowser()
	if err != nil {
		return err
	}
	out, err := filepath.Abs(s.out)
	if err != nil {
		return err
	}
	programs := frame.Each(s.exhibits, func(e exhibit) string { return e.Program })
	if err := session.Build(ctx, append(programs, "./cmd/migbsp")...); err != nil {
		return err
	}
	// Programs run next to their platforms, so that reports name those as users do.
	if err := os.CopyFS(filepath.Join(session.Dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		return err
	}
	var all []shown
	for i := range s.exhibits {
		session.Progress("%s", s.exhibits[i].command())
		one, err := show(ctx, session, &s.exhibits[i], browser, out)
		if err != nil {
			return fmt.Errorf("%s: %w", s.exhibits[i].Name, err)
		}
		session.Print("%s", one.sentence)
		all = append(all, one)
	}
	if len(all) < len(exhibits) {
		return nil
	}
	return os.WriteFile(filepath.Join(out, "README.md"), []byte(page(all, frame.NewHeader("gallery", nil))), 0o666)
}

// show runs an exhibit and writes its report and its picture.
func show(ctx context.Context, session *frame.Session, e *exhibit, browser, out string) (shown, error) {
	record := "runs/" + e.Name
	args := append(strings.Fields(e.command())[1:], "-run-dir", record)
	if _, err := frame.Output(ctx, session.Dir, session.Built(e.Program), args...); err != nil {
		return shown{}, err
	}
	h, err := ledger.Read(filepath.Join(session.Dir, record))
	if err != nil {
		return shown{}, err
	}
	if h.End == nil || h.End.Emulation == nil || h.End.Result == nil {
		return shown{}, fmt.Errorf("the record of the run has no emulated result")
	}
	report := filepath.Join(out, e.Name+".html")
	said, err := frame.Output(ctx, session.Dir, session.Built("./cmd/migbsp"), "report", record, "-o", report)
	if err != nil {
		return shown{}, err
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if err := takePicture(ctx, browser, session.Dir, report, filepath.Join(out, e.Name+".png")); err != nil {
		return shown{}, err
	}
	return shown{e, lines[len(lines)-1], h.End.Result.Checksum}, nil
}

// page returns the page that links to the reports.
func page(all []shown, h frame.Header) string {
	var b strings.Builder
	paragraph := func(format string, args ...any) { b.WriteString(wrap(fmt.Sprintf(format, args...)) + "\n\n") }
	b.WriteString("# A gallery of runs\n\n")
	paragraph("Five programs on emulated platforms, each with the page that `migbsp report` made of its record " +
		"([how to read one](../guide/report.md)): one file that loads nothing. The pictures are the course of each run: " +
		"above the work of the longest, mean and shortest rank in each superstep, with the calls that moved processes; " +
		"below how each rank's work compares with the mean.")
	paragraph("All times are **EMULATED**: work is measured and divided by the speeds that the platform declares, " +
		"and messages take what the platform says. Checksums are the same in each run, on any machine; times and moves " +
		"differ from run to run.")
	b.WriteString("    go run ./bench/compare gallery\n\n")
	paragraph("wrote all of this directory on %s, on %s.", h.Date.Format("2 January 2006"), h.Machine)
	for _, s := range all {
		fmt.Fprintf(&b, "## %s on %s\n\n    %s\n\n", s.exhibit.Name, s.exhibit.platform, s.exhibit.command())
		paragraph("%s", s.exhibit.see)
		fmt.Fprintf(&b, "[![The course of the run of %[1]s, emulated: work of the ranks in each superstep, and each rank over the mean](%[1]s.png)](%[1]s.html)\n\n", s.exhibit.Name)
		paragraph("[The report](%s.html). The checksum is `%s`.", s.exhibit.Name, s.checksum)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// wrap breaks a paragraph into lines of the pages' width.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case width+1+len(word) > 85:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}
