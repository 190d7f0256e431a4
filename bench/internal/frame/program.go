// Package frame is the common part of the measuring programs under bench, so that each of
// them contains only its own measurements.
//
// A Program names its own flags; -rounds, -markdown, -json, -o, -csv, -page, -quiet,
// -run-dir and -help are the frame's. Its Work measures with a Session: programs that it
// builds and runs (Build, Output), progress, Record for measurements, and Table for
// readers. A record has one line for the run (Header) and one for each quantity (Measure)
// with all samples, their median and its confidence interval.
//
// The first interrupt ends the context of the work: it stops between two measurements
// and leaves nothing behind. A second one ends the program at once.
package frame

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
)

// Program is a measuring program whose arguments are flags.
type Program struct {
	// Name is the name of the program below bench or, with a word more, of one of its
	// Others.
	Name  string
	About string // paragraphs above the flags of -help
	// Others are programs that the first argument chooses, by the last word of their names.
	Others []Program
	// Rounds is the default of -rounds, the number of measurements of each quantity. The flag
	// exists if it is not 0.
	Rounds int
	// RunDir adds -run-dir to programs whose work calls Session.RunDir.
	RunDir bool
	// Command starts the program in the module's directory, if that is not go run ./bench/
	// and its name.
	Command string
	// Uses are further sources of figures, beside the program's own package and its
	// imports: packages, which begin with ./, and paths of programs that it builds and
	// files that it reads. MPI adds the version of MPI to the machine.
	Uses []string
	// From replaces all these sources, for a program that mostly only prints and counts
	// figures.
	From []string
	MPI  bool
	// Flags defines the program's own flags, and returns a function that makes the work of
	// them once they are read. Its error is one of the command line.
	Flags func(flags *flag.FlagSet) func() (Work, error)
}

// Work measures. It returns soon after ctx ends.
type Work func(ctx context.Context, s *Session) error

// Exit codes; an interrupted program exits with 128 + the signal's number.
const (
	exitFailed = 1
	exitUsage  = 2
	exitSignal = 128
)

// Main runs the program with the arguments of the process, and ends the process.
func (p Program) Main() { os.Exit(p.Run(os.Args[1:], os.Stdout, os.Stderr)) }

// Run runs the program and returns its exit code. Help and results go to stdout, one line
// for an error and the progress to stderr.
func (p Program) Run(args []string, stdout, stderr io.Writer) int {
	for _, o := range p.Others {
		if len(args) > 0 && o.Name == p.Name+" "+args[0] {
			return o.Run(args[1:], stdout, stderr)
		}
	}
	s, work, err := p.parse(args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v (see %s -help)\n", p.Name, err, p.Name)
		return exitUsage
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	var got atomic.Int32
	go func() {
		select {
		case <-ctx.Done():
		case s := <-signals:
			fmt.Fprintf(stderr, "%s: %v; another one ends it at once\n", p.Name, s)
			number, _ := s.(syscall.Signal)
			got.Store(int32(number))
			signal.Stop(signals) // the next one has its usual effect
			cancel()
		}
	}()
	err = s.do(ctx, &p, work)
	switch number := int(got.Load()); {
	case number != 0:
		return exitSignal + number
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
		return exitFailed
	}
	return 0
}

// parse reads the flags and prepares the session.
//
// Errors: flag.ErrHelp once help is printed; else the command line is wrong.
func (p Program) parse(args []string, stdout, stderr io.Writer) (*Session, Work, error) {
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	own := p.Flags(flags)
	s := &Session{name: p.Name, args: args, out: stdout, err: stderr}
	p.shared(flags, s)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		p.help(flags, stdout)
		return nil, nil, err
	case err != nil:
		return nil, nil, err
	case flags.NArg() > 0:
		return nil, nil, fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	case p.Rounds > 0 && s.Rounds < 1:
		return nil, nil, fmt.Errorf("-rounds %d: at least one is needed", s.Rounds)
	case s.json && s.markdown:
		return nil, nil, errors.New("-json and -markdown: expected one of them")
	case s.json && s.pageFile != "":
		return nil, nil, errors.New("-page and -json: expected one of them")
	case s.pageParts != "" && s.pageFile == "":
		return nil, nil, errors.New("-parts: expected -page too, which names the page")
	case s.recordFile != "" && s.recordFile == s.csvFile:
		return nil, nil, errors.New("-o and -csv: expected two files")
	}
	work, err := own()
	return s, work, err
}

// shared defines the frame's flags.
func (p Program) shared(flags *flag.FlagSet, s *Session) {
	if p.Rounds > 0 {
		flags.IntVar(&s.Rounds, "rounds", p.Rounds, "`measurements` of each, in turns; the median counts, and from 6 on its 95 % interval is known")
	}
	flags.BoolVar(&s.markdown, "markdown", false, "print the tables as Markdown")
	flags.BoolVar(&s.json, "json", false, "print the record, JSON lines, instead of tables")
	flags.StringVar(&s.recordFile, "o", "", "write the record, JSON lines with all samples, to this `file`")
	flags.StringVar(&s.csvFile, "csv", "", "write all samples as CSV to this `file`")
	flags.StringVar(&s.pageFile, "page", "", "put the tables into this `file`, in place of its parts that this program has made")
	flags.StringVar(&s.pageParts, "parts", "", "of the page, change only these `parts`, with commas between them")
	flags.BoolVar(&s.quiet, "quiet", false, "do not print progress")
	if p.RunDir {
		flags.StringVar(&s.runDir, "run-dir", "", "keep the records of all runs in this `directory`")
	}
}

func (p Program) help(flags *flag.FlagSet, w io.Writer) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Usage: %s [flags]\n", p.Name)
	for _, o := range p.Others {
		fmt.Fprintf(&b, "       %s [flags]\n", o.Name)
	}
	b.WriteString("\n")
	if about := strings.TrimSpace(p.About); about != "" {
		fmt.Fprintf(&b, "%s\n\n", about)
	}
	flags.SetOutput(&b)
	flags.PrintDefaults()
	w.Write(b.Bytes())
}
